"""Both cgroup versions, from files written as the kernel writes them; the host has only one."""

from __future__ import annotations

import ast
import sys
from importlib import resources
from pathlib import Path

import pytest

from judgebox import runner
from judgebox.runner.counters import Counters

V1 = {
    "cpuacct/cpuacct.usage": "2500000000\n",
    "memory/memory.usage_in_bytes": "9000\n",
    "memory/memory.stat": "cache 7000\nrss 1\nshmem 2\ntotal_cache 7000\ntotal_rss 1000\n"
    "total_shmem 500\n",
    "memory/memory.oom_control": "oom_kill_disable 0\nunder_oom 0\noom_kill 3\n",
    "pids/pids.current": "4\n",
}
V2 = {
    "cgroup.controllers": "cpu memory pids\n",
    "cpu.stat": "usage_usec 2500000\nuser_usec 1\nsystem_usec 2\n",
    "memory.current": "9000\n",
    "memory.stat": "anon 1000\nfile 7000\nkernel 9\nshmem 500\n",
    "memory.events": "low 0\nhigh 0\nmax 9\noom 5\noom_kill 3\noom_group_kill 0\n",
    "pids.current": "4\n",
}


def write(root: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        (root / name).parent.mkdir(exist_ok=True)
        (root / name).write_text(text)


@pytest.mark.parametrize(("version", "files"), [(1, V1), (2, V2)])
def test_both_versions_tell_the_same(tmp_path: Path, version: int, files: dict[str, str]) -> None:
    write(tmp_path, files)
    counters = Counters(str(tmp_path))
    assert counters.version == version
    assert counters.cpu_s() == 2.5
    assert counters.memory() == 9000
    assert counters.resident() == 1500
    assert counters.oom_kills() == 3
    assert counters.tasks() == 4


def test_a_missing_counter_is_an_error(tmp_path: Path) -> None:
    write(tmp_path, {name: text for name, text in V2.items() if name != "pids.current"})
    with pytest.raises(FileNotFoundError):
        Counters(str(tmp_path))


def test_the_runner_is_python_3_9_and_standard_library_only() -> None:
    allowed = sys.stdlib_module_names | {"judgebox.runner"}
    allowed |= {f"judgebox.runner.{name}" for name in runner.MODULES}
    for name in runner.MODULES:
        text = (resources.files(runner) / f"{name}.py").read_text()
        for node in ast.walk(ast.parse(text, feature_version=(3, 9))):
            if isinstance(node, ast.ImportFrom):
                assert node.module in allowed or node.module == "collections.abc"
            elif isinstance(node, ast.Import):
                assert {alias.name for alias in node.names} <= allowed
    ast.parse(runner.BOOT, feature_version=(3, 9))


def test_the_source_is_one_program_with_a_digest() -> None:
    compile(runner.source(), "runner", "exec")
    assert runner.sha256() == runner.sha256()
    assert len(runner.sha256()) == 64
