"""The verdict: one vocabulary, strict on the wire, without contradictions."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path

import pytest

from judgebox.verdict import (
    MEANING,
    Counterexample,
    Diagnostic,
    Goal,
    OracleResult,
    Proof,
    Reason,
    Row,
    Status,
    Verdict,
    json_schema,
)

WHOLE = Verdict(
    Status.UNPROVED,
    (Reason.CONTRACT_UNPROVED, Reason.STEP_BUDGET),
    "not proved",
    gate=True,
    form="body",
    oracle=OracleResult(3, 4, 1, Counterexample("n = 1", "result = 2", "ensures")),
    proof=Proof(
        (Row("postcondition", "Unknown", "\\true", "f", 3),),
        (Row("mem_access", "Valid", "\\valid(p)", "f", 9),),
        (Goal("ensures", "postcondition", False, {"CVC4": "Step limit"}, 60000),),
    ),
    diagnostics=(Diagnostic("a message", 1, 2),),
    digests={"submission": "00"},
    seconds={"cpu": 1.5},
)


def test_json_round_trip() -> None:
    assert Verdict.from_json(WHOLE.to_json()) == WHOLE


def test_times_and_cache_are_no_part_of_the_identity() -> None:
    again = dataclasses.replace(WHOLE, seconds={"cpu": 9.0}, cached=True)
    assert again.digest == WHOLE.digest
    assert dataclasses.replace(WHOLE, message="other").digest != WHOLE.digest


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (("gate",), "false"),
        (("gate",), 1),
        (("status",), "perfect"),
        (("reasons",), []),
        (("reasons",), ["NO_SUCH_REASON"]),
        (("oracle", "passed"), 5),
        (("oracle", "passed"), -1),
        (("oracle", "passed"), "3"),
        (("proof", "goals", 0, "proved"), 0),
        (("proof", "goals", 0, "steps"), 1.5),
        (("extra",), 1),
    ],
)
def test_nothing_is_coerced(path: tuple[str | int, ...], value: object) -> None:
    wire = json.loads(WHOLE.to_json())
    place = wire
    for step in path[:-1]:
        place = place[step]
    place[path[-1]] = value
    with pytest.raises(ValueError, match=r".+"):
        Verdict.from_json(json.dumps(wire))


def test_contradictions_cannot_be_made() -> None:
    for status, reasons in [
        (Status.PROVED, (Reason.REFUTED,)),
        (Status.UNPROVED, ()),
        (Status.CRASHED, ()),
    ]:
        with pytest.raises(ValueError, match="contradictory"):
            Verdict(status, reasons, gate=True, proof=WHOLE.proof)
    with pytest.raises(ValueError, match="contradictory"):
        Verdict(Status.PROVED, gate=True)


def test_reason_codes_agree_in_code_schema_and_readme() -> None:
    codes = [reason.value for reason in Reason]
    assert list(MEANING) == list(Reason)
    assert json_schema()["$defs"]["Reason"]["enum"] == codes
    readme = (Path(__file__).parents[2] / "README.md").read_text(encoding="utf-8")
    table = [line.split("`")[1] for line in readme.splitlines() if line.startswith("| `")]
    assert [code for code in table if code in codes] == codes
    for reason, meaning in MEANING.items():
        assert f"| `{reason}` | {meaning} |" in readme


def test_no_placeholder_is_left_in_a_readme() -> None:
    root = Path(__file__).parents[2]
    for readme in (root / "README.md", *root.glob("environments/*/README.md")):
        assert "@@" not in readme.read_text(encoding="utf-8"), readme
