"""verifiers' own model-free validation: gold is proved, doing nothing earns nothing."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path

from judgebox.cli.validate import find_pack

from .conftest import read_jsonl


def test_gold_and_noop_pass_for_every_task(
    verifiers_command: Callable[[str], str],
    run: Callable[..., subprocess.CompletedProcess[str]],
    tmp_path: Path,
) -> None:
    done = run(
        *(verifiers_command("validate"), "formally-verified-c", "--taskset.split", "all"),
        *("--runtime.type", "subprocess", "--no-rich", "--run.name", "all", "-o", "out"),
        *("-c", "4"),
    )
    assert done.returncode == 0, done.stderr[-4000:]
    summary = json.loads((tmp_path / "out/all/summary.json").read_text())
    rows = read_jsonl(tmp_path / "out/all/results.jsonl")
    tasks = {task.id for task in find_pack("formally-verified-c")}
    assert {row["name"] for row in rows} == tasks
    bad = [f"{row['name']}: {row['reason']}: {row['error']}" for row in rows if not row["valid"]]
    assert bad == [], done.stderr[-4000:]
    assert summary["outcomes"]["valid"] == summary["total"] == len(tasks)
    for row in rows:
        if "noop" in row:  # from 0.4 on
            assert row["noop"]["reward"] == 0
            assert set(row["noop"]["rewards"]) == {"gate", "progress", "full_proof", "integrity"}
