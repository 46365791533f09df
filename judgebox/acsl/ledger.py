"""Frama-C 25's reports, read fail-closed.

*The ledger* is the kernel's consolidated property report (`-report-csv`): one row per property,
and the only thing that decides.  WP's own reports (`-wp-report-json`) say which obligations are
open and what the provers answered: what a person wants to see, and a cross-check.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from judgebox.acsl.framac import SOURCE

HEADER = "directory\tfile\tline\tfunction\tproperty kind\tstatus\tproperty"

STATUSES = frozenset(
    {
        "Valid",
        "Partially proven",
        "Considered valid",
        "Unknown",
        "Invalid",
        "Invalid or unreachable",
        "Inconsistent",
        "Dead",
        "Ignored",
    }
)
"""Words this version prints as a status.  An unknown one makes the report unreadable; all but
`Valid` count as not proved (`Ignored`: nobody tried)."""


class ReportError(Exception):
    """A report that is not whole, not of this version, or contradicts another."""


class Entry(NamedTuple):
    """One row of the ledger, as printed."""

    directory: str
    file: str
    line: int
    function: str
    kind: str
    status: str
    property: str


def parse_ledger(data: bytes) -> tuple[Entry, ...]:
    """Rows of a `-report-csv` file.

    The property is the last column and may hold raw newlines (`complete behaviors` does); a line
    without tabs goes on with the row before it.

    Raises:
        ReportError: not such a file, cut short, or holding a status unknown to this version.
    """
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise ReportError("the ledger is not UTF-8") from error
    if not text.endswith("\n"):
        raise ReportError("the ledger is cut short")
    header, *lines = text[:-1].split("\n")
    if header != HEADER:
        raise ReportError("the ledger has another header")
    entries: list[Entry] = []
    for line in lines:
        cells = line.split("\t")
        if len(cells) == 1 and entries:
            last = entries[-1]
            entries[-1] = last._replace(property=f"{last.property}\n{line}")
        elif len(cells) == 7 and cells[5] in STATUSES and re.fullmatch(r"[0-9]{1,9}", cells[2]):
            directory, file, number, function, kind, status, prop = cells
            entries.append(Entry(directory, file, int(number), function, kind, status, prop))
        else:
            raise ReportError(f"the ledger has a row of unknown form: {line[:80]!r}")
    return tuple(entries)


@dataclass(frozen=True, slots=True)
class Place:
    """Where the target's body stands, as lines of a text given to Frama-C, both included."""

    first: int
    last: int


@dataclass(frozen=True, slots=True)
class Split:
    """A ledger of a judged text, held against the one of its task."""

    contract: tuple[Entry, ...]
    """The manifest's rows, with the statuses they have now."""
    body: tuple[Entry, ...]
    """Rows of the target that the body brings."""
    missing: tuple[tuple[str, str], ...]
    """(kind, property) of rows of the task that are not there."""
    foreign: tuple[Entry, ...]
    """Rows that neither the task nor the rules of a body account for."""


def split_ledger(
    entries: Sequence[Entry], task: Sequence[Entry], target: str, place: Place, task_place: Place
) -> Split:
    """Tell contract, body and foreign rows apart.

    `task` is the ledger of the task's text with a stub body, whose rows of the target are the
    manifest and whose other rows are the baseline, statuses included.  Texts differ only in the
    body, so every row of the task has a known line in the judged text.

    A multiset comparison: identical clauses give identical rows.
    """
    shift = place.last - task_place.last

    def key(entry: Entry, moved: int) -> tuple[Any, ...]:
        line = entry.line + moved if entry.line > task_place.last else entry.line
        may_change = entry.function == target or entry.kind == "precondition"
        status = None if may_change else entry.status
        return (entry.directory, entry.file, line, *entry[3:5], entry.property, status)

    wanted = Counter(key(entry, shift) for entry in task)
    contract, body, foreign = [], [], []
    for entry in entries:
        known = key(entry, 0)
        if wanted[known] > 0:
            wanted[known] -= 1
            if entry.kind in HYPOTHESES:
                # nobody proves the `requires` of the target; those of a function it calls are tried
                body += [entry] if entry.status != "Ignored" else []
            elif entry.function == target:
                contract.append(entry)
        elif (
            entry.function == target
            and (entry.directory, entry.file) == (".", SOURCE)
            and is_body_kind(entry.kind)
            and place.first <= entry.line <= place.last
        ):
            body.append(entry)
        else:
            foreign.append(entry)
    missing = tuple((row[4], row[5]) for row, count in wanted.items() for _ in range(count))
    return Split(tuple(contract), tuple(body), missing, tuple(foreign))


RUNTIME_ERRORS = frozenset(
    {
        "bool_value",
        "differing_blocks",
        "division_by_zero",
        "float_to_int",
        "index_bound",
        "initialization",
        "mem_access",
        "missing_return",
        "overlap",
        "pointer_downcast",
        "pointer_value",
        "ptr_comparison",
        "separation",
        "shift",
        "signed_downcast",
        "signed_overflow",
        "special_float",
        "unsigned_downcast",
        "unsigned_overflow",
    }
)
"""Kinds of the rows that RTE generates."""

ANNOTATIONS = frozenset({"loop invariant", "user assertion", "assigns clause"})
"""Kinds of the rows that the annotations allowed in a body bring."""


HYPOTHESES = frozenset({"precondition", "behavior assumption"})
"""Kinds of the rows that a contract assumes and its callers prove."""


def is_body_kind(kind: str) -> bool:
    """Whether a body that keeps the rules can bring rows of this kind."""
    return kind in RUNTIME_ERRORS or kind in ANNOTATIONS or kind.startswith("precondition of ")


def contract_independent(kind: str) -> bool:
    """Rows that say something of the contract alone: no body changes their status."""
    return kind in ("complete behaviors", "disjoint behaviors")


@dataclass(frozen=True, slots=True)
class Count:
    """How many obligations one property has, and how many of them are proved."""

    total: int
    proved: int
    cut_short: bool
    """A prover without steps of its own to say so was stopped by the backstop in seconds."""


_ANSWERS = frozenset({"valid", "unknown", "interrupted", "failed", "unsuccess"})


def parse_wp_report(data: bytes, target: str) -> dict[str, Count]:
    """Obligations of the target by property, from a `-wp-report-json` file.

    Raises:
        ReportError: not such a file, or its counts are not counts or contradict each other.
    """
    try:
        report = json.loads(data, object_pairs_hook=_once)
    except ValueError as error:
        raise ReportError("the WP report is not JSON") from error
    functions = _mapping(_mapping(report).get("wp:functions", {}))
    found = {}
    for name, provers in _mapping(functions.get(target, {})).items():
        if name == "wp:section":
            continue
        counts = {prover: _counts(name, entry) for prover, entry in _mapping(provers).items()}
        main = counts.pop("wp:main", {})
        total, proved = main.get("total", 0), main.get("valid", 0)
        # two stages may both prove a part of a property that is open as a whole
        if total == 0 or sum(count.get("valid", 0) for count in counts.values()) < proved:
            raise ReportError(f"goal {name}: more proved than the provers say")
        cut_short = any(
            prover.startswith("Z3") and count.get("interrupted", 0) > 0
            for prover, count in counts.items()
        )  # when its steps are spent, Z3 says `unknown`
        found[name] = Count(total, proved, cut_short)
    return found


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ReportError("the WP report names the same goal twice")
    return found


def _mapping(value: Any) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise ReportError("the WP report has another form")
    return value


def _counts(name: str, entry: Any) -> dict[str, int]:
    counts = {}
    for key, value in _mapping(entry).items():
        if type(value) is not int or value < 0:
            raise ReportError(f"goal {name}: {key} is not a count")
        counts[key] = value
    if not counts.keys() <= _ANSWERS | {"total", "rank"}:
        raise ReportError(f"goal {name}: unknown counts {sorted(counts.keys() - _ANSWERS)}")
    if sum(count for key, count in counts.items() if key in _ANSWERS) > counts.get("total", 0):
        raise ReportError(f"goal {name}: more answers than parts")
    return counts


def merge_stages(stages: Sequence[Mapping[str, Count]]) -> dict[str, Count]:
    """The last count of each property over all stages.

    Raises:
        ReportError: a later stage has other parts, or fewer of them proved.
    """
    merged: dict[str, Count] = {}
    for stage in stages:
        for name, count in stage.items():
            before = merged.get(name, count)
            if count.total != before.total or count.proved < before.proved:
                raise ReportError(f"goal {name}: stages contradict each other")
            merged[name] = count
    return merged


def unexpected_lines(log: bytes, harmless: re.Pattern[str], known: bytes = b"") -> tuple[str, ...]:
    """Lines of a warning file that are neither `harmless` nor in `known`, the task's own file."""
    expected = set(known.decode("utf-8", "replace").splitlines())
    lines = log.decode("utf-8", "replace").splitlines()
    return tuple(
        line
        for line in lines
        if line.strip() and line not in expected and not harmless.fullmatch(line)
    )
