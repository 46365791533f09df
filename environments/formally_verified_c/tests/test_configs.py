"""The configurations that ship resolve to what they say."""

from __future__ import annotations

import tomllib
from pathlib import Path

import verifiers.v1 as vf

CONFIGS = Path(__file__).resolve().parents[1] / "configs"


def test_eval_toml() -> None:
    settings = tomllib.loads((CONFIGS / "eval.toml").read_text())
    env = vf.load_environment(vf.resolve_env_config(settings["env"]))
    tasks = list(env.taskset)
    assert tasks
    assert {task.data.split for task in tasks} == {"test"}
    assert env.config.agent.harness.id == "null"
    assert env.config.agent.runtime.type == "subprocess"
