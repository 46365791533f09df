"""How Frama-C 25 is run: fixed flags, provers in stages, budgets in steps.

Why each flag stands here was measured; see the comments.  Seconds only stop what runs away:
whether a goal is proved is decided by steps, which do not depend on the machine's load.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from judgebox.job import Limits, Step
from judgebox.verdict import Diagnostic

TOOLCHAIN = "Frama-C 25.0 (Manganese), why3 1.5.1, CVC4 1.8, Z3 4.8.12, CVC5 1.0.3"
SOURCE = "judged.c"
LEDGER = "ledger.csv"
KERNEL_LOG = "kernel.txt"
WP_LOG = "wp.txt"
GOALS = "goals.txt"

STAGES = ("cvc4", "z3", "cvc5")
"""Provers one after the other, each on what the ones before left open.  Racing them on every goal
gives the same verdicts and burns CPU; CVC4 alone proves most goals of array code."""

STEPS = 60_000
"""Steps per goal, in units of CVC4 and CVC5; the image's why3.conf gives Z3 ten times as many."""

HARMLESS = re.compile(
    r"\[wp\] warning: No goal generated"
    r"|judged\.c:\d+:\[kernel:CERT:MSC:37\] warning: Body of function \w+ falls-through\."
    r" Adding a return statement"
    r"|judged\.c:\d+:\[wp\] warning: Missing assigns clause \(assigns 'everything' instead\)"
)
"""Warnings that say nothing of soundness: a later stage that finds nothing open; an end without a
`return`, which has its own row (`missing_return`); a loop taken to change everything."""

_GIB = 1 << 30
PARSE_LIMITS = Limits(20, 60, 2 * _GIB, 1 << 20, 16 << 20, 64)
PROOF_LIMITS = Limits(600, 1200, 2 * _GIB, 4 << 20, 64 << 20, 64)

_ENVIRONMENT = {
    "PATH": "/usr/bin:/bin",
    "LANG": "C.UTF-8",
    "WHY3CONFIG": "/etc/judge/why3.conf",
}
_KERNEL = ("frama-c", "-no-autoload-plugins")
_MACHINE = ("-machdep", "x86_64")
_REPORT = ("-then", "-no-unicode", "-report-untried", "-report-csv", LEDGER, "-report")


def parse_step(name: str = "parse") -> Step:
    """Whether the kernel accepts the text and its annotations; no plug-in, no prover."""
    argv = (*_KERNEL, *_MACHINE, SOURCE)
    return Step(name, argv, PARSE_LIMITS, env=_ENVIRONMENT)


def contract_step(name: str = "contract") -> Step:
    """The ledger of a text nobody tried to prove: which rows its contract has."""
    argv = (*_KERNEL, "-load-module", "report", *_MACHINE, "-kernel-log", f"w:{KERNEL_LOG}", SOURCE)
    return Step(
        name, (*argv, *_REPORT), PARSE_LIMITS, env=_ENVIRONMENT, returns=(LEDGER, KERNEL_LOG)
    )


def proof_step(
    functions: tuple[str, ...],
    *,
    steps: int = STEPS,
    initialised: bool = True,
    target: str,
    name: str = "prove",
) -> Step:
    """WP and RTE over `functions`, in stages, then the ledger.

    `steps` is the budget of one goal.  Without `initialised` RTE also asks that every read of a
    local of `target` finds a value, which costs about 30 % more CPU.
    """
    reports = tuple(report_name(stage) for stage in STAGES)
    argv = [
        *_KERNEL,
        # the plug-ins used and no others: halves the start-up
        *("-load-module", "wp,rtegen,report,variadic"),
        *_MACHINE,
        *("-kernel-log", f"w:{KERNEL_LOG}", "-wp-log", f"w:{WP_LOG},rf:{GOALS}"),
        *(("-rte-initialized", target) if not initialised else ()),
        *("-wp-rte", "-wp-fct", ",".join(functions)),
        # seconds are a backstop far beyond what the steps take
        *("-wp-steps", str(steps), "-wp-timeout", "20"),
        # overlaps the scheduler's sleeps; no effect on step-limited answers
        *("-wp-par", "4", "-wp-cache", "none"),
    ]
    for number, (stage, report) in enumerate(zip(STAGES, reports, strict=True)):
        # `-wp` must be repeated after each `-then`, or the stage does nothing
        argv += ["-then"] if number else []
        argv += ["-wp", "-wp-prover", stage, "-wp-report-json", report]
        argv += [] if number else [SOURCE]
    return Step(
        name,
        (*argv, *_REPORT),
        PROOF_LIMITS,
        env=_ENVIRONMENT,
        returns=(LEDGER, KERNEL_LOG, WP_LOG, GOALS, *reports),
    )


def report_name(stage: str) -> str:
    """File of a stage's WP report."""
    return f"{stage}.json"


_MESSAGE = re.compile(
    rf"^(?:\[[a-z:-]+\] )?{re.escape(SOURCE)}:(\d+)(?::(\d+))?: *(?:fatal )?(?:user )?"
    r"(error|warning|Warning|Error)?:?[ \n]*((?:[^\n:]+:\n)?.+)$",
    re.MULTILINE,
)


def diagnostics(text: bytes, origin: Callable[[int], int | None]) -> tuple[Diagnostic, ...]:
    """Messages of gcc or of Frama-C about the judged text, at most 20, for people to read.

    Never decides anything: parts of the text are the candidate's.
    """
    found = []
    for match in _MESSAGE.finditer(text.decode("utf-8", "replace")):
        line, column, severity, message = match.groups()
        found.append(
            Diagnostic(
                " ".join(message.split())[:300],
                origin(int(line)),
                int(column) if column else None,
                (severity or "error").lower(),
            )
        )
    found.sort(key=lambda diagnostic: diagnostic.severity != "error")
    return tuple(found[:20])
