"""A proof task: a C file whose one target function has a TODO for a body, and what goes with it."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from judgebox.acsl.contract import TaskText
from judgebox.acsl.framac import STEPS
from judgebox.canonical import canonical_json
from judgebox.errors import UsageError

SPLITS = ("train", "dev", "test")


@dataclass(frozen=True)
class ProofTask:
    """What a submission is judged against.  Everything here may decide; nothing here is secret
    but `oracle`, which no prompt shows."""

    id: str
    source: str
    """The C text with contract and TODO body."""
    oracle: str | None = None
    """An oracle.c (see `oracle.h`); without one the verdict rests on the proof alone."""
    steps: int = STEPS
    """Prover steps per goal."""
    ghost: bool = False
    """Whether the body may hold simple ghost declarations and assignments."""
    goto: bool = False
    calls: frozenset[str] | None = None
    """Functions the body may call; None: every other function of the text."""

    @cached_property
    def text(self) -> TaskText:
        """The parsed source.

        Raises:
            UsageError: it has no single TODO body, no contract, or does not lex.
        """
        return TaskText.parse(self.source)

    @cached_property
    def canonical(self) -> bytes:
        """All that may decide, as canonical JSON: the `inputs` of the cache key.

        Raises:
            UsageError: source or oracle hold a lone surrogate, which UTF-8 does not have.
        """
        for name, text in (("its text", self.source), ("its oracle.c", self.oracle or "")):
            try:
                text.encode()
            except UnicodeEncodeError as error:
                line = text.count("\n", 0, error.start) + 1
                raise UsageError(f"line {line}: {name} holds a lone surrogate") from error
        return canonical_json(
            {
                "source": self.source,
                "oracle": self.oracle,
                "steps": self.steps,
                "ghost": self.ghost,
                "goto": self.goto,
                "calls": None if self.calls is None else sorted(self.calls),
            }
        )


@dataclass(frozen=True)
class WrongBody:
    """A body that must not prove, and how its fault shows."""

    name: str
    code: str
    fault: str
    status: str
    """The verdict it must get: `refuted`, or `unproved` where only an annotation is missing."""


@dataclass(frozen=True)
class PackTask:
    """A task of a pack: the task itself, what a prompt and a split need, and its evidence."""

    task: ProofTask
    title: str
    statement: str
    family: str
    tier: int
    split: str
    loops: bool
    references: tuple[str, ...]
    wrong: tuple[WrongBody, ...] = field(default=())

    @property
    def id(self) -> str:
        """`family/task`, unique in its pack."""
        return self.task.id

    def to_row(self) -> dict[str, Any]:
        """One JSON object: a row of the packaged JSONL."""
        return {
            "id": self.id,
            "title": self.title,
            "statement": self.statement,
            "family": self.family,
            "tier": self.tier,
            "split": self.split,
            "loops": self.loops,
            "source": self.task.source,
            "oracle": self.task.oracle,
            "steps": self.task.steps,
            "ghost": self.task.ghost,
            "goto": self.task.goto,
            "calls": None if self.task.calls is None else sorted(self.task.calls),
            "references": list(self.references),
            "wrong": [
                {"name": w.name, "code": w.code, "fault": w.fault, "status": w.status}
                for w in self.wrong
            ],
        }

    @classmethod
    def from_row(cls, row: Mapping[str, Any]) -> PackTask:
        """Read `to_row` back.

        Raises:
            UsageError: a field is missing or of another type.
        """
        try:
            calls = row["calls"]
            task = ProofTask(
                id=row["id"],
                source=row["source"],
                oracle=row["oracle"],
                steps=row["steps"],
                ghost=row["ghost"],
                goto=row["goto"],
                calls=None if calls is None else frozenset(calls),
            )
            return cls(
                task=task,
                title=row["title"],
                statement=row["statement"],
                family=row["family"],
                tier=row["tier"],
                split=row["split"],
                loops=row["loops"],
                references=tuple(row["references"]),
                wrong=tuple(WrongBody(**wrong) for wrong in row["wrong"]),
            )
        except (KeyError, TypeError) as error:
            raise UsageError(f"not a task row: {error!r}") from error


_SETTINGS = {
    "title": str,
    "statement": str,
    "family": str,
    "tier": int,
    "split": str,
    "loops": bool,
    "steps": int,
    "ghost": bool,
    "goto": bool,
    "calls": list,
    "wrong": dict,
}
_REQUIRED = ("title", "statement", "family", "tier", "split", "loops")


def load_folder(folder: Path) -> PackTask:
    """Read `<pack>/<family>/<task>/`: task.toml, task.c, reference*.c, wrong/*.c, oracle.c.

    Raises:
        UsageError: a file or setting is missing, unknown or of another type; it says which.
    """
    task_id = f"{folder.parent.name}/{folder.name}"

    def read(name: str) -> str:
        try:
            return (folder / name).read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise UsageError(f"{task_id}: cannot read {name}: {error}") from error

    try:
        settings = tomllib.loads(read("task.toml"))
    except tomllib.TOMLDecodeError as error:
        raise UsageError(f"{task_id}: task.toml: {error}") from error
    for name, value in settings.items():
        if name not in _SETTINGS or type(value) is not _SETTINGS[name]:
            raise UsageError(f"{task_id}: task.toml: unknown or ill-typed setting {name!r}")
    absent = [name for name in _REQUIRED if name not in settings]
    if absent:
        raise UsageError(f"{task_id}: task.toml: missing {', '.join(absent)}")
    if settings["split"] not in SPLITS or not 1 <= settings["tier"] <= 5:
        raise UsageError(f"{task_id}: split is one of {', '.join(SPLITS)}, tier is 1 to 5")
    if settings["family"] != folder.parent.name:
        raise UsageError(f"{task_id}: family is {settings['family']!r}, its folder says otherwise")
    faults = settings.get("wrong", {})
    bodies = sorted(path.stem for path in (folder / "wrong").glob("*.c"))
    if bodies != sorted(faults):
        raise UsageError(f"{task_id}: wrong/*.c and the [wrong] table name different bodies")
    references = ["reference.c", *sorted(path.name for path in folder.glob("reference-*.c"))]
    return PackTask(
        task=ProofTask(
            id=task_id,
            source=read("task.c"),
            oracle=read("oracle.c"),
            steps=settings.get("steps", STEPS),
            ghost=settings.get("ghost", False),
            goto=settings.get("goto", False),
            calls=frozenset(settings["calls"]) if "calls" in settings else None,
        ),
        title=settings["title"],
        statement=settings["statement"].strip(),
        family=settings["family"],
        tier=settings["tier"],
        split=settings["split"],
        loops=settings["loops"],
        references=tuple(read(name) for name in references),
        wrong=tuple(WrongBody(name, read(f"wrong/{name}.c"), **faults[name]) for name in bodies),
    )


def load_pack(folder: Path) -> tuple[PackTask, ...]:
    """Every task of a pack's folder, in order of id.

    Raises:
        UsageError: a task cannot be read, or the folder holds none.
    """
    tasks = tuple(load_folder(path.parent) for path in sorted(folder.glob("*/*/task.toml")))
    if not tasks:
        raise UsageError(f"no <family>/<task>/task.toml below {folder}")
    return tasks


def read_jsonl(lines: Iterable[str]) -> Iterator[PackTask]:
    """Tasks of a packaged JSONL file.

    Raises:
        UsageError: a line is not a task row; it says which line.
    """
    for number, line in enumerate(lines, 1):
        try:
            yield PackTask.from_row(json.loads(line))
        except ValueError as error:
            raise UsageError(f"line {number}: {error}") from error
