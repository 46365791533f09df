"""The verdict: one vocabulary of outcomes, one frozen list of reason codes.

A verdict says what became of a submission and why.  It holds nothing about the machine but the
`seconds` it took, and these are no part of its identity (`Verdict.digest`).
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import field, replace
from enum import StrEnum
from typing import Any

from pydantic import ConfigDict, TypeAdapter
from pydantic.dataclasses import dataclass

from judgebox.canonical import canonical_json


class Status(StrEnum):
    """What became of a submission."""

    NO_CODE = "no_code"
    REJECTED = "rejected"
    INVALID = "invalid"
    REFUTED = "refuted"
    UNPROVED = "unproved"
    PROVED = "proved"
    COMPILED = "compiled"
    COMPILED_WITH_WARNINGS = "compiled_with_warnings"
    RAN = "ran"
    CORRECT = "correct"
    WRONG = "wrong"
    RUNTIME_ERROR = "runtime_error"
    TIMEOUT = "timeout"
    MEMORY = "memory"
    OUTPUT_LIMIT = "output_limit"
    CRASHED = "crashed"


class Reason(StrEnum):
    """Why a verdict is not a full success.  The list is frozen: codes are added, never changed."""

    EMPTY_REPLY = "EMPTY_REPLY"
    REPLY_TOO_LARGE = "REPLY_TOO_LARGE"
    BAD_CHARACTER = "BAD_CHARACTER"
    UNCLOSED_THINK = "UNCLOSED_THINK"
    NO_CODE_BLOCK = "NO_CODE_BLOCK"
    DIFF_REPLY = "DIFF_REPLY"
    UNTERMINATED = "UNTERMINATED"
    TARGET_MISSING = "TARGET_MISSING"
    TARGET_REPEATED = "TARGET_REPEATED"
    CONTRACT_CHANGED = "CONTRACT_CHANGED"
    CONTEXT_CHANGED = "CONTEXT_CHANGED"
    FORBIDDEN_CONSTRUCT = "FORBIDDEN_CONSTRUCT"
    FORBIDDEN_ANNOTATION = "FORBIDDEN_ANNOTATION"
    FORBIDDEN_CALL = "FORBIDDEN_CALL"
    RECURSION = "RECURSION"
    BODY_TOO_LARGE = "BODY_TOO_LARGE"
    COMPILE_ERROR = "COMPILE_ERROR"
    ANNOTATION_ERROR = "ANNOTATION_ERROR"
    WARNINGS = "WARNINGS"
    REFUTED = "REFUTED"
    MANIFEST_EMPTY = "MANIFEST_EMPTY"
    MANIFEST_MISMATCH = "MANIFEST_MISMATCH"
    FOREIGN_ROWS = "FOREIGN_ROWS"
    MODEL_HYPOTHESIS = "MODEL_HYPOTHESIS"
    CONTRACT_UNPROVED = "CONTRACT_UNPROVED"
    UNDER_HYPOTHESIS = "UNDER_HYPOTHESIS"
    TERMINATION = "TERMINATION"
    RUNTIME_ERROR_UNPROVED = "RUNTIME_ERROR_UNPROVED"
    ANNOTATION_UNPROVED = "ANNOTATION_UNPROVED"
    UNINITIALISED = "UNINITIALISED"
    STEP_BUDGET = "STEP_BUDGET"
    REPORT_INCONSISTENT = "REPORT_INCONSISTENT"
    SOUNDNESS_ALARM = "SOUNDNESS_ALARM"
    OUTPUT_LIMIT = "OUTPUT_LIMIT"
    FILE_LIMIT = "FILE_LIMIT"
    PROCESS_LIMIT = "PROCESS_LIMIT"
    MEMORY_LIMIT = "MEMORY_LIMIT"
    WALL_LIMIT = "WALL_LIMIT"
    CPU_LIMIT = "CPU_LIMIT"
    SIGNAL = "SIGNAL"
    EXIT_STATUS = "EXIT_STATUS"
    WRONG_OUTPUT = "WRONG_OUTPUT"
    TOOL_CRASHED = "TOOL_CRASHED"


MEANING: Mapping[Reason, str] = {
    Reason.EMPTY_REPLY: "the reply holds no text, or its code block is empty",
    Reason.REPLY_TOO_LARGE: "the reply is larger than the size limit",
    Reason.BAD_CHARACTER: "the reply holds a NUL byte, a lone surrogate or invalid UTF-8",
    Reason.UNCLOSED_THINK: "a reasoning section is never closed, so there is no final answer",
    Reason.NO_CODE_BLOCK: "no code of the task's language was found in the reply",
    Reason.DIFF_REPLY: "the reply is a diff; the whole code is wanted",
    Reason.UNTERMINATED: "a comment, string, character constant or brace is never closed",
    Reason.TARGET_MISSING: "the target function is not in the code",
    Reason.TARGET_REPEATED: "the target function stands in the code more than once",
    Reason.CONTRACT_CHANGED: "the target's contract or signature differs from the task's",
    Reason.CONTEXT_CHANGED: "text outside the target's body differs from the task's",
    Reason.FORBIDDEN_CONSTRUCT: "the body uses a C construct that is not allowed",
    Reason.FORBIDDEN_ANNOTATION: "the body holds an annotation that is not allowed",
    Reason.FORBIDDEN_CALL: "the body calls a function the task does not list",
    Reason.RECURSION: "the target calls itself and the task gives no `decreases`",
    Reason.BODY_TOO_LARGE: "the body has too many tokens, annotations or nested braces",
    Reason.COMPILE_ERROR: "the compiler does not accept the code",
    Reason.ANNOTATION_ERROR: "Frama-C does not accept the code or its annotations",
    Reason.WARNINGS: "the code compiles with warnings",
    Reason.REFUTED: "an execution breaks the contract",
    Reason.MANIFEST_EMPTY: "the contract brings no property to prove",
    Reason.MANIFEST_MISMATCH: "the target's contract rows are not the task's",
    Reason.FOREIGN_ROWS: "the report holds properties that neither task nor body accounts for",
    Reason.MODEL_HYPOTHESIS: "the proof rests on a hypothesis or an unsupported feature",
    Reason.CONTRACT_UNPROVED: "a clause of the contract is not proved",
    Reason.UNDER_HYPOTHESIS: "a clause is proved only under another that is not",
    Reason.TERMINATION: "termination is not proved",
    Reason.RUNTIME_ERROR_UNPROVED: "the absence of a run-time error is not proved",
    Reason.ANNOTATION_UNPROVED: "an assertion or loop annotation of the body is not proved",
    Reason.UNINITIALISED: "a local variable may be read before it has a value",
    Reason.STEP_BUDGET: "a prover's step budget was spent on an open goal",
    Reason.REPORT_INCONSISTENT: "the reports contradict each other or are not whole",
    Reason.SOUNDNESS_ALARM: "proved and refuted at once; the verdict is withdrawn",
    Reason.OUTPUT_LIMIT: "more output than allowed",
    Reason.FILE_LIMIT: "a file larger than allowed, or a full work directory",
    Reason.PROCESS_LIMIT: "more processes than allowed",
    Reason.MEMORY_LIMIT: "more memory than allowed",
    Reason.WALL_LIMIT: "more wall time than allowed",
    Reason.CPU_LIMIT: "more CPU time than allowed",
    Reason.SIGNAL: "ended by a signal",
    Reason.EXIT_STATUS: "ended with a status other than 0",
    Reason.WRONG_OUTPUT: "the output is not the expected one",
    Reason.TOOL_CRASHED: "a tool of the judge crashed on this submission",
}
"""What each code means, in one line.  The README's table is made from it."""

_STRICT = ConfigDict(strict=True, extra="forbid")


@dataclass(frozen=True, slots=True, config=_STRICT)
class Diagnostic:
    """One message of a compiler, of Frama-C or of an integrity rule."""

    message: str
    line: int | None = None
    """1-based line of the submitted code; None when it has no single place there."""
    column: int | None = None
    severity: str = "error"


@dataclass(frozen=True, slots=True, config=_STRICT)
class Row:
    """One row of the kernel's consolidated property report (*the ledger*)."""

    kind: str
    status: str
    property: str
    function: str
    line: int | None = None
    """1-based: of the task's text for contract rows, of the submitted code for the others."""


@dataclass(frozen=True, slots=True, config=_STRICT)
class Goal:
    """One proof obligation, as the prover stages left it: what a person wants to see."""

    name: str
    """WP's name without the target's: `loop_invariant_2_preserved`."""
    kind: str
    proved: bool
    answers: Mapping[str, str] = field(default_factory=dict)
    """What each prover said: `Valid`, `Unknown`, `Step limit`, `Timeout`, …"""
    steps: int = 0
    """Steps of the prover that proved it, else the most that one spent; 0 for the simplifier."""
    property: str = ""
    line: int | None = None
    """1-based line of the submitted code, where WP's name tells which row it belongs to."""


@dataclass(frozen=True, slots=True, config=_STRICT)
class Counterexample:
    """An executed input on which the contract does not hold."""

    input: str
    """The input, readable: `n = 3, a = {1, 2, 3}`."""
    output: str
    """What came out, or how the run ended."""
    clause: str
    """The part of the contract that fails."""


@dataclass(frozen=True, slots=True, config=_STRICT)
class OracleResult:
    """Inputs passed by the submission and by the best trivial stub, of the same total."""

    passed: int
    total: int
    stub_passed: int
    counterexample: Counterexample | None = None
    cut_short: bool = False
    """Whether a limit in seconds or bytes ended a call or the run."""

    def __post_init__(self) -> None:
        if not 0 <= self.passed <= self.total or not 0 <= self.stub_passed <= self.total:
            raise ValueError("oracle counts are inconsistent")


@dataclass(frozen=True, slots=True, config=_STRICT)
class Proof:
    """What the prover stages and the ledger say."""

    contract: tuple[Row, ...]
    """The manifest's rows with their statuses: what full proof is decided on."""
    body: tuple[Row, ...] = ()
    """Every other row of the target: run-time errors, loop annotations, assertions."""
    goals: tuple[Goal, ...] = ()
    stub_valid: int = 0
    """Contract rows Valid under the best trivial stub whose termination is Valid."""
    step_limit: int = 0
    """Prover steps allowed per goal (the unit of CVC4 and CVC5; Z3's are scaled)."""

    @property
    def contract_valid(self) -> int:
        """Contract rows that are exactly Valid."""
        return sum(row.status == "Valid" for row in self.contract)

    @property
    def goals_proved(self) -> int:
        """Proof obligations that some prover stage discharged."""
        return sum(goal.proved for goal in self.goals)

    @property
    def goals_total(self) -> int:
        """Proof obligations generated."""
        return len(self.goals)


@dataclass(frozen=True, slots=True, config=_STRICT)
class Verdict:
    """What became of one submission.

    `gate` holds when integrity holds, the compiler and Frama-C accept the judged text with its
    annotations, and there is something to prove.  `seconds` and `cached` are about this run, not
    about the submission.
    """

    status: Status
    reasons: tuple[Reason, ...] = ()
    message: str = ""
    gate: bool = False
    form: str | None = None
    """What the reply held: `file`, `function` or `body`."""
    oracle: OracleResult | None = None
    proof: Proof | None = None
    diagnostics: tuple[Diagnostic, ...] = ()
    toolchain: str = ""
    digests: Mapping[str, str] = field(default_factory=dict)
    """sha256 of `submission`, `policy` and `inputs`, hex."""
    seconds: Mapping[str, float] = field(default_factory=dict)
    """`cpu`, `wall` and `queue` seconds of the run that made it."""
    cached: bool = False

    def __post_init__(self) -> None:
        if (self.status in _SUCCESSES) == bool(self.reasons):
            raise ValueError(f"{self.status} with reasons {self.reasons}: contradictory")
        if self.status is Status.PROVED and not (self.gate and self.proof):
            raise ValueError("proved without a gate or a proof: contradictory")

    @property
    def digest(self) -> str:
        """sha256 of what the verdict says, without its times; equal verdicts have equal digests."""
        return hashlib.sha256(canonical_json(self.to_dict(identity=True))).hexdigest()

    def to_dict(self, *, identity: bool = False) -> dict[str, Any]:
        """JSON-ready form; with `identity`, without what belongs to the run."""
        verdict = replace(self, seconds={}, cached=False) if identity else self
        made: dict[str, Any] = _ADAPTER.dump_python(verdict, mode="json")
        return made

    def to_json(self) -> str:
        """The whole verdict as one JSON object."""
        return _ADAPTER.dump_json(self).decode()

    @classmethod
    def from_json(cls, text: str | bytes) -> Verdict:
        """Read `to_json` back.

        Raises:
            ValueError: not a verdict; nothing is coerced (`"false"` is not a boolean).
        """
        return _ADAPTER.validate_json(text)


_SUCCESSES = frozenset({Status.PROVED, Status.COMPILED, Status.RAN, Status.CORRECT})
_ADAPTER = TypeAdapter(Verdict)


def json_schema() -> dict[str, Any]:
    """The JSON schema of a verdict, reason codes included."""
    return _ADAPTER.json_schema()
