"""From a proof run's files to what they amount to: the verdict's core, fail-closed."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass

from judgebox.acsl import framac
from judgebox.acsl.facts import TaskFacts
from judgebox.acsl.goals import read_goals
from judgebox.acsl.ledger import (
    RUNTIME_ERRORS,
    Count,
    Entry,
    Place,
    ReportError,
    Split,
    merge_stages,
    parse_ledger,
    parse_wp_report,
    split_ledger,
    unexpected_lines,
)
from judgebox.acsl.task import ProofTask
from judgebox.job import StepReport
from judgebox.verdict import Goal, Proof, Reason, Row, Status


@dataclass(frozen=True)
class Findings:
    """What a proof run says of a judged text."""

    status: Status
    reasons: tuple[Reason, ...]
    message: str
    gate: bool
    proof: Proof | None = None


def read_proof(
    run: StepReport,
    facts: TaskFacts,
    task: ProofTask,
    place: Place,
    origin: Callable[[int], int | None],
) -> Findings:
    """Decide on a proof run that exited 0.

    `place` is where the body stands in the judged text; `origin` maps its lines to the
    submission's.
    """
    target = task.text.name
    try:
        files = [_file(run, name) for name in (framac.LEDGER, framac.KERNEL_LOG, framac.WP_LOG)]
        ledger, kernel_log, wp_log = files
        here = Place(task.text.body_line, task.text.body_line)
        split = split_ledger(parse_ledger(ledger), facts.entries, target, place, here)
        counts = merge_stages(
            [
                parse_wp_report(_file(run, framac.report_name(stage)), target)
                for stage in framac.STAGES
            ]
        )
        goals = read_goals(_file(run, framac.GOALS), split, target, origin)
        _agree(counts.values(), goals, split)
    except ReportError as error:
        return Findings(
            Status.CRASHED, (Reason.REPORT_INCONSISTENT,), f"the report: {error}", False
        )
    if not split.contract and not split.missing:
        return Findings(
            Status.INVALID, (Reason.MANIFEST_EMPTY,), "the contract has nothing to prove", False
        )
    if split.missing:
        kind, clause = split.missing[0]
        message = f"the report lacks the task's {kind} {clause!r}"
        return Findings(Status.REJECTED, (Reason.MANIFEST_MISMATCH,), message, False)
    if split.foreign:
        row = split.foreign[0]
        message = f"a {row.kind} of {row.function!r} that is not the task's: {row.property!r}"
        return Findings(Status.REJECTED, (Reason.FOREIGN_ROWS,), message, False)
    proof = Proof(
        contract=tuple(_row(entry, lambda line: line) for entry in split.contract),
        body=tuple(_row(entry, origin) for entry in split.body),
        goals=goals,
        stub_valid=facts.stub_valid,
        step_limit=task.steps,
    )
    odd = unexpected_lines(kernel_log, framac.HARMLESS, facts.kernel_log)
    odd += unexpected_lines(wp_log, framac.HARMLESS)
    reasons = list(_open_reasons(split, proof, counts.values()))
    if odd:
        reasons.insert(0, Reason.MODEL_HYPOTHESIS)
    if not reasons:
        return Findings(Status.PROVED, (), "every clause is proved", True, proof)
    message = f"Frama-C warns: {' '.join(odd)[:300]}" if odd else _open_message(proof)
    return Findings(Status.UNPROVED, tuple(reasons), message, True, proof)


def _agree(counts: Collection[Count], goals: Sequence[Goal], split: Split) -> None:
    """Hold WP's report, WP's lines and the ledger against each other.

    Raises:
        ReportError: they contradict each other.
    """
    # what the control flow alone decides has a line and no count
    prover_goals = [goal for goal in goals if goal.answers.keys() != {"CFG"}]
    total, proved = sum(c.total for c in counts), sum(c.proved for c in counts)
    if not goals or (total, proved) != (len(prover_goals), sum(g.proved for g in prover_goals)):
        raise ReportError(f"{len(prover_goals)} goals are listed, {total} are counted")
    rows = (*split.contract, *split.body)
    if proved < total and all(entry.status == "Valid" for entry in rows):
        raise ReportError("a goal is open, and every row is Valid")


def _open_reasons(split: Split, proof: Proof, counts: Iterable[Count]) -> list[Reason]:
    """Reason codes for the rows that are not Valid, in their documented order."""
    found: set[Reason] = set()
    for entry in (*split.contract, *split.body):
        if entry.status == "Valid":
            continue
        if entry.status == "Partially proven":
            found.add(Reason.UNDER_HYPOTHESIS)
        if entry.kind == "termination clause":
            found.add(Reason.TERMINATION)
        elif entry in split.contract:
            found.add(Reason.CONTRACT_UNPROVED)
        elif entry.kind == "initialization":
            found.add(Reason.UNINITIALISED)
        elif entry.kind in RUNTIME_ERRORS:
            found.add(Reason.RUNTIME_ERROR_UNPROVED)
        else:
            found.add(Reason.ANNOTATION_UNPROVED)
    said = {word for goal in proof.goals if not goal.proved for word in goal.answers.values()}
    if found and "Step limit" in said:
        found.add(Reason.STEP_BUDGET)
    # another machine might go further: such verdicts are never cached
    if found and ("Timeout" in said or any(count.cut_short for count in counts)):
        found.add(Reason.CPU_LIMIT)
    if found and any(word.startswith("Failed") for word in said):
        found.add(Reason.TOOL_CRASHED)
    return [reason for reason in Reason if reason in found]


def _open_message(proof: Proof) -> str:
    rows = [row for row in (*proof.contract, *proof.body) if row.status != "Valid"]
    # what is plainly open explains what holds only under it
    rows.sort(key=lambda row: row.status == "Partially proven")
    first = rows[0]
    more = f", and {len(rows) - 1} more" if len(rows) > 1 else ""
    where = f" at line {first.line}" if first.line else ""
    return f"not proved: {first.kind}{where}: {first.property}{more}"


def _row(entry: Entry, origin: Callable[[int], int | None]) -> Row:
    return Row(entry.kind, entry.status, entry.property, entry.function, origin(entry.line))


def _file(run: StepReport, name: str) -> bytes:
    data = run.files.get(name)
    if data is None:
        raise ReportError(f"{name} is missing: {run.missing.get(name, 'not brought back')}")
    return data
