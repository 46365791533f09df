"""Which tasks of a pack load, and in which order: a function of the request alone."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from judgebox.acsl.task import SPLITS
from judgebox.errors import UsageError

ALL = "all"
"""The split that is every split."""

Row = Mapping[str, Any]


def select(
    rows: Iterable[Row],
    *,
    split: str = "train",
    tiers: Sequence[int] | None = None,
    families: Sequence[str] | None = None,
    ids: Sequence[str] | None = None,
    limit: int | None = None,
    seed: int = 0,
) -> list[Row]:
    """The rows asked for, in the order `seed` gives; of these the first `limit`.

    The order is that of sha256(seed, id): it does not depend on the machine, on the Python version
    or on which other tasks there are.

    Raises:
        UsageError: an unknown split, tier, family or id, a limit below 1, or nothing is left.
    """
    rows = list(rows)
    if split not in (*SPLITS, ALL):
        raise UsageError(f"unknown split {split!r}; there are {', '.join((*SPLITS, ALL))}")
    if limit is not None and limit < 1:
        raise UsageError("limit must be at least 1")
    wanted = {"tier": tiers, "family": families, "id": ids}
    for field, values in wanted.items():
        if values is None:
            continue
        known = {row[field] for row in rows}
        unknown = [value for value in values if value not in known]
        if unknown:
            raise UsageError(
                f"unknown {field} {', '.join(map(repr, unknown))}; the pack has "
                f"{', '.join(map(str, sorted(known)))}"
            )
    chosen = [
        row
        for row in rows
        if split in (ALL, row["split"])
        and all(values is None or row[field] in values for field, values in wanted.items())
    ]
    if not chosen:
        raise UsageError(
            f"no task is left: split {split!r}"
            + "".join(f", {field} in {list(v)}" for field, v in wanted.items() if v is not None)
            + ("" if split == ALL else f"; split {ALL!r} takes every split")
        )
    chosen.sort(key=lambda row: hashlib.sha256(f"{seed}:{row['id']}".encode()).digest())
    return chosen[:limit]
