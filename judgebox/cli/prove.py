"""`judgebox prove`: score one reply to any C file whose target body is a TODO."""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
from collections.abc import Callable
from pathlib import Path

from rich.console import Console
from rich.markup import escape

from judgebox import images
from judgebox.acsl.framac import STEPS
from judgebox.acsl.prove import ProofCase
from judgebox.acsl.task import ProofTask
from judgebox.errors import UsageError
from judgebox.judge import Judge
from judgebox.rubric import PARTS, Profile, Weights, parts, profile_named, reward
from judgebox.verdict import Goal, Proof, Row, Status, Verdict

_ROW_KINDS = {"user assertion": "assertion", "assigns clause": "assigns"}


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Register the command."""
    parser = subparsers.add_parser(
        "prove",
        help="score one reply to a C file with a TODO body",
        description="Prove CANDIDATE against the contract in TASK.c and print its reward.",
        epilog="exit status: 0 proved · 1 not proved · 2 wrong usage · 3 the judge itself failed",
    )
    parser.add_argument("task", metavar="TASK.c", type=Path, help="C file: contract and TODO body")
    parser.add_argument(
        "candidate",
        metavar="CANDIDATE",
        help="C file (whole file, function or body) or a model's whole reply; - for stdin",
    )
    parser.add_argument("--oracle", type=Path, metavar="ORACLE.c", help="executable check")
    parser.add_argument("--steps", type=int, default=STEPS, help="prover steps per goal")
    parser.add_argument(
        "--profile", default="staged", help="reward profile: staged (default), rows or goals"
    )
    parser.add_argument("--engine", default="docker", help="container engine (docker)")
    parser.add_argument("--no-cache", action="store_true", help="judge anew, remember nothing")
    parser.add_argument(
        "--always-prove", action="store_true", help="start the provers on refuted bodies too"
    )
    parser.add_argument("--json", action="store_true", help="print the whole verdict as JSON")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Judge one reply; the exit status says whether it is proved."""
    profile = profile_named(args.profile)
    if args.steps < 1:
        raise UsageError("--steps must be at least 1")
    source = _read(args.task)
    oracle = _read(args.oracle) if args.oracle else None
    task = ProofTask(id=args.task.stem, source=source, oracle=oracle, steps=args.steps)
    try:
        task.text  # noqa: B018  # parsed here, so that a bad file is named before an engine starts
    except UsageError as error:
        raise UsageError(f"{args.task}: {error}") from error
    reply = sys.stdin.buffer.read() if args.candidate == "-" else _bytes(Path(args.candidate))
    verdict = asyncio.run(_judge(args, task, reply))
    if args.json:
        scored = {"reward": reward(verdict, profile=profile), "parts": parts(verdict, profile)}
        print(json.dumps(scored | {"verdict": verdict.to_dict()}, indent=2))
    else:
        show(verdict, profile)
    return 0 if verdict.status is Status.PROVED else 1


async def _judge(args: argparse.Namespace, task: ProofTask, reply: bytes) -> Verdict:
    image = await asyncio.to_thread(images.ensure, "frama-c")
    judge = Judge.open(engine=args.engine, cache=not args.no_cache)
    try:
        return await judge.judge(
            ProofCase(task, reply, image=image, always_prove=args.always_prove)
        )
    finally:
        await judge.close()


def _read(path: Path) -> str:
    data = _bytes(path)
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise UsageError(f"{path}: line {line}: not UTF-8 text") from error


def _bytes(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise UsageError(f"cannot read {path}: {error.strerror}") from error


def show(verdict: Verdict, profile: Profile = "staged", console: Console | None = None) -> None:
    """Print a verdict for a person: reward first, then what is open."""
    console = console or Console(highlight=False, soft_wrap=True)

    def line(label: str, text: str) -> None:
        console.print(f"[bold]{label:<9}[/bold]{escape(text)}")

    weights, found = Weights(), parts(verdict, profile)
    sums = " + ".join(f"{weights.of_part(name) * found[name]:.3f} {name}" for name in PARTS)
    line("verdict", " · ".join([verdict.status.value, *verdict.reasons]))
    line("reward", f"{reward(verdict, weights, profile):.3f} = {sums}")
    if verdict.message:
        line("because", verdict.message)
    if verdict.oracle:
        oracle = verdict.oracle
        stub = f"best trivial body: {oracle.stub_passed}"
        line("oracle", f"{oracle.passed} of {oracle.total} inputs passed ({stub})")
        if oracle.counterexample:
            line("input", oracle.counterexample.input)
            line("output", oracle.counterexample.output)
            if oracle.counterexample.clause:
                line("breaks", oracle.counterexample.clause)
    if verdict.proof:
        _show_proof(verdict.proof, line)
    for diagnostic in verdict.diagnostics:
        where = f"line {diagnostic.line}: " if diagnostic.line else ""
        line(diagnostic.severity, where + diagnostic.message)
    seconds = verdict.seconds
    spent = f"{seconds.get('cpu', 0):.2f} s CPU, {seconds.get('wall', 0):.2f} s wall"
    line("judged", f"in {spent}{', kept from an earlier run' if verdict.cached else ''}")


def _show_proof(proof: Proof, line: Callable[[str, str], None]) -> None:
    counts = f"{proof.contract_valid} of {len(proof.contract)} contract rows Valid"
    line("proof", f"{counts}, {proof.goals_proved} of {proof.goals_total} goals proved")
    open_goals = [goal for goal in proof.goals if not goal.proved]
    for where, rows in (("contract", proof.contract), ("body", proof.body)):
        for row in rows:
            if row.status != "Valid":
                line("open", f"{_place(row, where)} {row.status}: {' '.join(row.property.split())}")
                for goal in [goal for goal in open_goals if _belongs(goal, row)]:
                    open_goals.remove(goal)
                    line("", f"    {_answers(goal)}")
    for goal in open_goals:
        line("goal", _answers(goal))


def _place(row: Row, where: str) -> str:
    kind = _ROW_KINDS.get(row.kind, row.kind)
    return f"{kind} ({where}{f' line {row.line}' if row.line else ''})"


def _belongs(goal: Goal, row: Row) -> bool:
    return bool(goal.property) and (goal.property, goal.line) == (row.property, row.line)


def _answers(goal: Goal) -> str:
    said = " · ".join(f"{prover} {word}" for prover, word in goal.answers.items())
    return f"{goal.name}: {said}"
