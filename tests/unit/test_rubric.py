"""Reward parts, and the order that progress must keep."""

from __future__ import annotations

import dataclasses

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judgebox.errors import UsageError
from judgebox.rubric import PARTS, Weights, parts, profile_named, reward
from judgebox.verdict import Counterexample, Goal, OracleResult, Proof, Reason, Row, Status, Verdict

KINDS = ["termination clause", "postcondition", "assigns clause", *["postcondition"] * 4]


def proof(valid: int, rte_valid: bool = True, stub_valid: int = 0, ends: str = "Valid") -> Proof:
    """Nine contract rows, two of which no body can change; `valid` of the other seven are Valid."""
    statuses = ["Valid"] * valid + ["Unknown"] * (7 - valid)
    rows = [Row(kind, status, "", "f") for kind, status in zip(KINDS, statuses, strict=True)]
    if ends != "Valid":
        rows[0] = Row(KINDS[0], ends, "", "f")
    fixed = [Row(kind, "Valid", "", "f") for kind in ("complete behaviors", "disjoint behaviors")]
    body = (Row("mem_access", "Valid" if rte_valid else "Unknown", "", "f"),)
    goals = tuple(Goal(f"ensures_{k}", "postcondition", k < 4) for k in range(10))
    return Proof((*rows, *fixed), body, goals, stub_valid)


def oracle(passed: int, stub: int = 40) -> OracleResult:
    example = None if passed == 200 else Counterexample("n = 0", "result = 1", "ensures")
    return OracleResult(passed, 200, stub, example)


def refuted(passed: int, stub: int = 40) -> Verdict:
    return Verdict(Status.REFUTED, (Reason.REFUTED,), gate=True, oracle=oracle(passed, stub))


def unproved(found: Proof, with_oracle: bool = True) -> Verdict:
    result = oracle(200) if with_oracle else None
    reasons = (Reason.CONTRACT_UNPROVED,)
    return Verdict(Status.UNPROVED, reasons, gate=True, oracle=result, proof=found)


PROVED = Verdict(Status.PROVED, gate=True, oracle=oracle(200), proof=proof(7))


@pytest.mark.parametrize(
    ("verdict", "expected"),
    [
        (PROVED, 1.0),
        (refuted(40), 0.10),
        (refuted(0), 0.10),
        (refuted(120), 0.10 + 0.125 * 0.5),
        (unproved(proof(1, rte_valid=False)), 0.375),  # right, no annotations: 3 of 9 rows
        (unproved(proof(5)), 0.50),  # one invariant short: 7 of 9 rows
    ],
)
def test_the_worked_examples_of_the_design(verdict: Verdict, expected: float) -> None:
    assert reward(verdict) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("status", "reason"),
    [
        (Status.NO_CODE, Reason.NO_CODE_BLOCK),
        (Status.REJECTED, Reason.CONTRACT_CHANGED),
        (Status.INVALID, Reason.COMPILE_ERROR),
        (Status.CRASHED, Reason.REPORT_INCONSISTENT),
    ],
)
def test_a_violation_or_a_tool_without_an_end_earns_nothing(status: Status, reason: Reason) -> None:
    verdict = Verdict(status, (reason,), gate=True, oracle=oracle(200), proof=proof(7))
    assert parts(verdict) == dict.fromkeys(PARTS, 0.0)


def test_a_right_body_whose_proof_met_a_limit_is_above_a_wrong_one() -> None:
    for status, reason in (
        (Status.TIMEOUT, Reason.CPU_LIMIT),
        (Status.MEMORY, Reason.MEMORY_LIMIT),
    ):
        verdict = Verdict(status, (reason,), gate=True, oracle=oracle(200))
        assert reward(verdict) == 0.35
        assert reward(dataclasses.replace(verdict, gate=False)) == 0.0


def test_a_withdrawn_verdict_earns_nothing() -> None:
    reasons = (Reason.REFUTED, Reason.SOUNDNESS_ALARM)
    verdict = Verdict(Status.REFUTED, reasons, gate=True, oracle=oracle(199), proof=proof(7))
    assert reward(verdict) == 0.0


@given(st.integers(0, 199), st.integers(0, 7), st.booleans())
def test_refuted_is_below_unproved_is_below_proved(passed: int, valid: int, rte: bool) -> None:
    low, middle = reward(refuted(passed)), reward(unproved(proof(valid, rte)))
    assert 0.10 <= low <= 0.225 < 0.35 <= middle < 1.0 == reward(PROVED)


@given(st.integers(0, 199), st.integers(0, 200))
def test_no_body_that_a_trivial_one_equals_makes_progress(passed: int, stub: int) -> None:
    assert (reward(refuted(passed, stub)) == pytest.approx(0.10)) or passed > stub


def test_rows_count_only_above_the_best_stub_and_only_with_termination() -> None:
    at_stub = unproved(proof(3, stub_valid=5), with_oracle=False)
    above = unproved(proof(6, stub_valid=5), with_oracle=False)
    endless = unproved(proof(6, ends="Unknown"), with_oracle=False)
    assert reward(at_stub, profile="rows") == reward(endless, profile="rows") == 0.10
    assert 0.10 < reward(above, profile="rows") < 0.6
    assert reward(above) == reward(above, profile="rows")  # without an oracle, staged is rows


def test_rows_do_not_pay_an_endless_loop() -> None:
    # everything after it is Valid, since it is never reached; only the variant's goal is open
    open_variant = (Goal("loop_variant_decrease", "loop variant", False),)
    endless = dataclasses.replace(proof(6, ends="Partially proven"), goals=open_variant)
    assert reward(unproved(endless, with_oracle=False), profile="rows") == 0.10


def test_what_is_proved_under_a_model_hypothesis_does_not_count() -> None:
    reasons = (Reason.MODEL_HYPOTHESIS,)
    verdict = Verdict(Status.UNPROVED, reasons, gate=True, oracle=oracle(200), proof=proof(7))
    assert reward(verdict) == 0.35
    assert reward(dataclasses.replace(verdict, oracle=None)) == 0.10


def test_goals_is_proved_over_generated() -> None:
    assert parts(unproved(proof(1)), "goals")["progress"] == 0.4
    assert parts(refuted(100), "goals")["progress"] == 0.0


def test_weights_are_arguments() -> None:
    weights = Weights.of({"gate": 0, "progress": 2.0})
    assert reward(PROVED, weights) == pytest.approx(2.4)
    for bad in ({"bonus": 1.0}, {"gate": -1.0}, {"gate": float("nan")}, {"gate": True}):
        with pytest.raises(UsageError):
            Weights.of(bad)
    with pytest.raises(UsageError, match="staged"):
        profile_named("stage")
