"""Which tasks load, and in which order."""

from __future__ import annotations

from typing import Any

import pytest

from judgebox.environment.selection import select
from judgebox.errors import UsageError

ROWS = [
    {"id": f"{family}/{n}", "family": family, "tier": n, "split": split}
    for family, split in (("sums", "train"), ("order", "train"), ("copy", "test"))
    for n in (1, 2, 3)
]


def ids(**options: Any) -> list[str]:
    return [row["id"] for row in select(ROWS, **options)]


def test_order_is_pinned() -> None:
    """What seed 0 gives must never change: experiments rest on it."""
    assert ids() == ["order/1", "sums/2", "order/3", "sums/1", "order/2", "sums/3"]


def test_order_depends_on_the_seed_and_on_nothing_else() -> None:
    assert ids(seed=1) != ids(seed=0)
    assert sorted(ids(seed=1)) == sorted(ids(seed=0))
    assert [row["id"] for row in select(reversed(ROWS))] == ids()
    fewer = [row for row in ROWS if row["id"] != "order/3"]
    assert [row["id"] for row in select(fewer)] == [one for one in ids() if one != "order/3"]


def test_limit_takes_the_first() -> None:
    assert ids(limit=2) == ids()[:2]
    assert ids(limit=100) == ids()


def test_filters_combine() -> None:
    assert sorted(ids(split="all", tiers=[1, 3], families=["copy", "sums"])) == [
        "copy/1",
        "copy/3",
        "sums/1",
        "sums/3",
    ]
    assert ids(split="test", ids=["copy/2"]) == ["copy/2"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"split": "validation"}, "unknown split 'validation'; there are train, dev, test, all"),
        ({"tiers": [9]}, "unknown tier 9; the pack has 1, 2, 3"),
        ({"families": ["sum"]}, "unknown family 'sum'; the pack has copy, order, sums"),
        ({"ids": ["sums/9"]}, "unknown id 'sums/9'"),
        ({"limit": 0}, "limit must be at least 1"),
        ({"ids": ["copy/1"]}, "no task is left.*'all' takes every split"),
        ({"split": "dev"}, "no task is left"),
    ],
)
def test_mistakes_are_named(options: dict[str, Any], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        ids(**options)
