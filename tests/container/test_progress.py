"""Progress must not point the wrong way: a linear search's rewards, in the order they must have."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from judgebox.acsl.task import ProofTask, load_folder
from judgebox.rubric import reward
from judgebox.verdict import Reason, Status, Verdict

JudgeReply = Callable[[ProofTask, str], Awaitable[Verdict]]

SEARCH = load_folder(Path(__file__).parents[2] / "data/core-v1/search/first-index")
FORALL = "      loop invariant \\forall integer k; 0 <= k < i ==> a[k] != value;\n"
REFERENCE = SEARCH.references[0]
LAST = """int found = -1;
/*@ loop invariant 0 <= i <= n;
    loop invariant -1 <= found < i;
    loop invariant found == -1 ==> \\forall integer k; 0 <= k < i ==> a[k] != value;
    loop invariant found != -1 ==> a[found] == value;
    loop invariant found != -1 ==> \\forall integer k; found < k < i ==> a[k] != value;
    loop assigns i, found;
    loop variant n - i; */
for (int i = 0; i < n; i++) { if (a[i] == value) found = i; }
return found;
"""
TRIVIAL = {
    "a constant": "return -1;",
    "never returns": "while (1) {}",
    "never returns, with annotations": (
        "/*@ loop invariant \\true; loop assigns \\nothing; loop variant 1; */ while (1) {}"
    ),
    "thirty trivial assertions": "//@ assert 1 == 1;\n" * 30 + "return -1;",
    "padding": "int x = 0;\n" + "x = x + 0;\n" * 10 + "return -1;",
    "an idle loop": (
        "int s = 0;\n/*@ loop invariant 0 <= i <= n; loop assigns i, s; loop variant n - i; */\n"
        "for (int i = 0; i < n; i++) s = a[i] > 0;\nreturn -1;"
    ),
    "invariants of the answer around a constant": REFERENCE.replace("return i;", "return -2;"),
}


@pytest.mark.parametrize("body", TRIVIAL.values(), ids=TRIVIAL)
async def test_trivial_and_padded_bodies_earn_the_gate_alone(
    judge_reply: JudgeReply, body: str
) -> None:
    verdict = await judge_reply(SEARCH.task, f"```c\n{body}\n```")
    assert verdict.status is Status.REFUTED, verdict
    assert reward(verdict) == 0.10


async def test_self_recursion_earns_nothing(judge_reply: JudgeReply) -> None:
    verdict = await judge_reply(SEARCH.task, "```c\nreturn first_index(a, n, value);\n```")
    assert verdict.reasons == (Reason.RECURSION,)
    assert reward(verdict) == 0.0


async def test_last_instead_of_first(judge_reply: JudgeReply) -> None:
    bare = "int r = -1; for (int i = 0; i < n; i++) { if (a[i] == value) r = i; } return r;"
    for body in (LAST, bare):
        verdict = await judge_reply(SEARCH.task, f"```c\n{body}\n```")
        assert verdict.status is Status.REFUTED
        assert 0.10 < reward(verdict) <= 0.225


async def test_progress_rises_to_the_proof(judge_reply: JudgeReply) -> None:
    assert FORALL in REFERENCE
    bare = "for (int i = 0; i < n; i++) { if (a[i] == value) return i; } return -1;"
    bodies = ["return -1;", LAST, bare, REFERENCE.replace(FORALL, ""), REFERENCE]
    judged = [judge_reply(SEARCH.task, f"```c\n{body}\n```") for body in bodies]
    verdicts = await asyncio.gather(*judged)
    earned = [reward(verdict) for verdict in verdicts]
    assert [verdict.status for verdict in verdicts] == [
        *(Status.REFUTED, Status.REFUTED),
        *(Status.UNPROVED, Status.UNPROVED),
        Status.PROVED,
    ]
    assert earned == sorted(set(earned))  # strictly
    trivial, last, unannotated, one_short, proved = earned
    assert (trivial, proved) == (0.10, 1.0)
    assert last <= 0.225
    assert 0.35 <= unannotated < one_short < 1.0
