"""The oracle's driver: what it must catch, what it says, and whose fault a failure is."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from judgebox.acsl.prove import ProofCase
from judgebox.acsl.task import ProofTask, load_folder
from judgebox.engines.docker import DockerEngine
from judgebox.errors import JudgeError, UsageError
from judgebox.judge import Judge
from judgebox.rubric import reward
from judgebox.verdict import OracleResult, Status, Verdict

JudgeReply = Callable[..., Awaitable[Verdict]]

PACK = Path(__file__).parents[2] / "data/core-v1"

HEAD_ORACLE = """#ifdef ORACLE
enum { EDGES = 2 };
static void input(int k)
{
  int a[8], n = k < EDGES ? k : (int)draw(0, 8);
  for (int i = 0; i < n; i++) a[i] = (int)draw(1, 9);
  put("n", n);
  put_array("a", a, n);
}
static void check(void)
{
  size_t n, m, l;
  int *a = in_array(int, "a", &n), *after = out_array(int, "a", &m);
  expect(out_array(int, "out", &l)[0] == (n ? a[0] : 0) && l == 1, "*out == head");
  expect(out("result") == (long long)n, "\\\\result == n");
  expect(m == n && (n == 0 || memcmp(a, after, n * sizeof *a) == 0), "assigns *out");
}
#endif
static void call(void)
{
  size_t n;
  int *a = in_array(int, "a", &n), into = 7;
  put("result", head(a, (int)n, &into));
  put_array("out", &into, 1);
  put_array("a", a, n);
}
"""
HEAD = ProofTask(
    "head",
    """/*@ requires 0 <= n <= 8;
    requires \\valid(a + (0 .. n - 1)) && \\valid(out) && \\separated(out, a + (0 .. n - 1));
    assigns *out;
    ensures *out == (n == 0 ? 0 : \\old(a[0]));
    ensures \\result == n;
*/
int head(int *a, int n, int *out)
{
  /* TODO */
}
""",
    oracle=HEAD_ORACLE,
)
RIGHT = "*out = n == 0 ? 0 : a[0];\n"

COUNT = ProofTask(
    "count",
    """/*@ requires 0 <= n <= 1000000;
    decreases n;
    assigns \\nothing;
    ensures \\result == n;
*/
int count(int n)
{
  /* TODO */
}
""",
    oracle="""#ifdef ORACLE
enum { EDGES = 2 };
static void input(int k) { put("n", k == 0 ? 0 : k == 1 ? 1000000 : draw(0, 50)); }
static void check(void) { expect(out("result") == in("n"), "ensures \\\\result == n"); }
#endif
static void call(void) { put("result", count((int)in("n"))); }
""",
)

BYTES = ProofTask(
    "size",
    """/*@ requires 0 <= n <= 8;
    requires \\valid_read(s + (0 .. n - 1));
    assigns \\nothing;
    ensures \\result == n;
*/
int size(const unsigned char *s, int n)
{
  /* TODO */
}
""",
    oracle="""#ifdef ORACLE
enum { EDGES = 1 };
static void input(int k)
{
  unsigned char s[8] = {1, 2, 3, 4, 5, 6, 7, 8};
  put_array("s", s, k == 0 ? 0 : draw(1, 8));
}
static void check(void)
{
  size_t n;
  in_array(unsigned char, "s", &n);
  expect(out("result") == (long long)n, "ensures \\\\result == n");
}
#endif
static void call(void)
{
  size_t n;
  unsigned char *s = in_array(unsigned char, "s", &n);
  put("result", size(s, (int)n));
}
""",
)

FAULTS = {
    "divides by zero": ("int z = n; *out = 1 / (z - z); return n;", 0, "division by zero"),
    "writes to null": ("int *p = 0; *p = 3; return n;", 0, "null pointer"),
    "shifts too far": (RIGHT + "int s = 1 << (n + 31); return n + s - s;", 0, "shift"),
    "overflows": (RIGHT + "int m = 2147483647; m = m + n; return n;", None, "signed integer overf"),
    "reads an empty array": (
        "int first = a[0]; *out = n == 0 ? 0 : first; return n;",
        None,
        "heap-buffer-overflow",
    ),
    "reads one past the end": (RIGHT + "int last = a[n]; return n;", 0, "heap-buffer-overflow"),
    "reads one before": (RIGHT + "int last = a[-1]; return n;", None, "heap-buffer-overflow"),
    "writes past an output": (RIGHT + "out[1] = 3; return n;", 0, "stack-buffer-overflow"),
    "writes before an output": (RIGHT + "out[-1] = 3; return n;", 0, "stack-buffer-"),
    "never returns": ("while (1) {} return n;", 0, "does not return"),
    "is stuck on some inputs": (RIGHT + "while (n > 5) {} return n;", None, "does not return"),
    "reads a variable without a value": (
        RIGHT + "int r; if (n > 3) r = 0; return n + r;",
        None,
        "result = -1684",
    ),
    "ends without a return": (RIGHT + "if (n < 3) return n;", None, "run-time error"),
    "writes to its input": (RIGHT + "if (n > 2) a[1] = 10; return n;", None, "a = {"),
    "leaves its output": ("return n;", None, "out = {7}"),
}


@pytest.mark.parametrize(("body", "passed", "shown"), FAULTS.values(), ids=FAULTS)
async def test_a_faulty_run_is_refuted(
    judge_reply: JudgeReply, body: str, passed: int | None, shown: str
) -> None:
    verdict = await judge_reply(HEAD, f"```c\n{body}\n```")
    assert verdict.status is Status.REFUTED, verdict
    assert verdict.gate
    assert reward(verdict) <= 0.225
    oracle = verdict.oracle
    assert oracle is not None
    assert oracle.counterexample is not None
    assert oracle.total == 202
    if passed is None:  # wrong on some inputs only
        assert 0 < oracle.passed < oracle.total
    else:
        assert oracle.passed == passed
    assert shown in oracle.counterexample.output
    assert oracle.counterexample.input.startswith("n = ")
    assert verdict.message.isprintable()


@pytest.mark.parametrize(
    ("body", "passed"),
    [
        ("int room[64]; room[0] = n; return n == 0 ? 0 : 1 + count(n - 1) + room[0] - n;", 201),
        ("return n < 0 ? 0 : count(n) + 1;", 0),
    ],
    ids=["on the largest input", "on every input"],
)
async def test_an_exhausted_stack_is_a_failed_input(
    judge_reply: JudgeReply, body: str, passed: int
) -> None:
    verdict = await judge_reply(COUNT, f"```c\n{body}\n```")
    assert verdict.oracle is not None
    assert verdict.oracle.counterexample is not None
    assert verdict.oracle.passed == passed
    assert verdict.oracle.counterexample.output == "run-time error: stack-overflow"


@pytest.mark.parametrize(("body", "passed"), [("int b = s[0];", 200), ("int b = s[n];", 0)])
async def test_one_byte_too_many_is_seen(judge_reply: JudgeReply, body: str, passed: int) -> None:
    verdict = await judge_reply(BYTES, f"```c\n{body} return n;\n```")
    assert verdict.oracle is not None
    assert verdict.oracle.counterexample is not None
    assert verdict.oracle.counterexample.input == "s = {}"
    assert verdict.oracle.counterexample.output == "run-time error: heap-buffer-overflow"
    assert (verdict.oracle.passed, verdict.oracle.total) == (passed, 201)


async def test_the_counterexample_is_the_first_failing_input(judge_reply: JudgeReply) -> None:
    verdict = await judge_reply(HEAD, f"```c\n{RIGHT}return n == 1 ? 5 : n;\n```")
    assert verdict.oracle is not None
    assert verdict.oracle.counterexample is not None
    found = verdict.oracle.counterexample
    (value,) = found.input.removeprefix("n = 1, a = {").removesuffix("}").split(",")
    assert found.output == f"result = 5, out = {{{value}}}, a = {{{value}}}"
    assert found.clause == "\\result == n"
    assert verdict.message == f"on {found.input}: {found.output}, breaks {found.clause}"


@pytest.mark.parametrize(
    "body",
    [
        "return n;",
        RIGHT + "int r; if (n > 3) r = 0; return n + r;",
        "int first = a[0]; *out = n == 0 ? 0 : first; return n;",
        "int many[4]; *out = many[n & 3]; return n;",
        RIGHT + "if (n < 3) return n;",
    ],
)
async def test_the_same_submission_meets_the_same_inputs(
    judge_reply: JudgeReply, body: str
) -> None:
    first, again = [await judge_reply(HEAD, f"```c\n{body}\n```") for _ in range(2)]
    assert first.oracle == again.oracle
    assert first.digest == again.digest


async def test_another_submission_meets_other_inputs(judge_reply: JudgeReply) -> None:
    wrong = [f"```c\n{RIGHT}return n + {k};\n```" for k in (1, 2, 3)]
    inputs = {
        verdict.oracle.stub_passed
        for verdict in [await judge_reply(HEAD, reply) for reply in wrong]
        if verdict.oracle
    }
    assert len(inputs) > 1


BROKEN = {
    "does not compile": ('in("n"), "ens', 'in(nothing), "ens'),
    "has no edges": ("enum { EDGES = 2 };", ""),
    "has no call": ("static void call(void) {", "static void other(void) {"),
}
FAILING = {
    "check exits": ("{ expect", "{ exit(3); expect"),
    "check exits with 0": ("{ expect", "{ exit(0); expect"),
    "check aborts": ("{ expect", "{ abort(); expect"),
    "input exits with 0": ('{ put("n"', '{ exit(0); put("n"'),
    "call exits with 0": ('{ put("result"', '{ exit(0); put("result"'),
    "call crashes": ('{ put("result"', '{ *(volatile int *)0 = 1; put("result"'),
    "prints on its own": ("{ expect", '{ judge_write(1, "{}", 2); expect'),
    "record too large": ('{ put("n"', '{ for (;;) put("n"'),
}


def changed(old: str, new: str) -> ProofTask:
    assert COUNT.oracle is not None
    assert COUNT.oracle.count(old) == 1
    return ProofTask("count", COUNT.source, oracle=COUNT.oracle.replace(old, new))


@pytest.mark.parametrize(("old", "new"), BROKEN.values(), ids=BROKEN)
async def test_an_oracle_that_does_not_compile(judge_reply: JudgeReply, old: str, new: str) -> None:
    with pytest.raises(UsageError, match=r"(?s)^count: its oracle\.c does not compile: .*oracle"):
        await judge_reply(changed(old, new), "```c\nreturn n;\n```")


@pytest.mark.parametrize(("old", "new"), FAILING.values(), ids=FAILING)
async def test_an_oracle_that_fails_is_not_the_replys_fault(
    judge_reply: JudgeReply, old: str, new: str
) -> None:
    with pytest.raises(JudgeError, match="the oracle"):
        await judge_reply(changed(old, new), "```c\nreturn n;\n```")


@pytest.mark.slow
@pytest.mark.parametrize("task", ["search/first-index", "saturating/add-saturating"])
async def test_references_pass_a_thousand_inputs(
    engine: DockerEngine, image: str, task: str
) -> None:
    pack_task = load_folder(PACK / task)
    for reference in pack_task.references:
        case = ProofCase(pack_task.task, reference, image=image, inputs_drawn=1000)
        verdict = await Judge(engine).judge(case)
        assert verdict.status is Status.PROVED, verdict
        assert isinstance(verdict.oracle, OracleResult)
        assert verdict.oracle.total > 1000
        assert verdict.oracle.passed == verdict.oracle.total
