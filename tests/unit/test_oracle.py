"""Bytes of a candidate, and of an oracle gone wrong, on their way to what people read."""

from __future__ import annotations

import contextlib
import json
import struct

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from judgebox.acsl.oracle import SHOWN, candidate_steps, read_result, render, stub_switch
from judgebox.errors import JudgeError
from judgebox.job import Report, StepReport
from judgebox.verdict import OracleResult


def scalar(name: bytes, value: int) -> bytes:
    return struct.pack("<BB", 0xC8, len(name)) + name + struct.pack("<Iq", 1, value)


def array(name: bytes, values: list[int], code: str = "i", flags: int = 0x84) -> bytes:
    head = struct.pack("<BB", flags, len(name)) + name
    return head + struct.pack(f"<I{len(values)}{code}", len(values), *values)


def stream(*records: bytes) -> bytes:
    return b"".join(struct.pack("<I", len(record)) + record for record in records)


def inputs(*records: bytes) -> bytes:
    return struct.pack("<I", len(records)) + stream(*records)


def report(drawn: bytes, run: bytes | StepReport, check: object) -> Report:
    said = check if isinstance(check, bytes) else json.dumps(check).encode()
    ran = run if isinstance(run, StepReport) else StepReport("run", "exit", 0, stdout=run)
    return Report(
        (
            StepReport("build", "exit", 0),
            StepReport("input", "exit", 0, stdout=drawn),
            ran,
            StepReport("check", "exit", 0, stdout=said),
        )
    )


DRAWN = inputs(scalar(b"n", 1), scalar(b"n", 2))
FOUND = {"passed": "10", "stubs": ["01", "00"], "first": 1, "ended": "R", "clause": "ensures"}
RAN = b"R" + stream(scalar(b"result", 1)) + b"R" + stream(scalar(b"result", 3))


@pytest.mark.parametrize(
    ("record", "shown"),
    [
        (b"", ""),
        (scalar(b"n", -3), "n = -3"),
        (scalar(b"n", 2) + array(b"a", [1, -2]), "n = 2, a = {1, -2}"),
        (array(b"a", []), "a = {}"),
        (array(b"s", [255, 0], "B", 0x01), "s = {255, 0}"),
        (array(b"a", list(range(30))), f"a = {{{', '.join(map(str, range(24)))}, …}}"),
        (scalar(b"n", 2) + array(b"a", [1, 2])[:-1], "n = 2"),
        (b"\x88\xff", ""),
        (b"\x00\x00" + struct.pack("<I", 7), ""),
        (scalar(b"a\n\x1b[31m\xff", 1), "a??[31m\N{REPLACEMENT CHARACTER} = 1"),
    ],
)
def test_records_as_people_write_them(record: bytes, shown: str) -> None:
    assert render(record) == shown


@given(st.binary(max_size=400))
@example(array(b"", [], flags=0x84) * 10_000)
@example(b"\x01\x00" + struct.pack("<I", 0xFFFFFFFF))
@example(array(b"x" * 255, [-(2**31)] * 24) * 50)
@example(scalar(b"\r\n\x85\xe2\x80\xa8", 1))
def test_any_bytes_render_on_one_bounded_line(record: bytes) -> None:
    text = render(record)
    assert len(text) <= SHOWN
    assert not text or text.isprintable()


def test_a_whole_answer() -> None:
    result = read_result(report(DRAWN, RAN, FOUND))
    assert (result.passed, result.total, result.stub_passed) == (1, 2, 1)
    assert result.counterexample is not None
    assert result.counterexample.input == "n = 2"
    assert result.counterexample.output == "result = 3"
    assert result.counterexample.clause == "ensures"


def test_all_passed() -> None:
    found = FOUND | {"passed": "11", "first": None}
    assert read_result(report(DRAWN, RAN, found)).counterexample is None


@pytest.mark.parametrize(
    ("ended", "run", "shown"),
    [
        ("T", StepReport("run", "exit", 0), "does not return"),
        ("C", StepReport("run", "exit", 0), "ended by a signal"),
        (
            "C",
            StepReport("run", "exit", 0, stderr=b"judged.c:3: runtime error: bad\x1b[0m\r\n"),
            "run-time error: bad?[0m",
        ),
        (
            "C",
            StepReport("run", "exit", 0, stderr=b"==1==ERROR: AddressSanitizer: heap-use on"),
            "run-time error: heap-use",
        ),
        ("N", StepReport("run", "timeout", limit="cpu"), "not run to its end: timeout (cpu)"),
        ("N", StepReport("run", "memory"), "not run to its end: memory"),
        ("R", StepReport("run", "exit", 0, stdout=RAN[:9]), "not readable"),
        ("R", StepReport("run", "exit", 0, stdout=b"R\xff\xff\xff\xff" + RAN), "not readable"),
    ],
)
def test_how_a_run_ended(ended: str, run: StepReport, shown: str) -> None:
    result = read_result(report(DRAWN, run, FOUND | {"ended": ended}))
    assert result.counterexample is not None
    assert shown in result.counterexample.output
    assert result.counterexample.output.isprintable()


@pytest.mark.parametrize(
    "check",
    [
        b"",
        b"\xff",
        b"null",
        b"[]",
        b"[" * 200_000,
        {},
        FOUND | {"passed": "1"},
        FOUND | {"passed": "1x"},
        FOUND | {"passed": 10},
        FOUND | {"stubs": ["1"]},
        FOUND | {"stubs": "10"},
        FOUND | {"stubs": ["2?"]},
        FOUND | {"stubs": None},
        FOUND | {"first": None},
        FOUND | {"first": 0},
        FOUND | {"first": -1},
        FOUND | {"first": 10**30},
        FOUND | {"first": "1"},
        FOUND | {"passed": "11", "first": 1},
        FOUND | {"clause": 3},
        {name: value for name, value in FOUND.items() if name != "ended"},
        {name: value for name, value in FOUND.items() if name != "clause"},
    ],
)
def test_an_answer_that_makes_no_sense_is_the_oracles_fault(check: object) -> None:
    with pytest.raises(JudgeError, match="makes no sense"):
        read_result(report(DRAWN, RAN, check))


@pytest.mark.parametrize("drawn", [b"", b"\x02", inputs(), inputs(b"", b"", b"")])
def test_inputs_of_another_number_are_the_oracles_fault(drawn: bytes) -> None:
    with pytest.raises(JudgeError, match="makes no sense"):
        read_result(report(drawn, RAN, FOUND))


def test_inputs_cut_short_are_the_oracles_fault() -> None:
    with pytest.raises(JudgeError, match="makes no sense"):
        read_result(report(DRAWN[:20], RAN, FOUND))


@pytest.mark.parametrize("name", ["input", "check"])
@pytest.mark.parametrize(
    ("outcome", "status", "number"),
    [("exit", 9, None), ("signal", None, 11), ("timeout", None, None)],
)
def test_an_oracle_that_fails_is_no_verdict(
    name: str, outcome: str, status: int | None, number: int | None
) -> None:
    failed = StepReport(name, outcome, status, number, stderr=b"why\xff")  # type: ignore[arg-type]
    whole = report(DRAWN, RAN, FOUND)
    steps = tuple(failed if step.name == name else step for step in whole.steps)
    with pytest.raises(JudgeError, match=f"the oracle failed at '{name}'.*why") as raised:
        read_result(Report(steps))
    assert raised.value.mend


@given(st.binary(max_size=200), st.binary(max_size=200), st.sampled_from("RTCN?"))
def test_no_bytes_of_a_candidate_are_an_exception(stdout: bytes, stderr: bytes, ended: str) -> None:
    run = StepReport("run", "exit", 1, stdout=stdout, stderr=stderr)
    result = read_result(report(DRAWN, run, FOUND | {"ended": ended}))
    assert result.counterexample is not None
    assert len(result.counterexample.output) <= SHOWN
    assert not result.counterexample.output or result.counterexample.output.isprintable()


_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner),
    max_leaves=5,
)
_ANSWERS = st.binary(max_size=60) | st.fixed_dictionaries(
    {name: st.just(value) | _JSON for name, value in FOUND.items()}
)


@given(st.just(DRAWN) | st.binary(max_size=60), st.just(RAN) | st.binary(max_size=60), _ANSWERS)
def test_no_answer_is_another_exception(drawn: bytes, run: bytes, check: object) -> None:
    with contextlib.suppress(JudgeError):
        assert isinstance(read_result(report(drawn, run, check)), OracleResult)


def test_stubs_are_the_cases_of_a_switch() -> None:
    made = stub_switch([" return 0; ", " return x; "])
    assert made == (
        " switch (judge_stub) { case 0: {  return 0;  } break; case 1: {  return x;  } break; } "
    )


def test_answers_stay_out_of_the_candidates_reach() -> None:
    steps = {step.name: step for step in candidate_steps("5eed", 7)}
    assert [step.name for step in steps.values() if step.trust == "candidate"] == ["run"]
    assert steps["run"].takes == ("candidate",)
    assert steps["input"].argv == ("./oracle", "input", "5eed", "7")
