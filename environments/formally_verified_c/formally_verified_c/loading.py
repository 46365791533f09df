"""`load_environment`: a ready env from keyword arguments, checked before it is handed out."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Any

import verifiers.v1 as vf

from formally_verified_c.rubric import reward_settings
from judgebox.environment.judging import require_ready
from judgebox.errors import UsageError

TASKSET_ID = "formally-verified-c"

_REFUSED_MODES = {
    "spec": "specification synthesis is not offered: a contract that the model writes itself can "
    "always be met by making it say nothing, so a proof against it would be no evidence",
    "repair": "repair over several turns is not there yet; mode='single' asks once",
    "agentic": "work with tools is not there yet; mode='single' asks once, without tools",
}


def load_environment(
    split: str = "train",
    tiers: Sequence[int] | None = None,
    families: Sequence[str] | None = None,
    ids: Sequence[str] | None = None,
    limit: int | None = None,
    seed: int = 0,
    mode: str = "single",
    max_turns: int = 1,
    reward: str = "staged",
    weights: Mapping[str, float] | None = None,
    engine: str = "docker",
    slots: int | None = None,
    cache: bool | str | Path = True,
    pack: str | Path | None = None,
    system_prompt: str | Path | None = None,
    **unknown: object,
) -> vf.Env:
    """A ready env: its options make sense, its tasks load, its judge works.

    Args:
        split: `train`, `dev`, `test` or `all`.
        tiers: only these, 1 (easiest) to 5.
        families: only these.
        ids: only these tasks, `family/task`.
        limit: at most so many tasks, the first in the order that `seed` gives.
        seed: order of the tasks, the same on every machine.
        mode: `single`: one reply, judged once.
        max_turns: 1 in mode `single`.
        reward: profile of the part `progress`: `staged`, `rows` or `goals`.
        weights: weights of `gate`, `progress`, `full_proof`, `integrity`, in place of
            0.10, 0.50, 0.20, 0.20.
        engine: `docker`; `DOCKER_HOST` says where it is.
        slots: containers at once over all processes of the host; default two per core.
        cache: False for no verdict cache, True for the user's own, or the path of a database.
        pack: a JSONL file written by `judgebox pack`, in place of the tasks that ship.
        system_prompt: text, or the `Path` of a file, in place of the environment's own.

    Raises:
        UsageError: an option is unknown or has no such value; it says which.
        JudgeError: engine, image or cache do not work; it says how to mend it.
    """
    if unknown:
        raise UsageError(
            f"unknown option {', '.join(map(repr, sorted(unknown)))}; help(load_environment) "
            "lists what there is"
        )
    if mode != "single":
        why = _REFUSED_MODES.get(mode, "there is mode='single'")
        raise UsageError(f"mode {mode!r}: {why}")
    if max_turns != 1:
        raise UsageError("max_turns must be 1: in mode='single' the model replies once")
    if engine != "docker":
        raise UsageError(f"unknown engine {engine!r}; there is 'docker'")
    if slots is not None and not (_whole(slots) and slots >= 1):
        raise UsageError("slots must be a whole number of at least 1")
    if limit is not None and not (_whole(limit) and limit >= 1):
        raise UsageError("limit must be a whole number of at least 1")
    if not _whole(seed):
        raise UsageError("seed must be a whole number")
    if not isinstance(cache, bool | str | Path) or cache == "":
        raise UsageError("cache must be True, False or the path of a database")
    taskset: dict[str, Any] = {
        "id": TASKSET_ID,
        "split": split,
        "tiers": _listed("tiers", tiers, int),
        "families": _listed("families", families, str),
        "ids": _listed("ids", ids, str),
        "limit": limit,
        "seed": seed,
        "instructions": _text(system_prompt),
        "task": {
            **reward_settings(reward, weights),
            "engine": engine,
            "slots": slots,
            "cache": cache is not False,
            "cache_file": None if isinstance(cache, bool) else Path(cache),
            "pack": None if pack is None else Path(pack),
        },
    }
    if split not in ("train", "dev", "test", "all"):
        raise UsageError(f"unknown split {split!r}; there are train, dev, test, all")
    env = vf.load_environment(vf.resolve_env_config({"taskset": taskset}))
    next(iter(env.taskset.load()))  # a selection without tasks, or a bad pack, is refused here
    require_ready(env.taskset.config.task.settings)
    return env


def _whole(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _listed(option: str, values: object, kind: type) -> list[Any] | None:
    if values is None:
        return None
    if isinstance(values, str | bytes | Mapping) or not isinstance(values, Collection):
        raise UsageError(f"{option} must be a list")
    if not all(isinstance(value, kind) and not isinstance(value, bool) for value in values):
        raise UsageError(f"{option} must be a list of {kind.__name__}")
    return list(values)


def _text(system_prompt: str | Path | None) -> str | None:
    if not isinstance(system_prompt, Path):
        return system_prompt
    try:
        return system_prompt.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"cannot read the system prompt {system_prompt}: {error}") from error
