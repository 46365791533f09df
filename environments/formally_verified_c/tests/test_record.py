"""What a trace keeps of a verdict."""

from __future__ import annotations

import dataclasses
import json

from judgebox.environment.record import metrics, record
from judgebox.rubric import parts
from judgebox.verdict import Goal, OracleResult, Proof, Reason, Row, Status, Verdict

VERDICT = Verdict(
    Status.UNPROVED,
    (Reason.CONTRACT_UNPROVED,),
    "not proved: one clause",
    gate=True,
    form="body",
    oracle=OracleResult(200, 200, 20),
    proof=Proof(
        contract=(
            Row("postcondition", "Valid", "\\result >= 0", "f", 3),
            Row("assigns clause", "Unknown", "assigns \\nothing", "f", 2),
        ),
        body=(Row("signed_overflow", "Valid", "i + 1 <= 2147483647", "f", 7),),
        goals=(
            Goal("f_a", "ensures", True),
            Goal("f_b", "ensures", True),
            Goal("f_c", "ensures", False),
        ),
    ),
    digests={"submission": "a" * 64, "policy": "b" * 64, "inputs": "c" * 64},
    seconds={"cpu": 1.5, "wall": 2.0, "queue": 0.25},
)


def test_record_is_json_and_holds_the_status_vector() -> None:
    kept = record(VERDICT, parts(VERDICT))
    assert json.loads(json.dumps(kept)) == kept
    assert kept["contract"] == [["postcondition", "Valid"], ["assigns clause", "Unknown"]]
    assert kept["body"] == [["signed_overflow", "Valid"]]
    assert kept["digests"]["verdict"] == VERDICT.digest
    assert kept["parts"]["gate"] == 1


def test_metrics() -> None:
    found = metrics(record(VERDICT, parts(VERDICT)))
    assert found == {
        "rows_valid": 1,
        "rows_total": 2,
        "goals_proved": 2,
        "goals_total": 3,
        "oracle_rate": 1,
        "timeout": 0,
        "crashed": 0,
        "no_code": 0,
        "rejected": 0,
        "cache_hit": 0,
        "judge_s": 2.0,
        "judge_cpu_s": 1.5,
        "queue_s": 0.25,
    }
    assert all(isinstance(value, float) for value in found.values())


def test_a_kept_verdict_cost_nothing() -> None:
    kept = dataclasses.replace(VERDICT, cached=True)
    found = metrics(record(kept, parts(kept)))
    assert (found["cache_hit"], found["judge_s"], found["queue_s"]) == (1, 0, 0)


def test_reply_without_code() -> None:
    empty = Verdict(Status.NO_CODE, (Reason.EMPTY_REPLY,), "the reply is empty")
    found = metrics(record(empty, parts(empty)))
    assert found["no_code"] == 1
    assert found["rows_total"] == found["oracle_rate"] == 0
