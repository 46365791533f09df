"""What the model is told, and what it is not."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import formally_verified_c
import pytest
from formally_verified_c import prompts

from judgebox.acsl.pack import read_pack

PACK = read_pack(Path(formally_verified_c.__file__).parent / "data" / "core-v1.jsonl")


def test_rules_are_short_and_name_what_matters() -> None:
    assert len(prompts.SYSTEM) <= 2400  # about 600 tokens
    for word in ("loop invariant", "loop assigns", "loop variant", "admit", "run-time error"):
        assert word in prompts.SYSTEM


def test_prompt_holds_statement_and_file(tasks: Any) -> None:
    for task in tasks(split="all"):
        packed = PACK[task.data.id]
        assert packed.task.source.rstrip() in task.data.prompt
        assert "/* TODO */" in task.data.prompt
        assert " ".join(packed.statement.split()) in " ".join(task.data.prompt.split())
        assert task.data.system_prompt == prompts.SYSTEM


def test_nothing_secret_is_in_the_data(tasks: Any) -> None:
    for task in tasks(split="all"):
        packed = PACK[task.data.id]
        shown = packed.task.source + packed.statement + prompts.SYSTEM
        dumped = "\n".join(str(value) for value in task.data.model_dump().values())
        secrets = [packed.task.oracle or "", *packed.references]
        secrets += [wrong.code for wrong in packed.wrong]
        lines = {line.strip() for text in secrets for line in text.splitlines()}
        leaked = [x for x in lines if len(x) > 12 and x not in shown and x in dumped]
        assert leaked == [], task.data.id


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"calls": ["abs_int", "min"]}, "The body may call `abs_int`, `min`."),
        ({"calls": []}, "The body may call no function."),
        ({"ghost": True}, "Simple ghost declarations and assignments are allowed."),
        ({"goto": True}, "`goto` is allowed."),
    ],
)
def test_what_one_task_allows_is_said(options: dict[str, Any], sentence: str) -> None:
    row = {"title": "T", "statement": "Do it.", "source": "int f(void)\n{\n  /* TODO */\n}\n"}
    plain = {"calls": None, "ghost": False, "goto": False}
    assert sentence in prompts.prompt(row | plain | options)
    assert sentence not in prompts.prompt(row | plain)


def test_own_instructions(tasks: Any) -> None:
    assert tasks(limit=1, instructions="Be brief.")[0].data.system_prompt == "Be brief."
