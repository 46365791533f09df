"""verifiers' own evaluation with the null harness, against a model whose replies are known."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from judgebox.acsl.task import PackTask
from judgebox.cli.validate import find_pack

from .conftest import read_jsonl
from .engine_door import EngineDoor
from .scripted_model import ScriptedModel

Run = Callable[..., subprocess.CompletedProcess[str]]
Command = Callable[[str], str]

TASKS = {task.id: task for task in find_pack("formally-verified-c")}


def fenced(code: str) -> str:
    return f"Here is the function.\n\n```c\n{code}\n```\n\nIt keeps the contract.\n"


def whole_file(task: PackTask) -> str:
    """The task's file, with the first reference in place of the TODO function."""
    head = task.task.source[: task.task.source.rindex("*/", 0, task.task.source.index("TODO")) + 2]
    return f"{head}\n{task.references[0]}"


def without_annotations(code: str) -> str:
    return re.sub(r"/\*@.*?\*/|//@[^\n]*", "", code, flags=re.DOTALL)


RIGHT = TASKS["search/first-index"]
REFUTED = TASKS["reverse/reverse-in-place"]
UNPROVED = TASKS["order/is-sorted"]
TAMPERED = TASKS["fill/fill-value"]
PROSE = TASKS["clamping/clamp-range"]

REPLIES: Mapping[str, str] = {
    RIGHT.id: "<think>First a loop.</think>\n" + fenced(whole_file(RIGHT)),
    REFUTED.id: fenced(next(w.code for w in REFUTED.wrong if w.status == "refuted")),
    UNPROVED.id: fenced(without_annotations(UNPROVED.references[0])),
    TAMPERED.id: fenced(
        re.sub(r"ensures[^;]*;", "ensures \\\\true;", whole_file(TAMPERED), count=1)
    ),
    PROSE.id: "I am sorry, but this cannot be done.",
}


def reply(question: str) -> str:
    """The reply to the task whose file the question holds."""
    (found,) = (t for t in TASKS.values() if t.task.source.strip() in question)
    return REPLIES[found.id]


def evaluate(
    run: Run, command: str, folder: Path, model: ScriptedModel, ids: list[str], **environment: str
) -> dict[str, dict[str, Any]]:
    """The episodes of one evaluation, by task."""
    listed = ", ".join(f'"{task_id}"' for task_id in ids)
    (folder / "run.toml").write_text(
        f'[env.taskset]\nid = "formally-verified-c"\nsplit = "all"\nids = [{listed}]\n'
        f'[env.taskset.task]\ncache_file = "{folder / "verdicts.sqlite3"}"\n'
    )
    done = run(
        *(command, "@", "run.toml", "-m", "scripted", "--client.base-url", model.url),
        *("--client.api-key-var", "SCRIPTED_KEY", "--no-push", "--no-rich"),
        *("--run.name", "run", "-o", "out", "-r", "1", "-c", "4"),
        SCRIPTED_KEY="none",
        **environment,
    )
    assert done.returncode == 0, done.stderr[-4000:]
    episodes = read_jsonl(folder / "out/run/traces.jsonl")
    return {episode["task"]["data"]["id"]: episode for episode in episodes}


def reward_of(episode: dict[str, Any]) -> float:
    (trace,) = episode["traces"]
    assert set(trace["rewards"]) == {"gate", "progress", "full_proof", "integrity"}
    return sum(part["score"] * part["weight"] for part in trace["rewards"].values())


def test_rewards(verifiers_command: Command, run: Run, tmp_path: Path) -> None:
    with ScriptedModel(reply) as model:
        episodes = evaluate(run, verifiers_command("eval"), tmp_path, model, list(REPLIES))
    assert set(episodes) == set(REPLIES)
    assert all(episode["ok"] for episode in episodes.values()), episodes
    assert len(model.asked) == len(REPLIES)
    info = {name: e["traces"][0]["info"]["judgebox"] for name, e in episodes.items()}
    metrics = {name: e["traces"][0]["metrics"] for name, e in episodes.items()}
    rewards = {name: reward_of(episode) for name, episode in episodes.items()}

    assert rewards[RIGHT.id] == pytest.approx(1.0)
    assert info[RIGHT.id]["status"] == "proved"
    assert info[RIGHT.id]["form"] == "file"
    assert {status for _, status in info[RIGHT.id]["contract"]} == {"Valid"}
    assert metrics[RIGHT.id]["rows_valid"] == metrics[RIGHT.id]["rows_total"] > 0
    assert metrics[RIGHT.id]["goals_proved"] == metrics[RIGHT.id]["goals_total"] > 0
    assert metrics[RIGHT.id]["oracle_rate"] == 1

    assert info[REFUTED.id]["status"] == "refuted"
    passed, total, stub = info[REFUTED.id]["oracle"]
    share = max(0.0, (passed - stub) / (total - stub))
    assert rewards[REFUTED.id] == pytest.approx(0.10 + 0.50 * 0.25 * share)
    assert 0.10 <= rewards[REFUTED.id] <= 0.225

    assert info[UNPROVED.id]["status"] == "unproved"
    assert 0.35 <= rewards[UNPROVED.id] < 0.55

    assert rewards[TAMPERED.id] == 0
    assert info[TAMPERED.id]["reasons"] == ["CONTRACT_CHANGED"]
    assert metrics[TAMPERED.id]["rejected"] == 1
    assert rewards[PROSE.id] == 0
    assert metrics[PROSE.id]["no_code"] == 1

    for one in info.values():
        assert all(len(digest) == 64 for digest in one["digests"].values())


def test_unreachable_engine_is_an_error_before_the_model_is_asked(
    verifiers_command: Command, run: Run, tmp_path: Path
) -> None:
    dead = f"unix://{tmp_path / 'nobody.sock'}"
    with ScriptedModel(reply) as model:
        episodes = evaluate(
            run, verifiers_command("eval"), tmp_path, model, [RIGHT.id, PROSE.id], DOCKER_HOST=dead
        )
    assert set(episodes) == {RIGHT.id, PROSE.id}
    for episode in episodes.values():
        assert not episode["ok"]
        assert "EngineError" in episode["errors"][0]["message"]
        assert "mend:" in episode["errors"][0]["message"]
        assert episode["traces"] == []
    assert model.asked == []


def test_engine_that_stops_during_a_run_is_an_error_and_no_reward(
    verifiers_command: Command, run: Run, tmp_path: Path
) -> None:
    with EngineDoor(tmp_path / "engine.sock") as door:

        def stop_then_reply(question: str) -> str:
            door.shut()
            return reply(question)

        with ScriptedModel(stop_then_reply) as model:
            episodes = evaluate(
                *(run, verifiers_command("eval"), tmp_path, model, [RIGHT.id]),
                DOCKER_HOST=door.host,
            )
    assert len(model.asked) == 1
    episode = episodes[RIGHT.id]
    assert not episode["ok"]
    (trace,) = episode["traces"]
    assert not trace["ok"]
    assert trace["errors"][0]["type"] == "TaskError"
    assert "EngineError" in trace["errors"][0]["message"]
    assert all(part is None for part in trace["rewards"].values())
    assert "judgebox" not in trace["info"]
