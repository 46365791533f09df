"""Replies and task files that nobody should write: each gets its verdict or its sentence."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

import pytest

from judgebox.acsl.task import ProofTask
from judgebox.errors import UsageError
from judgebox.rubric import PARTS, parts, reward
from judgebox.verdict import Reason, Status, Verdict

JudgeReply = Callable[[ProofTask, str | bytes], Awaitable[Verdict]]

SOURCE = """/*@ requires -1000 <= x <= 1000;
    assigns \\nothing;
    ensures \\result == x + 1; */
int target(int x)
{
  /* TODO */
}
"""
TASK = ProofTask("plus-one", SOURCE)
RIGHT = "int target(int x) { return x + 1; }\n"


def fenced(code: str, tag: str = "c") -> str:
    return f"```{tag}\n{code}\n```\n"


NO_CODE: dict[str, tuple[str | bytes, Reason]] = {
    "empty": ("", Reason.EMPTY_REPLY),
    "empty bytes": (b"", Reason.EMPTY_REPLY),
    "blank": (" \n\t\n", Reason.EMPTY_REPLY),
    "empty block": (fenced(""), Reason.EMPTY_REPLY),
    "only a comment": (fenced("/* nothing */"), Reason.EMPTY_REPLY),
    "prose": ("The answer is x plus one, I think.", Reason.NO_CODE_BLOCK),
    "prose with a C word": ("return to sender", Reason.NO_CODE_BLOCK),
    "another language": (fenced("def target(x): ...", "python"), Reason.NO_CODE_BLOCK),
    "1 MB of one letter": ("x" * (1 << 20), Reason.REPLY_TOO_LARGE),
    "1 MB of code": (fenced("x = x + 0;\n" * 100_000), Reason.REPLY_TOO_LARGE),
    "NUL": (fenced("return x + 1;\0"), Reason.BAD_CHARACTER),
    "NUL byte": (fenced("return x + 1;\0").encode(), Reason.BAD_CHARACTER),
    "invalid UTF-8": (fenced("return x + 1; // \xff").encode("latin-1"), Reason.BAD_CHARACTER),
    "UTF-8 cut short": (fenced("return x + 1;").encode() + b"\xe2\x82", Reason.BAD_CHARACTER),
    "lone surrogate": (fenced("return x + 1; // \ud800"), Reason.BAD_CHARACTER),
    "lone surrogate as bytes": (b"return x + 1; // \xed\xa0\x80", Reason.BAD_CHARACTER),
}
REJECTED = {
    "two functions": (RIGHT + "int second(int x) { return x; }", Reason.CONTEXT_CHANGED),
    "the target twice": (RIGHT + RIGHT, Reason.TARGET_REPEATED),
    "another function": (RIGHT.replace("target", "other"), Reason.TARGET_MISSING),
    "renamed with its contract": (
        SOURCE.replace("target", "goal").replace("/* TODO */", "return x + 1;"),
        Reason.TARGET_MISSING,
    ),
    "Python under the tag c": ("def target(x):\n    return x + 1", Reason.FORBIDDEN_CONSTRUCT),
    "Rust under the tag c": ("fn target(x: i32) -> i32 { x + 1 }", Reason.FORBIDDEN_CONSTRUCT),
    "only a declaration": ("int target(int x);", Reason.FORBIDDEN_CONSTRUCT),
    "far too long": ("x = x + 0;\n" * 20_000, Reason.BODY_TOO_LARGE),
}
INVALID = {
    "unclosed comment": ("return x + 1; /* never", Reason.UNTERMINATED),
    "unclosed annotation": ("/*@ assert x == x; return x + 1;", Reason.UNTERMINATED),
    "unclosed string": ('char *s = "abc; return x + 1;', Reason.UNTERMINATED),
    "unclosed character": ("int c = 'a; return x + 1;", Reason.UNTERMINATED),
    "unclosed brace": ("if (x) { return x + 1;", Reason.UNTERMINATED),
    "cut off function": (RIGHT.replace("}", ""), Reason.UNTERMINATED),
    "one brace too many": ("return x + 1; }", Reason.UNTERMINATED),
    "no expression": ("return x + ;", Reason.COMPILE_ERROR),
    "pointer from integer": ("int *p = x; return x + 1;", Reason.COMPILE_ERROR),
    "annotation of an unknown name": ("//@ assert y == 1;\nreturn x + 1;", Reason.ANNOTATION_ERROR),
    "annotation out of grammar": ("//@ assert == 1;\nreturn x + 1;", Reason.ANNOTATION_ERROR),
}


def assert_worthless(verdict: Verdict, status: Status, reason: Reason) -> None:
    assert (verdict.status, verdict.reasons) == (status, (reason,)), verdict
    assert parts(verdict) == dict.fromkeys(PARTS, 0.0)
    assert verdict.message.isprintable()  # so it is one line, too
    assert 10 < len(verdict.message) < 300
    assert Verdict.from_json(verdict.to_json()) == verdict


@pytest.mark.parametrize(("reply", "reason"), NO_CODE.values(), ids=NO_CODE)
async def test_reply_without_code(
    judge_reply: JudgeReply, reply: str | bytes, reason: Reason
) -> None:
    assert_worthless(await judge_reply(TASK, reply), Status.NO_CODE, reason)


@pytest.mark.parametrize(("code", "reason"), REJECTED.values(), ids=REJECTED)
async def test_reply_that_is_not_the_target(
    judge_reply: JudgeReply, code: str, reason: Reason
) -> None:
    assert_worthless(await judge_reply(TASK, fenced(code)), Status.REJECTED, reason)


@pytest.mark.parametrize(("code", "reason"), INVALID.values(), ids=INVALID)
async def test_reply_that_is_no_c(judge_reply: JudgeReply, code: str, reason: Reason) -> None:
    assert_worthless(await judge_reply(TASK, fenced(code)), Status.INVALID, reason)


@pytest.mark.parametrize("body", ["{}", "if (x > 3) return x + 1;"])
async def test_an_end_without_a_return_earns_the_gate_alone(
    judge_reply: JudgeReply, body: str
) -> None:
    verdict = await judge_reply(TASK, fenced(body))
    assert verdict.status is Status.UNPROVED
    assert reward(verdict) <= 0.10


@pytest.mark.parametrize("reply", [f"```c\n{RIGHT}", f"Here it is:\n\n~~~~c\n{RIGHT}"])
async def test_an_unclosed_fence_is_judged(judge_reply: JudgeReply, reply: str) -> None:
    verdict = await judge_reply(TASK, reply)
    assert (verdict.status, verdict.form) == (Status.PROVED, "function")


LATER = SOURCE + "int later(int y)\n{\n  return BODY;\n}\n"
BY_US = {
    "empty": ("", 1, "TODO"),
    "no function": ("int a;\nint b;\n", 2, "TODO"),
    "only a prototype": ("/*@ ensures \\true; */\nint target(int x);\n", 2, "TODO"),
    "no TODO": (SOURCE.replace("/* TODO */", "return x;"), 7, "TODO"),
    "two TODOs": (SOURCE + SOURCE.replace("target", "again"), 11, "`again`"),
    "no contract": ("\n" + SOURCE[SOURCE.index("int target") :], 2, "contract"),
    "an annotation, no contract": (
        "//@ logic integer f(integer x) = x;\nint target(int x) { /* TODO */ }\n",
        2,
        "contract",
    ),
    "unclosed comment": (SOURCE + "/* never\n", 8, "comment"),
    "unclosed string": (SOURCE + 'char *s = "abc;\n', 8, "string"),
    "unclosed brace": (SOURCE + "int f(void) {\n", 8, "brace|bracket"),
    "one brace too many": (SOURCE + "}\n", 8, "bracket"),
    "NUL": (SOURCE + "\n\0", 9, "NUL"),
    "lone surrogate": (SOURCE.replace("TODO", "TODO \ud800"), 6, "surrogate"),
}
BY_A_TOOL = {
    "unbound name in the contract": (SOURCE.replace("x + 1", "y + 1"), 3, "unbound"),
    "assignment in the contract": (SOURCE.replace("== x + 1", "= x + 1"), 3, "Assignment"),
    "clauses in a wrong order": (
        SOURCE.replace("assigns", "ensures \\true;\n  requires \\true; assigns"),
        3,
        "wrong order",
    ),
    "unbound name after the target": (
        LATER.replace("int later", "//@ ensures z == 1;\nint later").replace("BODY", "y"),
        8,
        "unbound",
    ),
    "unknown type": (SOURCE.replace("(int x)", "(inr x)"), 4, "inr"),
    "unknown name after the target": (LATER.replace("BODY", "z"), 10, "undeclared"),
    "missing header": ('#include "nowhere.h"\n' + SOURCE, 1, "No such file"),
    "only gcc refuses": (SOURCE + "int f(void)\n{\n  int *p = 5; return 0;\n}\n", 10, "pointer"),
}


@pytest.mark.parametrize(("source", "line", "word"), BY_US.values(), ids=BY_US)
async def test_task_file_that_states_no_problem(
    judge_reply: JudgeReply, source: str, line: int, word: str
) -> None:
    with pytest.raises(UsageError, match=rf"^line {line}: .*({word})") as raised:
        await judge_reply(ProofTask("bad", source), RIGHT)
    assert str(raised.value).isprintable()


@pytest.mark.parametrize(("source", "line", "word"), BY_A_TOOL.values(), ids=BY_A_TOOL)
async def test_task_file_that_a_tool_refuses(
    judge_reply: JudgeReply, source: str, line: int, word: str
) -> None:
    with pytest.raises(UsageError, match=rf"^[\w -]+ not accept [^:]+: line {line}: .*{word}") as e:
        await judge_reply(ProofTask("bad", source), "return 0;")
    assert str(e.value).isprintable()
