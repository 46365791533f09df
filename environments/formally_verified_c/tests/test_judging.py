"""One engine and one cache per process and settings, one judge per event loop."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path
from typing import Any

import pytest

from judgebox.environment.judging import OpenJudge, Settings, open_judge


def opened(*settings: Settings) -> list[OpenJudge]:
    async def ask() -> list[OpenJudge]:
        return await asyncio.gather(*(open_judge(one) for one in settings))

    return asyncio.run(ask())


def test_sharing(tmp_path: Path) -> None:
    kept = Settings("frama-c", cache=tmp_path / "verdicts.sqlite3")
    first, again, other = opened(kept, kept, Settings("frama-c", cache=False))
    assert first is again
    assert other is not first
    assert other.judge.cache is None
    assert first.judge.cache is not None
    (elsewhere,) = opened(kept)
    assert elsewhere.judge is not first.judge  # its locks belong to another event loop
    assert elsewhere.judge.engine is first.judge.engine
    assert elsewhere.judge.cache is first.judge.cache


@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")  # the point of the test
def test_a_forked_worker_opens_its_own(tmp_path: Path) -> None:
    kept = Settings("frama-c", cache=tmp_path / "verdicts.sqlite3")
    (before,) = opened(kept)
    reader, writer = os.pipe()
    if (child := os.fork()) == 0:
        (inside,) = opened(kept)
        own = inside.judge.cache is not before.judge.cache
        os.write(writer, b"own" if own else b"shared")
        os._exit(0)
    os.close(writer)
    with os.fdopen(reader, "rb") as said:
        assert said.read() == b"own"
    os.waitpid(child, 0)


def test_settings_follow_the_configuration(tasks: Any, tmp_path: Path) -> None:
    database = tmp_path / "verdicts.sqlite3"
    for options, cache in (
        ({}, True),
        ({"cache": False}, False),
        ({"cache_file": str(database)}, database),
        ({"cache": False, "cache_file": str(database)}, False),
    ):
        task = tasks(limit=1, task={"slots": 3, **options})[0]
        assert task.config.settings == Settings("frama-c", slots=3, cache=cache)
