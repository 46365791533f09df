"""`load_environment`: a ready env, or one clear error before anything runs."""

from __future__ import annotations

import asyncio
import gc
import warnings
from pathlib import Path
from typing import Any

import pytest
import verifiers.v1 as vf
from formally_verified_c import load_environment

from judgebox.errors import CacheError, EngineError, UsageError


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"dataset": "x", "foo": 1}, "unknown option 'dataset', 'foo'"),
        ({"mode": "spec"}, "a contract that the model writes itself can always be met"),
        ({"mode": "repair"}, "not there yet"),
        ({"mode": "agentic"}, "not there yet"),
        ({"mode": "multi"}, "there is mode='single'"),
        ({"max_turns": 3}, "max_turns must be 1"),
        ({"split": "validation"}, "unknown split 'validation'"),
        ({"tiers": 2}, "tiers must be a list"),
        ({"tiers": ["1"]}, "tiers must be a list of int"),
        ({"tiers": [77]}, "unknown tier 77"),
        ({"families": "search"}, "families must be a list"),
        ({"families": ["serch"]}, "unknown family 'serch'"),
        ({"ids": ["search/nothing"]}, "unknown id 'search/nothing'"),
        ({"limit": 0}, "limit must be"),
        ({"limit": True}, "limit must be"),
        ({"seed": "0"}, "seed must be"),
        ({"reward": "goal"}, "unknown reward profile 'goal'"),
        ({"weights": {"gates": 1}}, "unknown reward part 'gates'"),
        ({"weights": {"gate": -1}}, "weight of gate"),
        ({"engine": "podman"}, "unknown engine 'podman'"),
        ({"slots": 0}, "slots must be"),
        ({"cache": None}, "cache must be"),
        ({"cache": ""}, "cache must be"),
        ({"pack": "/nowhere/pack.jsonl"}, "cannot read the pack"),
        ({"system_prompt": Path("/nowhere/prompt.txt")}, "cannot read the system prompt"),
    ],
)
def test_wrong_options_are_named(options: dict[str, Any], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        load_environment(**options)


def test_engine_that_does_not_answer(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("DOCKER_HOST", f"unix://{tmp_path}/nobody.sock")
    with pytest.raises(EngineError, match="mend:"):
        load_environment(cache=tmp_path / "verdicts.sqlite3")
    with warnings.catch_warnings():  # the SDK forgets the socket that could not connect
        warnings.simplefilter("ignore", ResourceWarning)
        gc.collect()


def test_cache_that_cannot_be_used(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(CacheError, match="mend:"):
        load_environment(cache=tmp_path / "file" / "verdicts.sqlite3")


@pytest.mark.container
def test_ready_env(tmp_path: Path) -> None:
    env = load_environment(
        split="all",
        families=["search"],
        reward="rows",
        weights={"gate": 0.2, "progress": 0},
        slots=2,
        cache=tmp_path / "verdicts.sqlite3",
        system_prompt="Be brief.",
    )
    assert isinstance(env, vf.Env)
    tasks = list(env.taskset)
    assert {task.data.family for task in tasks} == {"search"}
    assert {task.data.system_prompt for task in tasks} == {"Be brief."}
    weights = {fn.__name__: fn._vf_weight for fn in tasks[0].hooks("reward")}
    assert weights == {"gate": 0.2, "progress": 0.0, "full_proof": 0.2, "integrity": 0.2}
    assert tasks[0].config.profile == "rows"
    assert tasks[0].config.settings.slots == 2


@pytest.mark.container
def test_also_inside_an_event_loop(tmp_path: Path) -> None:
    async def load() -> vf.Env:
        return load_environment(limit=1, cache=tmp_path / "verdicts.sqlite3")

    assert isinstance(asyncio.run(load()), vf.Env)


def test_default_weights_are_the_rubric_s(tasks: Any) -> None:
    weights = {fn.__name__: fn._vf_weight for fn in tasks(limit=1)[0].hooks("reward")}
    assert weights == {"gate": 0.10, "progress": 0.50, "full_proof": 0.20, "integrity": 0.20}
