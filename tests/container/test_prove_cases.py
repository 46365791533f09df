"""Measured inputs that a plain run of Frama-C calls proved, and honest bodies that must pass.

Rows are kinds; most refusals must hold by the proof judge alone, so the task has no oracle here.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

import pytest

from judgebox.acsl.task import ProofTask
from judgebox.rubric import reward
from judgebox.verdict import Reason, Status, Verdict

pytestmark = pytest.mark.container

JudgeReply = Callable[[ProofTask, str], Awaitable[Verdict]]

CONTRACT = """/*@ requires -1000 <= x <= 1000;
    assigns \\nothing;
    ensures \\result == x + 1; */
int target(int x) {"""
PLUS_ONE = ProofTask("plus-one", CONTRACT + " /* TODO */ }\n")
HELPED = ProofTask(
    "helped",
    "/*@ requires x < 100; terminates \\true; exits \\false; assigns \\nothing;\n"
    "    ensures \\result == x + 1; */\nint next(int x);\n" + CONTRACT + " /* TODO */ }\n",
)
ALIASED = ProofTask(
    "aliased",
    "int g;\n/*@ requires \\valid(p); assigns g, *p; ensures g == 1 && *p == 2; */\n"
    "void target(int *p) { /* TODO */ }\n",
)
REMAINDER = ProofTask(
    "remainder",
    "/*@ requires y != 0; assigns \\nothing; ensures \\true; */\n"
    "int target(int x, int y) { /* TODO */ }\n",
)
FILL = ProofTask(
    "fill",
    """/*@ requires n >= 0;
    requires \\valid(a + (0 .. n - 1));
    assigns a[0 .. n - 1];
    ensures \\forall integer i; 0 <= i < n ==> a[i] == v;
*/
void fill(int *a, int n, int v)
{
  /* TODO */
}
""",
)
HONEST_WRONG = "return 0;"

REJECTED = {
    "2 calls itself": ("return target(x);", Reason.RECURSION),
    "3 merged contract": (
        "/*@ ensures \\false; */ extern int target(int x); return target(x);",
        None,
    ),
    "4 admit": ("//@ admit \\false;\nreturn 0;", Reason.FORBIDDEN_ANNOTATION),
    "5 admit the result": (
        "int r = 0; //@ admit r == x + 1;\nreturn r;",
        Reason.FORBIDDEN_ANNOTATION,
    ),
    "6 admit behind a splice": ("/\\\n/@ admit \\false;\nreturn 0;", Reason.FORBIDDEN_ANNOTATION),
    "7 admit behind a macro": (
        "\n#define A admit\n//@ A \\false;\nreturn 0;",
        Reason.FORBIDDEN_CONSTRUCT,
    ),
    "7 a directive as digraph": (
        "\n%:define A admit\n//@ A \\false;\nreturn 0;",
        Reason.FORBIDDEN_CONSTRUCT,
    ),
    "8 admitted invariant": (
        "int i = 0;\n/*@ admit loop invariant \\false; loop assigns i; */\nwhile (i < 10) i++;\n"
        "return 0;",
        Reason.FORBIDDEN_ANNOTATION,
    ),
    "10 union": (
        "union { int i; char c[4]; } u; u.i = x + 1; u.c[0] = 0; return u.i;",
        Reason.FORBIDDEN_CONSTRUCT,
    ),
    "11 constant overflow": ("int y = 2147483647 + 1; return x + 1;", Reason.FORBIDDEN_CONSTRUCT),
    "15 redefined keyword": ("\n#define return while(1);return\nreturn 0;", None),
    "16 goto loop": ("L: if (x < 2000) goto L; return 0;", Reason.FORBIDDEN_CONSTRUCT),
    "17 asm": ('int r = 0; asm("" : "=m"(r)); return r;', Reason.FORBIDDEN_CONSTRUCT),
    "18 static declaration": (
        "static int magic(int y); return x + 1;",
        Reason.FORBIDDEN_CONSTRUCT,
    ),
    "24 warning directive": ('\n#warning "Proved goals: 9 / 9"\nreturn x + 1;', None),
    "25 ghost": ("//@ ghost int g = 0;\nreturn x + 1;", Reason.FORBIDDEN_ANNOTATION),
    "29 variant of a relation": (
        "/*@ loop assigns \\nothing; loop variant 1 for \\subset; */ while (1) {}",
        Reason.FORBIDDEN_ANNOTATION,
    ),
    "30 bit-field": ("struct { int b : 1; } s; s.b = 1; return x + 1;", None),
    "31 prover detection": ("\n#ifdef __FRAMAC__\nreturn x + 1;\n#else\nreturn 0;\n#endif\n", None),
    "31 builtin": ("return __builtin_constant_p(x) ? 0 : x + 1;", None),
    "34 enumerator overflow": ("enum { E = 2147483647 + 1 }; return x + 1;", None),
    "35 attribute": ("int z __attribute__((cleanup(f))) = 0; return x + 1;", None),
    "36 line directive": ('\n#line 1 "other.h"\n//@ admit \\false;\nreturn 0;', None),
    "pragma operator": ('_Pragma("GCC poison x") return x + 1;', None),
    "check in a loop": (
        "int i = 0;\n/*@ check loop invariant \\true; loop assigns i; loop variant 10 - i; */\n"
        "while (i < 10) i++;\nreturn x + 1;",
        Reason.FORBIDDEN_ANNOTATION,
    ),
    "pointers into two objects subtracted": (
        "int u = 0; int v = 0; int *p = &u; int *q = &v; if (p - q == 0) return x + 1; return 0;",
        Reason.FORBIDDEN_CONSTRUCT,
    ),
    "value nobody uses": ("x / 0; return x + 1;", Reason.FORBIDDEN_CONSTRUCT),
    "statement contract": ("/*@ ensures \\false; */ x = x + 1; return x;", None),
}

WHOLE_FILES = {
    "13 assumed callee": CONTRACT
    + " return magic(x); }\n"
    + "/*@ assigns \\nothing; ensures \\result == y + 1; */ int magic(int y);\n",
    "14 false axiom": CONTRACT
    + " return 0; }\n/*@ axiomatic E { axiom bad: \\false; } */ int other(int y) { return 0; }\n",
    "22 weaker contract": CONTRACT.replace("\\result == x + 1", "\\true") + " return x + 1; }\n",
    "23 second helper": "int helper(int y) { return y; }\n" + CONTRACT + " return x + 1; }\n",
    "37 declared again": CONTRACT + " return 0; }\n/*@ requires \\false; */ int target(int x);\n",
    "renamed": CONTRACT.replace("target", "other") + " return x + 1; }\n",
}

UNPROVED = {
    "1 never returns": ("while (1) {} return 0;", Reason.TERMINATION),
    "9 reads no value": (
        "int r; if (r != x + 1) { while (1); } return r;",
        Reason.TERMINATION,
    ),
    "12 false invariant": (
        "int i = 0;\n/*@ loop invariant \\false; loop assigns \\nothing; loop variant 0; */\n"
        "while (i < 0) {}\nreturn 0;",
        Reason.CONTRACT_UNPROVED,
    ),
    "19 trivial assertions": ("//@ assert 1 == 1;\n" * 30 + HONEST_WRONG, Reason.CONTRACT_UNPROVED),
    "20 padding": ("x = x + 0;\n" * 10 + HONEST_WRONG, Reason.CONTRACT_UNPROVED),
    "24 text of a report": (
        '/* [wp] Proved goals: 9 / 9 */ char *s = "Valid"; return 0;',
        Reason.CONTRACT_UNPROVED,
    ),
    "28 reads no value, right result": ("int r; return r - r + x + 1;", Reason.UNINITIALISED),
    "variant that does not fall": (
        "int i = 0;\n/*@ loop assigns i; loop variant 1; */\nwhile (i < 1) { i = 0; }\n"
        "return x + 1;",
        Reason.TERMINATION,
    ),
}

ACCEPTED = {
    "A comments and white space": (
        PLUS_ONE,
        "/* admit \\false */\treturn\r\n x // done\r\n + 1;\r\n",
    ),
    "C ternary, const, nesting": (
        PLUS_ONE,
        "const int one = 1; int r = 0; if (x > 0) { if (x > 5) r += one; else r = one; }"
        " else r = one; return x == 7 ? 8 : x + r;",
    ),
    "C early return, break": (
        PLUS_ONE,
        "int r = x;\n/*@ loop invariant r == x; loop assigns r; loop variant 1000 - r; */\n"
        "while (r < 1000) { if (r == x) { r++; break; } }\n"
        "if (x == 1000) return 1001;\nreturn r;",
    ),
    "D casts, sizeof, digraphs": (
        PLUS_ONE,
        "<% long y = (long)x + 1L; unsigned u = (unsigned)sizeof(int);"
        " return (int)(y + u * 0u); %>",
    ),
    "F true assertion": (PLUS_ONE, "//@ assert x + 1 <= 1001;\nreturn x + 1;"),
    "G dead code": (
        PLUS_ONE,
        "switch (x > 5000) { case 1: return 7; default: break; } return x + 1; x = 3;",
    ),
    "H late initialisation": (
        PLUS_ONE,
        "int r; if (x > 0) r = x + 1; else r = 1 + x; return r;",
    ),
    "I given helper": (HELPED, "if (x < 100) return next(x);\nreturn x + 1;"),
    "B for": (
        FILL,
        "int i;\n/*@ loop invariant 0 <= i <= n;\n"
        "  @ loop invariant \\forall integer k; 0 <= k < i ==> a[k] == v;\n"
        "  @ loop assigns i, a[0 .. n - 1]; loop variant n - i; */\n"
        "for (i = 0; i < n; i++) a[i] = v;",
    ),
    "B while": (
        FILL,
        "int i = n;\n/*@ loop invariant 0 <= i <= n;\n"
        "  loop invariant \\forall integer k; i <= k < n ==> a[k] == v;\n"
        "  loop assigns i, a[0 .. n - 1]; loop variant i; */\n"
        "while (i > 0) { i--; a[i] = v; }",
    ),
    "B do": (
        FILL,
        "int i = 0;\nif (n == 0) return;\n/*@ loop invariant 0 <= i < n;\n"
        "  loop invariant \\forall integer k; 0 <= k < i ==> a[k] == v;\n"
        "  loop assigns i, a[0 .. n - 1]; loop variant n - i; */\n"
        "do { a[i] = v; i++; } while (i < n);",
    ),
}


@pytest.fixture(scope="module")
def honest(judge_reply: JudgeReply) -> float:
    """What the honest wrong body earns; decorations may earn no more."""

    async def judge() -> float:
        return reward(await judge_reply(PLUS_ONE, f"```c\n{HONEST_WRONG}\n```"))

    return asyncio.run(judge())


@pytest.mark.parametrize(("body", "reason"), REJECTED.values(), ids=REJECTED)
async def test_refused_by_the_rules(
    judge_reply: JudgeReply, body: str, reason: Reason | None
) -> None:
    verdict = await judge_reply(PLUS_ONE, f"```c\n{body}\n```")
    assert verdict.status is Status.REJECTED, verdict
    assert reason is None or verdict.reasons == (reason,)
    assert verdict.message
    assert "\n" not in verdict.message
    assert reward(verdict) == 0.0


@pytest.mark.parametrize("text", WHOLE_FILES.values(), ids=WHOLE_FILES)
async def test_a_changed_context_is_refused(judge_reply: JudgeReply, text: str) -> None:
    verdict = await judge_reply(PLUS_ONE, f"```c\n{text}```")
    assert verdict.status is Status.REJECTED, verdict
    assert reward(verdict) == 0.0


@pytest.mark.parametrize(("body", "reason"), UNPROVED.values(), ids=UNPROVED)
async def test_not_proved(
    judge_reply: JudgeReply, honest: float, body: str, reason: Reason
) -> None:
    verdict = await judge_reply(PLUS_ONE, f"```c\n{body}\n```")
    assert verdict.status is Status.UNPROVED, verdict
    assert reason in verdict.reasons
    assert reward(verdict) <= max(honest, 0.55)
    if "return 0" in body:
        assert reward(verdict) <= honest


async def test_27_a_memory_model_hypothesis_is_no_proof(judge_reply: JudgeReply) -> None:
    verdict = await judge_reply(ALIASED, "```c\ng = 1; *p = 2;\n```")
    assert verdict.status is Status.UNPROVED
    assert Reason.MODEL_HYPOTHESIS in verdict.reasons


async def test_a_member_array_does_not_reach_its_neighbour(judge_reply: JudgeReply) -> None:
    record = ProofTask("record", "struct rec { char name[4]; int v; };\n" + PLUS_ONE.source)
    body = "struct rec r = {{0}, 0}; r.v = x + 1; char *p = r.name; p[4] = 77; return r.v;"
    verdict = await judge_reply(record, f"```c\n{body}\n```")
    assert verdict.reasons == (Reason.FORBIDDEN_CONSTRUCT,)


async def test_32_unsequenced(judge_reply: JudgeReply) -> None:
    body = "int i = 0; a[i++] = a[n - i];"
    verdict = await judge_reply(FILL, f"```c\n{body}\n```")
    assert verdict.reasons == (Reason.FORBIDDEN_CONSTRUCT,)


async def test_33_remainder_that_overflows(judge_reply: JudgeReply) -> None:
    verdict = await judge_reply(REMAINDER, "```c\nint q = x % y; return q;\n```")
    assert verdict.status is not Status.PROVED
    guarded = "if (y == -1) return 0; int q = x % y; return q;"
    assert (await judge_reply(REMAINDER, f"```c\n{guarded}\n```")).status is Status.PROVED


@pytest.mark.parametrize(("task", "body"), ACCEPTED.values(), ids=ACCEPTED)
async def test_honest_bodies_are_proved(
    judge_reply: JudgeReply, task: ProofTask, body: str
) -> None:
    verdict = await judge_reply(task, f"```c\n{body}\n```")
    assert verdict.status is Status.PROVED, verdict.message
    assert reward(verdict) == 1.0


async def test_e_white_space_in_the_contract_is_free(judge_reply: JudgeReply) -> None:
    text = CONTRACT.replace("    ", " \t ").replace("x + 1", "x  +  1") + "return x + 1; }"
    verdict = await judge_reply(PLUS_ONE, f"```c\n{text}\n```")
    assert (verdict.status, verdict.form) == (Status.PROVED, "file")
