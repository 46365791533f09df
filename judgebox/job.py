"""The wire contract with the runner: a `Job` goes into the container, a `Report` comes back.

A job is an ordered tuple of `Step`s and the files they start from.  The runner knows processes,
not languages: which argv to start, as whom, under which limits, and which bytes to bring back.
What those bytes mean is decided on the host.
"""

from __future__ import annotations

import base64
import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

Trust = Literal["tool", "candidate"]
"""`tool`: a compiler, prover or checker.  `candidate`: the candidate's own program."""

Outcome = Literal["exit", "signal", "timeout", "memory", "output_limit", "skipped"]
"""How a step ended.  `skipped`: the step it `needs` did not exit 0."""


@dataclass(frozen=True, slots=True)
class Limits:
    """What one step may use.  The step ends when it meets the first of them."""

    cpu_s: float
    """CPU seconds, summed over all processes of the step."""
    wall_s: float
    """Seconds of wall time, less the time its processes waited for a core."""
    memory_bytes: int
    """Resident memory of all its processes, files on its tmpfs included."""
    output_bytes: int
    """Bytes on stdout, and the same again on stderr; one byte more is `output_limit`."""
    file_bytes: int
    """Largest single file it may write; also the most that one returned file may hold."""
    processes: int
    """Processes and threads alive at once."""


@dataclass(frozen=True, slots=True)
class Stdout:
    """Stands in a step's stdin for all that an earlier step of the same job wrote to stdout."""

    step: str


@dataclass(frozen=True, slots=True)
class File:
    """A file the job starts with, in the tool steps' directory."""

    data: bytes
    executable: bool = False


@dataclass(frozen=True, slots=True)
class Step:
    """One process to start.

    Tool steps share one private directory and one uid.  Candidate steps have another directory
    and another uid; they see only what `takes` copies over, read-only for them.
    """

    name: str
    argv: tuple[str, ...]
    limits: Limits
    trust: Trust = "tool"
    stdin: tuple[bytes | Stdout, ...] = ()
    env: Mapping[str, str] = field(default_factory=dict)
    takes: tuple[str, ...] = ()
    """Names of files in the tool directory to copy into the candidate's before the start."""
    returns: tuple[str, ...] = ()
    """Names of regular files in the step's directory to bring back."""
    needs: str | None = None
    """Run only if the step named here exited 0."""


@dataclass(frozen=True, slots=True)
class Job:
    """Steps in order, the image they run in, and their input files by plain name (no `/`)."""

    image: str
    """Image id, `sha256:` and 64 hex digits; the engine's business, not sent to the runner."""
    steps: tuple[Step, ...]
    files: Mapping[str, File] = field(default_factory=dict)

    def __post_init__(self) -> None:
        seen: set[str] = set()
        for step in self.steps:
            before = {step.needs} if step.needs else set()
            before |= {part.step for part in step.stdin if isinstance(part, Stdout)}
            if step.name in seen or not before <= seen:
                raise ValueError(f"step {step.name!r}: repeated, or refers to a later step")
            seen.add(step.name)
        for name in self.files:
            if not name or "/" in name or name in (".", ".."):
                raise ValueError(f"not a plain file name: {name!r}")

    def to_wire(self) -> dict[str, Any]:
        """JSON-ready form; bytes as base64."""
        return {
            "files": {
                name: {"data": _encode(file.data), "executable": file.executable}
                for name, file in self.files.items()
            },
            "steps": [_step_to_wire(step) for step in self.steps],
        }


@dataclass(frozen=True, slots=True)
class StepReport:
    """What one step did.  Bytes exactly as written, never more than its limits allow."""

    name: str
    outcome: Outcome
    exit_status: int | None = None
    """Set when `outcome` is `exit`."""
    signal: int | None = None
    """Set when `outcome` is `signal`."""
    limit: Literal["cpu", "wall"] | None = None
    """Set when `outcome` is `timeout`."""
    stdout: bytes = b""
    stderr: bytes = b""
    files: Mapping[str, bytes] = field(default_factory=dict)
    missing: Mapping[str, str] = field(default_factory=dict)
    """Asked-for files that were not brought back, and why (absent, not regular, too large)."""
    cpu_s: float = 0.0
    wall_s: float = 0.0
    """Seconds from start to end, waiting for a core included."""
    waited_s: float = 0.0
    """Seconds of `wall_s` that its processes waited for a core (0 where the kernel hides it)."""
    peak_bytes: int = 0

    @property
    def ok(self) -> bool:
        """Whether the step ran and exited 0."""
        return self.outcome == "exit" and self.exit_status == 0


@dataclass(frozen=True, slots=True)
class Report:
    """One entry per step, in order."""

    steps: tuple[StepReport, ...]
    queue_s: float = 0.0
    """Seconds the job waited for a slot, outside any limit."""

    def __getitem__(self, name: str) -> StepReport:
        return next(step for step in self.steps if step.name == name)

    @property
    def cpu_s(self) -> float:
        """CPU seconds of all steps."""
        return sum(step.cpu_s for step in self.steps)

    @property
    def wall_s(self) -> float:
        """Wall seconds of all steps."""
        return sum(step.wall_s for step in self.steps)

    @classmethod
    def from_wire(cls, wire: Mapping[str, Any], job: Job, queue_s: float = 0.0) -> Report:
        """Read the runner's answer to `job`.

        Raises:
            ValueError: the answer is not one report per step of `job`, in order and well formed.
        """
        try:
            steps = tuple(_step_from_wire(item) for item in wire["steps"])
        except (KeyError, TypeError, AttributeError) as error:
            raise ValueError(f"malformed report: {error!r}") from error
        if [step.name for step in steps] != [step.name for step in job.steps]:
            raise ValueError("the report's steps are not the job's")
        return cls(steps, queue_s)


def _encode(data: bytes) -> str:
    return base64.b64encode(data).decode("ascii")


def _decode(text: str) -> bytes:
    return base64.b64decode(text, validate=True)


def _step_to_wire(step: Step) -> dict[str, Any]:
    return {
        "name": step.name,
        "argv": list(step.argv),
        "trust": step.trust,
        "limits": dataclasses.asdict(step.limits),
        "stdin": [
            {"stdout": part.step} if isinstance(part, Stdout) else {"bytes": _encode(part)}
            for part in step.stdin
        ],
        "env": dict(step.env),
        "takes": list(step.takes),
        "returns": list(step.returns),
        "needs": step.needs,
    }


def _step_from_wire(item: Mapping[str, Any]) -> StepReport:
    return StepReport(
        name=item["name"],
        outcome=item["outcome"],
        exit_status=item["exit_status"],
        signal=item["signal"],
        limit=item["limit"],
        stdout=_decode(item["stdout"]),
        stderr=_decode(item["stderr"]),
        files={name: _decode(text) for name, text in item["files"].items()},
        missing=dict(item["missing"]),
        cpu_s=float(item["cpu_s"]),
        wall_s=float(item["wall_s"]),
        waited_s=float(item["waited_s"]),
        peak_bytes=int(item["peak_bytes"]),
    )
