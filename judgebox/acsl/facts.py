"""What all submissions to a task share: the ledger of its own text, its built oracle.

Made once per task text and policy, from the text with a stub body, so that it exists for any
user's file.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Generator
from dataclasses import dataclass, replace
from functools import cached_property

from judgebox.acsl import framac, oracle
from judgebox.acsl.context import TaskText
from judgebox.acsl.ledger import Entry, Place, ReportError, parse_ledger, split_ledger
from judgebox.acsl.task import ProofTask
from judgebox.acsl.tokens import lex
from judgebox.acsl.units import partners, units
from judgebox.canonical import canonical_json, sha256_hex
from judgebox.errors import JudgeError, UsageError
from judgebox.job import File, Job, Report, StepReport
from judgebox.judge import Fact
from judgebox.policy import Policy


@dataclass(frozen=True)
class TaskFacts:
    """See the module; bytes as the tools wrote them."""

    ledger: bytes
    """Ledger of the text with a stub body: the manifest and the baseline."""
    kernel_log: bytes
    """The kernel's warnings on that text."""
    functions: tuple[str, ...]
    """Functions with a body in the text, the target among them: those to be proved."""
    stub_valid: int = 0
    """Contract rows Valid under the best stub that terminates; 0 where an oracle decides."""
    oracle: bytes = b""
    caller: bytes = b""

    @cached_property
    def entries(self) -> tuple[Entry, ...]:
        """The ledger's rows."""
        return parse_ledger(self.ledger)

    def to_bytes(self) -> bytes:
        """As JSON."""
        return canonical_json(
            {
                "ledger": _text(self.ledger),
                "kernel_log": _text(self.kernel_log),
                "functions": list(self.functions),
                "stub_valid": self.stub_valid,
                "oracle": _text(self.oracle),
                "caller": _text(self.caller),
            }
        )

    @classmethod
    def from_bytes(cls, data: bytes) -> TaskFacts:
        """Read `to_bytes` back."""
        wire = json.loads(data)
        return cls(
            ledger=base64.b64decode(wire["ledger"]),
            kernel_log=base64.b64decode(wire["kernel_log"]),
            functions=tuple(wire["functions"]),
            stub_valid=wire["stub_valid"],
            oracle=base64.b64decode(wire["oracle"]),
            caller=base64.b64decode(wire["caller"]),
        )


def task_facts(task: ProofTask, image: str, policy: Policy) -> Fact:
    """The facts of a task as something the judge can make and keep.

    Making them raises UsageError when compiler or Frama-C refuse the task's own text, and
    JudgeError when a tool fails on it.
    """
    key = sha256_hex(canonical_json(["facts", policy.digest, sha256_hex(task.canonical)]))
    return Fact(key, lambda: _make(task, image))


def _make(task: ProofTask, image: str) -> Generator[Job, Report, bytes]:
    text = task.text
    stubs = text.stubs()
    source = text.with_body(stubs[0])
    functions = (text.name, *_defined(text))
    # given functions have rows of their own, whose statuses only a proof run shows
    step = (
        framac.proof_step(functions, steps=task.steps, target=text.name, name="contract")
        if len(functions) > 1
        else framac.contract_step()
    )
    syntax = oracle.syntax_step()
    steps = (syntax, replace(step, needs=syntax.name))
    report = yield Job(image, steps, {framac.SOURCE: File(source.encode())})
    for who, did in (("the compiler", report["syntax"]), ("Frama-C", report["contract"])):
        if did.outcome == "exit" and did.exit_status == 1:
            raise _refused(text, source, who, did)
        if not did.ok:
            raise JudgeError(f"{who} failed on the task's own text: {did.outcome}")
    made = report["contract"]
    if framac.LEDGER not in made.files:
        raise JudgeError("Frama-C wrote no ledger of the task's own text")
    facts = TaskFacts(
        ledger=made.files[framac.LEDGER],
        kernel_log=made.files.get(framac.KERNEL_LOG, b""),
        functions=functions,
    )
    if task.oracle is None:
        valid = yield from _stub_valid(task, image, facts)
        return replace(facts, stub_valid=valid).to_bytes()
    files = oracle.task_files(
        task.oracle, text.with_body(oracle.stub_switch(stubs)), _declared(text)
    )
    report = yield Job(image, oracle.task_steps(len(stubs)), files)
    for built in report.steps:
        if not built.ok:
            first = built.stderr.decode("utf-8", "replace")[:400].strip()
            raise UsageError(f"{task.id}: its oracle.c does not compile: {first}")
    return replace(
        facts, oracle=report["oracle"].files["oracle"], caller=report["caller"].files["caller.o"]
    ).to_bytes()


def _refused(text: TaskText, source: str, who: str, step: StepReport) -> UsageError:
    """`who` does not accept `source`, the task's text with a stub body of one line."""
    shift = text.text.count("\n") - source.count("\n")
    found = framac.diagnostics(
        step.stdout + step.stderr,
        lambda line: line if line <= text.body_line else line + shift,
    )
    where = f"line {found[0].line}: {found[0].message}" if found else "no message"
    return UsageError(f"{who} does not accept the task's own text: {where}")


def _stub_valid(task: ProofTask, image: str, facts: TaskFacts) -> Generator[Job, Report, int]:
    """Contract rows Valid under the best trivial stub whose termination is Valid."""
    text = task.text
    best = 0
    here = Place(text.body_line, text.body_line)
    for stub in text.stubs():
        step = framac.proof_step(facts.functions, steps=task.steps, target=text.name)
        source = text.with_body(stub).encode()
        report = yield Job(image, (step,), {framac.SOURCE: File(source)})
        made = report["prove"]
        if made.outcome != "exit":
            raise JudgeError(
                f"proving a trivial body met a limit: {made.outcome}",
                "give the task fewer prover steps, or the judge more time",
            )
        if not made.ok:
            continue
        try:
            entries = parse_ledger(made.files.get(framac.LEDGER, b""))
        except ReportError as error:
            raise JudgeError(f"a stub's ledger cannot be read: {error}") from error
        rows = split_ledger(entries, facts.entries, text.name, here, here).contract
        ends = all(row.status == "Valid" for row in rows if row.kind == "termination clause")
        best = max(best, sum(row.status == "Valid" for row in rows) if ends else 0)
    return best


def _defined(text: TaskText) -> list[str]:
    """The other functions that have a body."""
    tokens = lex(text.source)
    found = units(tokens, partners(tokens))
    return sorted(
        unit.name
        for unit in found
        if unit.kind == "function" and unit.name and unit.name != text.name
    )


def _declared(text: TaskText) -> str:
    """The task's text with a declaration in the place of the target's definition."""
    head, tail = text.with_body("\0").split("\0")
    return head[: head.rindex("{")] + ";" + tail[tail.index("}") + 1 :]


def _text(data: bytes) -> str:
    return base64.b64encode(data).decode("ascii")
