"""Reward parts as pure functions of a verdict.

    reward = 0.10 gate + 0.50 progress + 0.20 full_proof + 0.20 integrity

`gate`: the reply keeps the rules and compiler and Frama-C accept it.  `full_proof`: proved.
`integrity`: counted only together with a full proof; a violation zeroes every part.  What differs
between profiles is `progress`:

`staged` (default; tasks with an oracle): share of inputs passed beyond the best trivial stub, up
to 0.25; with all inputs passed 0.5 and up, by the share of contract rows proved; 1 when proved.
Rows proved under a memory-model hypothesis do not count.
Annotations, dead code and trivial bodies never raise it.

`rows` (files without an oracle): share of contract rows Valid beyond the best trivial stub's, none
unless termination is at least partially proven.

`goals`: proved / generated obligations, as a baseline to compare with.  It can be gamed: thirty
trivial assertions around a wrong body raise it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, get_args

from judgebox.acsl.ledger import RUNTIME_ERRORS, contract_independent
from judgebox.errors import UsageError
from judgebox.verdict import Proof, Reason, Status, Verdict

Profile = Literal["staged", "rows", "goals"]
PARTS = ("gate", "progress", "full_proof", "integrity")

_EARNING = frozenset(
    {Status.REFUTED, Status.UNPROVED, Status.PROVED, Status.TIMEOUT, Status.MEMORY}
)
"""Every other status earns nothing.  A proof that met a limit counts as one with nothing proved."""


@dataclass(frozen=True, slots=True)
class Weights:
    """Weight of each part; all non-negative."""

    gate: float = 0.10
    progress: float = 0.50
    full_proof: float = 0.20
    integrity: float = 0.20

    @classmethod
    def of(cls, weights: Mapping[str, float] | None) -> Weights:
        """Defaults, with those named in `weights` replaced.

        Raises:
            UsageError: an unknown part, or a weight that is not a non-negative number.
        """
        for name, value in (weights or {}).items():
            if name not in PARTS:
                raise UsageError(f"unknown reward part {name!r}; there are {', '.join(PARTS)}")
            if isinstance(value, bool) or not isinstance(value, int | float) or not value >= 0:
                raise UsageError(f"the weight of {name} must be a number of at least 0")
        return cls(**(weights or {}))

    def of_part(self, name: str) -> float:
        """The weight of the part `name`, one of `PARTS`."""
        return float(getattr(self, name))


def profile_named(name: str) -> Profile:
    """`name` as a profile.

    Raises:
        UsageError: there is no such profile.
    """
    for profile in get_args(Profile):
        if profile == name:
            return profile  # type: ignore[no-any-return]
    raise UsageError(f"unknown reward profile {name!r}; there are {', '.join(get_args(Profile))}")


def parts(verdict: Verdict, profile: Profile = "staged") -> dict[str, float]:
    """Each part of the reward, unweighted, 0 to 1."""
    if not verdict.gate or verdict.status not in _EARNING or _withdrawn(verdict):
        return dict.fromkeys(PARTS, 0.0)
    proved = float(verdict.status is Status.PROVED)
    return {
        "gate": 1.0,
        "progress": progress(verdict, profile),
        "full_proof": proved,
        "integrity": proved,
    }


def reward(verdict: Verdict, weights: Weights | None = None, profile: Profile = "staged") -> float:
    """The weighted sum of `parts`; 1.0 for a proved body under the default weights."""
    weights = weights or Weights()
    found = parts(verdict, profile)
    return round(sum(weights.of_part(name) * found[name] for name in PARTS), 6)


def progress(verdict: Verdict, profile: Profile = "staged") -> float:
    """How far the body is from a full proof, 0 to 1, under `profile`."""
    if verdict.status is Status.PROVED:
        return 1.0
    proof = verdict.proof
    if profile == "goals":
        return proof.goals_proved / proof.goals_total if proof and proof.goals_total else 0.0
    if profile == "rows" or verdict.oracle is None:
        return _rows_progress(proof) if proof and not _hypothetical(verdict) else 0.0
    oracle = verdict.oracle
    if oracle.passed < oracle.total:
        above = oracle.passed - oracle.stub_passed
        room = oracle.total - oracle.stub_passed
        return 0.25 * max(0.0, above / room) if room else 0.0
    return 0.5 + 0.4 * (_valid_share(proof) if proof and not _hypothetical(verdict) else 0.0)


def _hypothetical(verdict: Verdict) -> bool:
    """What is proved may not hold, so that none of it counts."""
    return Reason.MODEL_HYPOTHESIS in verdict.reasons


def _withdrawn(verdict: Verdict) -> bool:
    return Reason.SOUNDNESS_ALARM in verdict.reasons


def _valid_share(proof: Proof) -> float:
    """Valid share of the contract rows a body can change, all run-time-error rows as one more."""
    rows = [row.status == "Valid" for row in proof.contract if not contract_independent(row.kind)]
    rows.append(all(row.status == "Valid" for row in proof.body if row.kind in RUNTIME_ERRORS))
    return sum(rows) / len(rows)


def _rows_progress(proof: Proof) -> float:
    terminates = [row.status for row in proof.contract if row.kind == "termination clause"]
    if not terminates or not all(s in ("Valid", "Partially proven") for s in terminates):
        return 0.0
    # an endless loop makes every clause Valid: its end is never reached
    if any(not goal.proved and goal.kind in ("loop variant", "terminates") for goal in proof.goals):
        return 0.0
    room = len(proof.contract) - proof.stub_valid
    share = (proof.contract_valid - proof.stub_valid) / room if room > 0 else 0.0
    return 0.9 * max(0.0, share)
