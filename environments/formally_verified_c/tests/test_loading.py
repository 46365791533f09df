"""The package as the framework's loaders see it, and tasks rebuilt from their data alone."""

from __future__ import annotations

import hashlib
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import formally_verified_c
import pytest
import verifiers.v1 as vf
from formally_verified_c import FormallyVerifiedC, FormallyVerifiedCEnv

from judgebox.acsl.pack import manifest_path, read_pack, to_jsonl
from judgebox.environment.proof import ProofData, ProofRewardTask
from judgebox.errors import UsageError

TASKSET_ID = "formally-verified-c"
DATA = Path(formally_verified_c.__file__).parent / "data" / "core-v1.jsonl"


def test_loaders_find_taskset_and_env() -> None:
    config = vf.resolve_env_config({"taskset": {"id": TASKSET_ID}})
    env = vf.load_environment(config)
    assert type(env) is FormallyVerifiedCEnv
    assert type(env.taskset) is FormallyVerifiedC
    assert vf.task_type(TASKSET_ID) is ProofRewardTask
    assert isinstance(env, vf.SingleAgentEnv)  # what offline re-scoring asks for
    assert env.config.agent.harness.id == "null"
    assert env.config.agent.runtime.type == "subprocess"
    assert env.config.agent.max_turns == 1


def test_pins_are_defaults_only() -> None:
    config = vf.resolve_env_config(
        {"taskset": {"id": TASKSET_ID}, "agent": {"runtime": {"type": "docker"}}}
    )
    assert config.agent.runtime.type == "docker"
    assert config.agent.harness.id == "null"


def test_exactly_one_of_each_is_exported() -> None:
    exported = [getattr(formally_verified_c, name) for name in formally_verified_c.__all__]
    classes = [one for one in exported if isinstance(one, type)]
    assert [c for c in classes if issubclass(c, vf.Taskset)] == [FormallyVerifiedC]
    assert [c for c in classes if issubclass(c, vf.Env)] == [FormallyVerifiedCEnv]


def test_import_loads_neither_datasets_nor_docker() -> None:
    code = (
        "import sys, verifiers.v1; before = set(sys.modules); import formally_verified_c; "
        "print(sorted({'datasets', 'docker', 'pandas', 'pyarrow'} & set(sys.modules) - before))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_packaged_data_is_what_its_manifest_says() -> None:
    pack = read_pack(DATA)
    manifest = json.loads(manifest_path(DATA).read_text())
    assert to_jsonl(pack) == DATA.read_bytes()
    assert manifest["rows"] == pack.digests
    assert manifest["tasks"] == len(pack) >= 12
    for task in pack:
        assert len(task.references) >= 1, task.id
        assert len(task.wrong) >= 2, task.id
        assert task.task.oracle, task.id


def test_train_is_the_default_split(tasks: Any) -> None:
    pack = read_pack(DATA)
    loaded = tasks()
    assert {task.data.id for task in loaded} == {t.id for t in pack if t.split == "train"}
    assert [task.data.idx for task in loaded] == list(range(len(loaded)))
    assert len(tasks(split="all")) == len(pack)
    assert {t.key for t in tasks(split="all")} == {t.id for t in pack}


def test_task_is_rebuilt_from_data_and_config(tasks: Any) -> None:
    task = tasks(ids=["search/first-index"])[0]
    wire = json.loads(task.data.model_dump_json())
    config = type(task.config).model_validate(task.config.model_dump())
    rebuilt = ProofRewardTask(ProofData.model_validate(wire), config)
    assert rebuilt.key == "search/first-index"
    assert rebuilt.packed.references
    assert rebuilt.packed.task.oracle


def test_another_version_of_a_task_is_refused(tasks: Any) -> None:
    task = tasks(ids=["search/first-index"])[0].data
    other = ProofRewardTask(task.model_copy(update={"digest": "0" * 64}))
    with pytest.raises(UsageError, match="same version"):
        other.packed  # noqa: B018
    missing = ProofRewardTask(task.model_copy(update={"id": "search/none"}))
    with pytest.raises(UsageError, match="has no task 'search/none'"):
        missing.packed  # noqa: B018


def test_own_pack_in_place_of_the_shipped_one(tasks: Any, tmp_path: Path) -> None:
    first, *_ = read_pack(DATA)
    own = tmp_path / "own.jsonl"
    own.write_bytes(to_jsonl([first]))
    with pytest.raises(UsageError, match="judgebox pack"):
        tasks(split="all", task={"pack": str(own)})  # no manifest
    digest = hashlib.sha256(own.read_bytes()).hexdigest()
    manifest_path(own).write_text(json.dumps({"sha256": digest}))
    (task,) = tasks(split="all", task={"pack": str(own)})
    assert task.data.id == task.packed.id == first.id


def test_changed_pack_is_refused(tmp_path: Path) -> None:
    copy = tmp_path / DATA.name
    copy.write_bytes(DATA.read_bytes().replace(b"refuted", b"unproved", 1))
    manifest_path(copy).write_bytes(manifest_path(DATA).read_bytes())
    with pytest.raises(UsageError, match="not what its manifest describes"):
        read_pack(copy)
