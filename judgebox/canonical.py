"""Canonical JSON: equal values give equal bytes, so that a digest means something."""

from __future__ import annotations

import hashlib
import json
from typing import Any


def canonical_json(value: Any) -> bytes:
    """`value` as UTF-8 JSON with sorted keys and no white space.

    Raises:
        TypeError, ValueError: a value JSON does not have, a NaN among them.
    """
    return json.dumps(
        value, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False
    ).encode()


def sha256_hex(data: bytes) -> str:
    """sha256 of `data`, 64 hex digits."""
    return hashlib.sha256(data).hexdigest()
