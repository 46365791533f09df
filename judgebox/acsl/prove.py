"""A C submission held against its contract: the order of the steps, and the verdict on each end.

Cheap first: extraction, integrity and body rules on the host; then the compiler, the oracle,
Frama-C's parser, the provers.  A body that the oracle refutes never starts a prover.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache, cached_property

from judgebox.acsl import framac, oracle
from judgebox.acsl.contract import JudgedText, Refusal, check
from judgebox.acsl.facts import TaskFacts, task_facts
from judgebox.acsl.findings import read_proof
from judgebox.acsl.ledger import Place
from judgebox.acsl.task import ProofTask
from judgebox.canonical import sha256_hex
from judgebox.engines.seccomp import seccomp
from judgebox.extract import C, NoCode, extract
from judgebox.job import File, Job, Step, StepReport
from judgebox.judge import Adjudication
from judgebox.policy import Policy, source_digests
from judgebox.runner import sha256 as runner_sha256
from judgebox.verdict import Diagnostic, OracleResult, Reason, Status, Verdict

PROVED_ANYWAY = 100
"""One refuted body in this many is proved all the same: proved *and* refuted is an alarm."""


@cache
def proof_policy(image: str, *, always_prove: bool = False, inputs: int = oracle.INPUTS) -> Policy:
    """The policy of proof verdicts on one image."""
    templates = [
        *oracle.task_steps(1),
        *oracle.candidate_steps("seed", inputs),
        *(framac.parse_step(), framac.contract_step(), oracle.syntax_step()),
        framac.proof_step(("target",), target="target", initialised=False),
    ]
    job = Job(image, tuple(_renamed(step, str(n)) for n, step in enumerate(templates)))
    return Policy(
        name="prove-c",
        image=image,
        runner=runner_sha256(),
        settings={
            "steps": job.to_wire()["steps"],
            "always_prove": always_prove,
            "proved_anyway": PROVED_ANYWAY,
        },
        modules={
            **source_digests(
                *("judgebox.acsl", "judgebox.extract", "judgebox.job"),
                "judgebox.engines.container",  # what a judge container may do
            ),
            "seccomp.json": sha256_hex(seccomp().encode()),
        },
    )


@dataclass(frozen=True)
class ProofCase:
    """One reply to one proof task; a `judgebox.judge.Case`."""

    task: ProofTask
    reply: str | bytes
    """A model's reply: prose with a code block, or C alone."""
    image: str
    """Id of the judge image."""
    always_prove: bool = False
    """Start the provers on refuted bodies too."""
    inputs_drawn: int = oracle.INPUTS
    """Oracle inputs drawn after the edges."""

    @property
    def submission(self) -> bytes:
        """The reply's bytes; characters UTF-8 does not have are kept apart, not replaced."""
        reply = self.reply
        return reply if isinstance(reply, bytes) else reply.encode("utf-8", "surrogatepass")

    @property
    def inputs(self) -> bytes:
        """The task, canonical."""
        return self.task.canonical

    @cached_property
    def policy(self) -> Policy:
        """See `proof_policy`."""
        return proof_policy(self.image, always_prove=self.always_prove, inputs=self.inputs_drawn)

    def adjudicate(self) -> Adjudication:
        """Judge the reply; see the module."""
        found = extract(self.reply, C, self.task.text.name)
        if isinstance(found, NoCode):
            return Verdict(Status.NO_CODE, (found.reason,), found.message)
        judged = check(
            self.task.text,
            found.code,
            allowed_calls=self.task.calls,
            allow_ghost=self.task.ghost,
            allow_goto=self.task.goto,
        )
        if isinstance(judged, Refusal):
            status = _REFUSED.get(judged.reason, Status.REJECTED)
            place = Diagnostic(judged.message, judged.line, judged.column)
            return Verdict(status, (judged.reason,), judged.message, diagnostics=(place,))
        return (yield from _Trial(self, judged).run())


_REFUSED = {
    Reason.EMPTY_REPLY: Status.NO_CODE,
    Reason.UNTERMINATED: Status.INVALID,
    Reason.COMPILE_ERROR: Status.INVALID,
}
"""Refusals that are not about integrity."""


class _Trial:
    """The part that runs in containers: a judged text on its way to a verdict."""

    def __init__(self, case: ProofCase, judged: JudgedText) -> None:
        self.task = case.task
        self.image = case.image
        self.policy = case.policy
        self.always_prove = case.always_prove
        self.inputs_drawn = case.inputs_drawn
        self.judged = judged
        self.source = judged.text.encode()
        text = case.task.text
        # an end without a `return` gives whatever a register holds, another value each run
        end = "" if text.return_type == "void" else "__builtin_trap();\n"
        self.compiled = text.with_body(f"\n{judged.body}{end}").encode()
        self.seed = sha256_hex(self.source)

    def run(self) -> Adjudication:
        fact = task_facts(self.task, self.image, self.policy)
        facts = TaskFacts.from_bytes((yield fact))
        result: OracleResult | None = None
        if self.task.oracle is None:
            report = yield self._job(oracle.syntax_step(), framac.parse_step())
            if failed := self._invalid(report["syntax"], report["parse"]):
                return failed
        else:
            steps = oracle.candidate_steps(self.seed, self.inputs_drawn)
            files = {
                framac.SOURCE: File(self.compiled),
                "oracle": File(facts.oracle, executable=True),
                "caller.o": File(facts.caller),
            }
            report = yield Job(self.image, steps, files)
            if failed := self._invalid(report["build"]):
                return failed
            result = oracle.read_result(report)
        if result is None or result.passed == result.total:
            return (yield from self._prove(facts, result))
        refuted = self._refuted(result)
        if not self.always_prove:
            report = yield self._job(framac.parse_step())
            refuted = self._invalid(report["parse"]) or refuted
            if not refuted.gate or not self._sampled():
                return refuted
        proved = yield from self._prove(facts, result)
        if proved.status is Status.PROVED:
            reasons = (*refuted.reasons, Reason.SOUNDNESS_ALARM)
            return replace(refuted, reasons=reasons, proof=proved.proof)
        if self.always_prove and proved.gate:
            reasons = tuple(dict.fromkeys((*refuted.reasons, *proved.reasons)))
            return replace(refuted, reasons=reasons, proof=proved.proof)
        return proved if self.always_prove and proved.status is Status.INVALID else refuted

    def _prove(self, facts: TaskFacts, result: OracleResult | None) -> Adjudication:
        step = framac.proof_step(
            facts.functions,
            steps=self.task.steps,
            initialised=self.judged.initialised,
            target=self.task.text.name,
        )
        report = yield self._job(step)
        proving = report["prove"]
        if proving.outcome == "exit" and proving.exit_status == 1:
            return self._annotation_error(proving)
        if not proving.ok:
            # integrity, compiler and oracle have passed: what runs away is the proof
            return replace(_ended(proving, self.judged.form, result), gate=True)
        first = self.task.text.body_line
        place = Place(first, first + 1 + self.judged.body.count("\n"))
        found = read_proof(proving, facts, self.task, place, self.judged.submission_line)
        return Verdict(
            found.status,
            found.reasons,
            found.message,
            gate=found.gate,
            form=self.judged.form,
            oracle=result,
            proof=found.proof,
            toolchain=framac.TOOLCHAIN,
        )

    def _refuted(self, result: OracleResult) -> Verdict:
        example = result.counterexample
        assert example is not None
        reasons = [Reason.REFUTED]
        if result.cut_short:  # by a limit in seconds or bytes: never cached
            reasons.append(Reason.CPU_LIMIT)
        clause = f", breaks {example.clause}" if example.clause else ""
        return Verdict(
            Status.REFUTED,
            tuple(reasons),
            f"on {example.input}: {example.output}{clause}",
            gate=True,
            form=self.judged.form,
            oracle=result,
            toolchain=framac.TOOLCHAIN,
        )

    def _sampled(self) -> bool:
        return int(self.seed[:8], 16) % PROVED_ANYWAY == 0

    def _job(self, *steps: Step) -> Job:
        return Job(self.image, steps, {framac.SOURCE: File(self.source)})

    def _invalid(self, *steps: StepReport) -> Verdict | None:
        """The verdict if a compiler or parser step did not end well, None if all did."""
        for step in steps:
            if step.ok:
                continue
            if step.outcome != "exit" or step.exit_status != 1:
                return _ended(step, self.judged.form, None)
            if step.name == "parse":
                return self._annotation_error(step)
            return self._complaint(step.stderr, Reason.COMPILE_ERROR, "the compiler")
        return None

    def _annotation_error(self, step: StepReport) -> Verdict:
        return self._complaint(step.stdout, Reason.ANNOTATION_ERROR, "Frama-C")

    def _complaint(self, text: bytes, reason: Reason, who: str) -> Verdict:
        diagnostics = framac.diagnostics(text, self.judged.submission_line)
        if not diagnostics:  # no complaint about the code: the tool itself failed
            why = f"{who} failed without a message about the code"
            return Verdict(Status.CRASHED, (Reason.TOOL_CRASHED,), why, form=self.judged.form)
        first = diagnostics[0]
        where = f" at line {first.line}" if first.line else ""
        return Verdict(
            Status.INVALID,
            (reason,),
            f"{who} does not accept the code{where}: {first.message}",
            form=self.judged.form,
            diagnostics=diagnostics,
            toolchain=framac.TOOLCHAIN,
        )


def _ended(step: StepReport, form: str | None, result: OracleResult | None) -> Verdict:
    """The verdict on a tool that did not come to its own end."""
    status, reason = {
        "timeout": (
            Status.TIMEOUT,
            Reason.CPU_LIMIT if step.limit == "cpu" else Reason.WALL_LIMIT,
        ),
        "memory": (Status.MEMORY, Reason.MEMORY_LIMIT),
        "output_limit": (Status.OUTPUT_LIMIT, Reason.OUTPUT_LIMIT),
    }.get(step.outcome, (Status.CRASHED, Reason.TOOL_CRASHED))
    how = step.limit or step.signal or step.exit_status or ""
    message = f"the step {step.name!r} ended by {step.outcome} {how}".rstrip()
    return Verdict(status, (reason,), message, form=form, oracle=result, toolchain=framac.TOOLCHAIN)


def _renamed(step: Step, name: str) -> Step:
    return Step(name, step.argv, step.limits, step.trust, env=step.env, returns=step.returns)
