"""One measured figure."""

from __future__ import annotations

from typing import NamedTuple


class Measure(NamedTuple):
    """A figure, its unit, and what we want of it."""

    what: str
    value: float
    unit: str = ""
    bound: str = ""
