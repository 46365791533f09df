"""`judgebox validate`: references must be proved, wrong bodies must fail as their task says."""

from __future__ import annotations

import argparse
import asyncio
import importlib.util
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from judgebox.errors import UsageError

if TYPE_CHECKING:
    from rich.console import Console

    from judgebox.acsl.task import PackTask
    from judgebox.verdict import Verdict

SPLITS = ("train", "dev", "test", "all")


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Register the command."""
    parser = subparsers.add_parser(
        "validate",
        help="prove the references of a pack and refuse its wrong bodies",
        description="Judge every reference and every wrong body of a pack. References must be "
        "proved, wrong bodies must get the verdict that their task states.",
        epilog="exit status: 0 all as stated · 1 not · 2 wrong usage · 3 the judge itself failed",
    )
    parser.add_argument(
        "pack",
        metavar="PACK",
        help="an installed environment (formally-verified-c), a JSONL file written by `judgebox "
        "pack`, or a folder of task folders",
    )
    parser.add_argument("--ids", nargs="+", metavar="ID", help="only these tasks, family/task")
    parser.add_argument("--split", default="all", choices=SPLITS, help="only this split")
    parser.add_argument("--limit", type=int, metavar="N", help="only the first N of them")
    parser.add_argument("--workers", type=int, default=8, metavar="N", help="bodies at a time (8)")
    parser.add_argument("--engine", default="docker", help="container engine (docker)")
    parser.add_argument("--no-cache", action="store_true", help="judge anew, remember nothing")
    parser.add_argument("--json", action="store_true", help="print one JSON object instead")
    parser.set_defaults(run=run)


@dataclass(frozen=True)
class Trial:
    """One body, and the verdict it must get."""

    task: PackTask
    kind: str
    """`reference` or `wrong`."""
    name: str
    code: str
    status: str


@dataclass(frozen=True)
class Outcome:
    """A trial and its verdict."""

    trial: Trial
    verdict: Verdict

    @property
    def good(self) -> bool:
        """Whether the verdict is the stated one."""
        return self.verdict.status.value == self.trial.status

    def to_dict(self) -> dict[str, Any]:
        """JSON-ready."""
        return {
            "kind": self.trial.kind,
            "name": self.trial.name,
            "good": self.good,
            "expected": self.trial.status,
            "status": self.verdict.status.value,
            "reasons": [reason.value for reason in self.verdict.reasons],
            "message": self.verdict.message,
            "seconds": dict(self.verdict.seconds),
            "cached": self.verdict.cached,
        }


def run(args: argparse.Namespace) -> int:
    """Judge all bodies; the exit status says whether all verdicts are the stated ones."""
    if args.workers < 1 or (args.limit is not None and args.limit < 1):
        raise UsageError("--workers and --limit must be at least 1")
    tasks = _chosen(find_pack(args.pack), args)
    trials = [trial for task in tasks for trial in trials_of(task)]
    outcomes = asyncio.run(_judge(args, trials))
    good = all(outcome.good for outcome in outcomes)
    if args.json:
        print(json.dumps({"ok": good, "tasks": _by_task(tasks, outcomes)}, indent=2))
    else:
        _show(tasks, outcomes)
    return 0 if good else 1


def find_pack(name: str) -> tuple[PackTask, ...]:
    """The tasks of an installed environment, of a JSONL file or of a folder of task folders.

    Raises:
        UsageError: there is no such pack, or it cannot be read.
    """
    from judgebox.acsl.pack import read_pack
    from judgebox.acsl.task import load_pack

    path = Path(name)
    if path.is_dir():
        return load_pack(path)
    if path.suffix == ".jsonl":
        return read_pack(path).tasks
    package = name.replace("-", "_")
    spec = importlib.util.find_spec(package) if package.isidentifier() else None
    folders = [Path(place) / "data" for place in (spec and spec.submodule_search_locations) or ()]
    files = sorted(file for folder in folders for file in folder.glob("*.jsonl"))
    if not files:
        raise UsageError(
            f"{name!r} is no installed environment with a pack, no JSONL file and no folder; "
            f"`pip install {name}`, or name a folder such as data/core-v1"
        )
    return tuple(task for file in files for task in read_pack(file).tasks)


def trials_of(task: PackTask) -> list[Trial]:
    """Every reference and wrong body of a task."""
    references = [
        Trial(task, "reference", f"reference-{n}", code, "proved")
        for n, code in enumerate(task.references, 1)
    ]
    return references + [Trial(task, "wrong", w.name, w.code, w.status) for w in task.wrong]


def _chosen(tasks: Sequence[PackTask], args: argparse.Namespace) -> list[PackTask]:
    known = {task.id for task in tasks}
    if unknown := [task_id for task_id in args.ids or () if task_id not in known]:
        raise UsageError(
            f"no such task: {', '.join(unknown)}; there are {', '.join(sorted(known))}"
        )
    chosen = [
        task
        for task in tasks
        if args.split in ("all", task.split) and (args.ids is None or task.id in args.ids)
    ][: args.limit]
    if not chosen:
        raise UsageError(f"no task is in split {args.split}")
    return chosen


async def _judge(args: argparse.Namespace, trials: Sequence[Trial]) -> list[Outcome]:
    from judgebox import images
    from judgebox.acsl.prove import ProofCase
    from judgebox.judge import Judge

    image = await asyncio.to_thread(images.ensure, "frama-c")
    judge = Judge.open(engine=args.engine, cache=not args.no_cache)
    cases = [ProofCase(trial.task.task, trial.code, image=image) for trial in trials]
    try:
        with _Progress(len(trials), quiet=args.json) as done:
            verdicts = await judge.judge_all(cases, done, workers=args.workers)
    finally:
        await judge.close()
    return [Outcome(trial, verdict) for trial, verdict in zip(trials, verdicts, strict=True)]


class _Progress:
    """A bar on standard error, so that standard output is the result alone."""

    def __init__(self, total: int, *, quiet: bool) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TimeElapsedColumn

        self._bar = Progress(
            "judging",
            BarColumn(),
            MofNCompleteColumn(),
            TimeElapsedColumn(),
            console=Console(stderr=True),
            disable=quiet,
            transient=True,
        )
        self._task = self._bar.add_task("", total=total)

    def __enter__(self) -> Callable[[int, Verdict], None]:
        self._bar.start()
        return lambda _number, _verdict: self._bar.advance(self._task)

    def __exit__(self, *_: object) -> None:
        self._bar.stop()


def _by_task(tasks: Sequence[PackTask], outcomes: Sequence[Outcome]) -> list[dict[str, Any]]:
    return [
        {
            "id": task.id,
            "tier": task.tier,
            "split": task.split,
            "bodies": [one.to_dict() for one in outcomes if one.trial.task is task],
        }
        for task in tasks
    ]


def _show(
    tasks: Sequence[PackTask], outcomes: Sequence[Outcome], console: Console | None = None
) -> None:
    from rich.console import Console
    from rich.table import Table

    console = console or Console(highlight=False)
    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column("task", no_wrap=True, min_width=max(len(task.id) for task in tasks))
    for name in ("tier", "references proved", "wrong bodies refused", "CPU s"):
        table.add_column(name, justify="right")
    for task in tasks:
        own = [outcome for outcome in outcomes if outcome.trial.task is task]
        spent = sum(o.verdict.seconds.get("cpu", 0.0) for o in own if not o.verdict.cached)
        counts = (_count(own, "reference"), _count(own, "wrong"))
        table.add_row(task.id, str(task.tier), *counts, f"{spent:.1f}")
    console.print(table)
    bad = [outcome for outcome in outcomes if not outcome.good]
    for one in bad:
        trial, verdict = one.trial, one.verdict
        why = " · ".join([verdict.status.value, *verdict.reasons])
        head = f"\n{trial.task.id} {trial.name}: expected {trial.status}, got {why}"
        console.print(f"{head}\n  {verdict.message}", markup=False, soft_wrap=True)
    kept = sum(outcome.verdict.cached for outcome in outcomes)
    console.print(
        f"\n{len(outcomes) - len(bad)} of {len(outcomes)} bodies of {len(tasks)} tasks got the "
        f"stated verdict; {kept} verdicts were kept from earlier runs",
        soft_wrap=True,
    )


def _count(outcomes: Sequence[Outcome], kind: str) -> str:
    own = [outcome for outcome in outcomes if outcome.trial.kind == kind]
    good = sum(outcome.good for outcome in own)
    text = f"{good} of {len(own)}"
    return text if good == len(own) else f"[red]{text}[/red]"
