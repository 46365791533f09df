"""What a trace keeps of a verdict: its record, and the numbers an experiment plots."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from judgebox import __version__
from judgebox.verdict import Row, Status, Verdict


def record(verdict: Verdict, parts: Mapping[str, float]) -> dict[str, Any]:
    """JSON-ready: outcome, reward parts, digests, and the status of every row.

    `parts` are the unweighted reward parts.  Equal verdicts give equal records, but for `cached`
    and `seconds`.
    """
    proof, oracle = verdict.proof, verdict.oracle
    return {
        "version": __version__,
        "status": verdict.status.value,
        "reasons": [reason.value for reason in verdict.reasons],
        "message": verdict.message,
        "form": verdict.form,
        "toolchain": verdict.toolchain,
        "parts": dict(parts),
        "digests": {**verdict.digests, "verdict": verdict.digest},
        "oracle": [oracle.passed, oracle.total, oracle.stub_passed] if oracle else None,
        "goals": [proof.goals_proved, proof.goals_total] if proof else None,
        "contract": _statuses(proof.contract) if proof else [],
        "body": _statuses(proof.body) if proof else [],
        "cached": verdict.cached,
        "seconds": dict(verdict.seconds),
    }


def metrics(record: Mapping[str, Any]) -> dict[str, float]:
    """Numbers of one rollout, under short names that stay.

    Times are 0 for a verdict that was kept from an earlier run: nothing was spent.
    """
    goals = record["goals"] or (0, 0)
    oracle = record["oracle"] or (0, 0, 0)
    status = Status(record["status"])
    seconds = {} if record["cached"] else record["seconds"]
    rows = [row[1] for row in record["contract"]]
    return {
        "rows_valid": float(rows.count("Valid")),
        "rows_total": float(len(rows)),
        "goals_proved": float(goals[0]),
        "goals_total": float(goals[1]),
        "oracle_rate": oracle[0] / oracle[1] if oracle[1] else 0.0,
        "timeout": float(status is Status.TIMEOUT),
        "crashed": float(status is Status.CRASHED),
        "no_code": float(status is Status.NO_CODE),
        "rejected": float(status is Status.REJECTED),
        "cache_hit": float(record["cached"]),
        "judge_s": float(seconds.get("wall", 0.0)),
        "judge_cpu_s": float(seconds.get("cpu", 0.0)),
        "queue_s": float(seconds.get("queue", 0.0)),
    }


def _statuses(rows: tuple[Row, ...]) -> list[list[str]]:
    return [[row.kind, row.status] for row in rows]
