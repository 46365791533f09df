"""A proof run's files held against each other: what contradicts itself gives no credit."""

from __future__ import annotations

import dataclasses
import json

import pytest

from judgebox.acsl import framac
from judgebox.acsl.facts import TaskFacts
from judgebox.acsl.findings import Findings, read_proof
from judgebox.acsl.ledger import HEADER, Place
from judgebox.acsl.task import ProofTask
from judgebox.job import StepReport
from judgebox.verdict import Reason, Status

TASK = ProofTask("t", "/*@ ensures \\result == 1; */\nint f(void)\n{\n  /* TODO */\n}\n")
ROWS = ("termination clause\tValid\t\\true", "postcondition\tValid\t\\false",
        "postcondition\tValid\t\\result == 1")  # fmt: skip
LINES = (
    "[wp] [CFG] Goal f_terminates : Valid (Trivial)\n"
    "[wp] [CVC4 1.8] Goal typed_f_ensures : Valid (Qed:1ms) (20ms) (15000)\n"
)


def ledger(*rows: str) -> bytes:
    lines = [HEADER, *(f".\tjudged.c\t1\tf\t{row}" for row in rows)]
    return ("\n".join(lines) + "\n").encode()


def report(valid: int = 1, total: int = 1) -> bytes:
    counts = {"total": total, "valid": valid, "unknown": total - valid}
    goals = {"f_ensures": {"CVC4:1.8": counts, "wp:main": counts}}
    return json.dumps({"wp:functions": {"f": goals}}).encode()


FILES = {
    framac.LEDGER: ledger(*ROWS),
    framac.KERNEL_LOG: b"",
    framac.WP_LOG: b"",
    framac.GOALS: LINES.encode(),
    **{framac.report_name(stage): report() for stage in framac.STAGES},
}
FACTS = TaskFacts(ledger(*(row.replace("Valid", "Ignored") for row in ROWS)), b"", ("f",))


def found(**files: bytes | None) -> Findings:
    names = {name.replace(".", "_"): name for name in FILES}
    changed = {**FILES, **{names[key]: data for key, data in files.items()}}
    kept = {name: data for name, data in changed.items() if data is not None}
    run = StepReport("prove", "exit", 0, files=kept)
    return read_proof(run, FACTS, TASK, Place(3, 5), lambda line: line)


def every_stage(data: bytes) -> dict[str, bytes]:
    return {f"{stage}_json": data for stage in framac.STAGES}


def test_whole_and_agreeing_reports_are_a_proof() -> None:
    assert found().status is Status.PROVED


@pytest.mark.parametrize("name", [name.replace(".", "_") for name in FILES])
def test_a_missing_file_gives_no_credit(name: str) -> None:
    result = found(**{name: None})
    assert (result.status, result.gate) == (Status.CRASHED, False)


@pytest.mark.parametrize(
    "files",
    [
        every_stage(b"{}"),
        every_stage(report(valid=0)),
        every_stage(report(valid=2, total=2)),
        every_stage(b'{"wp:functions": {"f": {}, "f": {}}}'),
        {"goals_txt": b""},
        {"goals_txt": LINES.replace(" Valid (Qed", " Unknown (Qed").encode()},
        {"goals_txt": LINES.encode() + b"[wp] [Qed] Goal typed_f_ensures_2 : Valid\n"},
    ],
)
def test_contradictions_give_no_credit(files: dict[str, bytes]) -> None:
    result = found(**files)
    assert result.status is Status.CRASHED
    assert result.reasons == (Reason.REPORT_INCONSISTENT,)
    assert not result.gate


def test_an_open_goal_under_valid_rows_gives_no_credit() -> None:
    lines = LINES.replace(" Valid (Qed", " Unknown (Qed").encode()
    result = found(goals_txt=lines, **every_stage(report(valid=0)))
    assert result.reasons == (Reason.REPORT_INCONSISTENT,)


def test_every_status_but_valid_is_open() -> None:
    for status in ("Unknown", "Partially proven", "Considered valid", "Ignored", "Dead"):
        rows = (*ROWS[:2], ROWS[2].replace("Valid", status))
        assert found(ledger_csv=ledger(*rows)).status is Status.UNPROVED


def test_a_lost_or_added_contract_row_is_a_violation() -> None:
    assert found(ledger_csv=ledger(*ROWS[:2])).reasons == (Reason.MANIFEST_MISMATCH,)
    extra = (*ROWS, "postcondition\tValid\t\\false")
    assert found(ledger_csv=ledger(*extra)).reasons == (Reason.FOREIGN_ROWS,)


def test_a_warning_is_no_proof() -> None:
    result = found(wp_txt=b"judged.c:1:[wp] warning: Memory model hypotheses\n")
    assert result.reasons == (Reason.MODEL_HYPOTHESIS,)
    assert dataclasses.astuple(result)[0] is Status.UNPROVED
