"""WP's own lines on each proof obligation: what a person wants to see, and a cross-check.

Read from the file of WP's result messages (`-wp-log rf:FILE`), where the only words of a candidate
are identifiers.  The JSON report knows neither parts of a property nor numbers of steps.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from judgebox.acsl.ledger import Entry, Split
from judgebox.verdict import Goal

_GOAL = re.compile(r"\[wp\] \[([^\]]+)\] Goal (?:typed_)?(\w+)(?: : (.+))?")
_ANSWER = re.compile(r" *(\S+ [\d.]+): (.+)")
_NAMES = (
    (r"assert_rte_([a-z_]+?)(?:_(\d+))?", "{}"),
    (r"loop_(invariant|assigns|variant)(?:_(\d+))?", "loop {}"),
    (r"()assert(?:_(\d+))?", "user assertion"),
    (r"()(?:\w+_)?ensures(?:_(\d+))?", "postcondition"),
    (r"(complete|disjoint)_\w+?()", "{} behaviors"),
    (r"(assigns|terminates|exits)(?:_(\d+))?", "{}"),
)
_PART = re.compile(r"_(?:established|preserved|decrease|positive|part\d+)$")


def read_goals(
    log: bytes, split: Split, target: str, origin: Callable[[int], int | None]
) -> tuple[Goal, ...]:
    """Every obligation of `target`, by name: WP speaks of them as provers end.

    `origin` maps lines of the judged text to the submission's.  Lines that are none of WP's known
    forms are passed over.
    """
    answers: dict[str, dict[str, tuple[str, int]]] = {}
    name = ""
    for line in log.decode("utf-8", "replace").splitlines():
        if found := _GOAL.fullmatch(line):
            prover, name, said = found.groups()
            if not name.startswith(f"{target}_"):
                name = ""
                continue
            given = answers.setdefault(name, {})
            if said:
                given[prover] = _answer(said)
        elif name and (found := _ANSWER.fullmatch(line)):
            answers[name][found[1]] = _answer(found[2])
        else:
            name = ""
    rows = _rows_by_kind(split.body)
    return tuple(
        _goal(name.removeprefix(f"{target}_"), given, rows, origin)
        for name, given in sorted(answers.items())
    )


def _answer(said: str) -> tuple[str, int]:
    """`Valid (Qed:5ms) (40ms) (87182)` as its word and its steps."""
    word = said.split(" (", 1)[0]
    steps = re.search(r"\((\d{1,12})\)$", said)
    return word, int(steps[1]) if steps else 0


def _goal(
    name: str,
    answers: dict[str, tuple[str, int]],
    rows: dict[str, list[Entry]],
    origin: Callable[[int], int | None],
) -> Goal:
    kind, number = _kind_of(_PART.sub("", name))
    here = rows.get(kind, [])
    row = here[number - 1] if 0 < number <= len(here) else None
    proving = [steps for word, steps in answers.values() if word == "Valid"]
    return Goal(
        name=name,
        kind=kind,
        proved=bool(proving),
        answers={prover: word for prover, (word, _) in answers.items()},
        steps=min(proving) if proving else max((s for _, s in answers.values()), default=0),
        property=row.property if row else "",
        line=origin(row.line) if row else None,
    )


def _rows_by_kind(entries: Sequence[Entry]) -> dict[str, list[Entry]]:
    rows: dict[str, list[Entry]] = {}
    for entry in entries:
        kind = "loop assigns" if entry.kind == "assigns clause" else entry.kind
        rows.setdefault(kind, []).append(entry)
    return rows


def _kind_of(name: str) -> tuple[str, int]:
    """Kind of the row that a goal belongs to, and which of that kind, counted from 1."""
    for pattern, kind in _NAMES:
        if found := re.fullmatch(pattern, name):
            return kind.format(found[1]), int(found[2] or 1)
    return name, 0
