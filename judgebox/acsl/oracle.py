"""The oracle: refutes a wrong body by executing the contract, before any prover starts.

Two programs (see `oracle.h`): the *oracle* is the task's and is built once; the *candidate* is the
judged text, built with sanitizers for each submission.  They run under different uids, and only
records of bytes go between them.
"""

from __future__ import annotations

import json
import re
import struct
from collections.abc import Iterator, Sequence
from importlib import resources
from itertools import islice

from judgebox.acsl.framac import PARSE_LIMITS, SOURCE
from judgebox.errors import JudgeError
from judgebox.job import File, Limits, Report, Stdout, Step, StepReport
from judgebox.verdict import Counterexample, OracleResult

INPUTS = 200
"""Inputs drawn for each submission, after the task's edges."""

SHOWN = 1000
"""Characters of an input or output that a verdict shows."""

_MIB = 1 << 20
BUILD_LIMITS = Limits(20, 60, 2048 * _MIB, _MIB, 32 * _MIB, 64)
RUN_LIMITS = Limits(5, 20, 512 * _MIB, 16 * _MIB, 0, 16)
_BUILD_ENVIRONMENT = {"PATH": "/usr/bin:/bin", "LANG": "C.UTF-8"}
_RUN_ENVIRONMENT = {
    "ASAN_OPTIONS": "detect_leaks=0:symbolize=0:print_summary=0:print_legend=0",
    "UBSAN_OPTIONS": "symbolize=0:print_stacktrace=0",
}
STRICT = tuple(
    f"-Werror={warning}"
    for warning in ("int-conversion", "incompatible-pointer-types", "discarded-qualifiers")
)
"""Conversions that C forbids and gcc only warns of: casts that the body rules never saw."""
_SANITIZERS = (
    "-fsanitize=address,undefined,float-divide-by-zero,float-cast-overflow",
    "-fno-sanitize-recover=all",
    # a variable without a value holds a pattern, so that reading it shows
    "-ftrivial-auto-var-init=pattern",
)
_UNIT = b'#include "task.c"\n#include "oracle.h"\n#include "oracle.c"\n#include "oracle_main.c"\n'
_COUNT = struct.Struct("<I")


def task_files(oracle: str, stubs: str, declared: str) -> dict[str, File]:
    """Input files of `task_steps`: `stubs` is the text whose target runs stub `judge_stub`,
    `declared` the one whose target has no body."""
    package = resources.files("judgebox.acsl")
    return {
        "oracle.h": File(package.joinpath("oracle.h").read_bytes()),
        "oracle_main.c": File(package.joinpath("oracle_main.c").read_bytes()),
        "oracle.c": File(oracle.encode()),
        "stub.h": File(b"extern int judge_stub;\n"),
        "stubs.c": File(stubs.encode()),
        "declared.c": File(declared.encode()),
        "oracle_unit.c": File(_UNIT.replace(b"task.c", b"stubs.c")),
        "caller_unit.c": File(_UNIT.replace(b"task.c", b"declared.c")),
    }


def task_steps(stub_count: int) -> tuple[Step, ...]:
    """Build the task's own parts once: `oracle`, and `caller.o`, which calls the target."""
    gcc = ("gcc", "-std=gnu11", "-w")
    oracle = (*gcc, "-O0", "-include", "stub.h", "-DORACLE", f"-DJUDGE_STUBS={stub_count}")
    return (
        Step(
            "oracle",
            (*oracle, "oracle_unit.c", "-o", "oracle"),
            BUILD_LIMITS,
            env=_BUILD_ENVIRONMENT,
            returns=("oracle",),
        ),
        Step(
            "caller",
            # guarded, so that an output that `call` keeps in a local has guarded ends too
            (*gcc, "-O1", "-fsanitize=address", "-c", "caller_unit.c", "-o", "caller.o"),
            BUILD_LIMITS,
            env=_BUILD_ENVIRONMENT,
            returns=("caller.o",),
        ),
    )


def syntax_step(name: str = "syntax") -> Step:
    """Whether the compiler accepts the text, where no oracle needs it built."""
    argv = ("gcc", "-std=c11", *STRICT, "-fsyntax-only", SOURCE)
    return Step(name, argv, PARSE_LIMITS, env=_BUILD_ENVIRONMENT)


def stub_switch(stubs: Sequence[str]) -> str:
    """A body that runs the stub named by `judge_stub`."""
    cases = " ".join(f"case {number}: {{ {stub} }} break;" for number, stub in enumerate(stubs))
    return f" switch (judge_stub) {{ {cases} }} "


def candidate_steps(seed: str, inputs: int = INPUTS) -> tuple[Step, ...]:
    """Build the candidate, run it on the task's inputs, check what came out.

    Expects the files `judged.c`, `caller.o` and `oracle`.
    """
    # an optimizer drops reads and overflows whose value is not used, and the pattern of variables
    build = ("gcc", "-std=c11", "-O0", *STRICT, *_SANITIZERS, SOURCE, "caller.o")
    return (
        # both units hold the task's own helpers: the judged text's come first
        Step(
            "build",
            (*build, "-Wl,-z,muldefs", "-o", "candidate"),
            BUILD_LIMITS,
            env=_BUILD_ENVIRONMENT,
        ),
        Step("input", ("./oracle", "input", seed, str(inputs)), RUN_LIMITS, needs="build"),
        Step(
            "run",
            ("./candidate",),
            RUN_LIMITS,
            trust="candidate",
            stdin=(Stdout("input"),),
            env=_RUN_ENVIRONMENT,
            takes=("candidate",),
            needs="input",
        ),
        Step(
            "check",
            ("./oracle", "check"),
            RUN_LIMITS,
            stdin=(Stdout("input"), Stdout("run")),
            needs="input",
        ),
    )


def read_result(report: Report) -> OracleResult:
    """What the oracle found, from a report of `candidate_steps` whose `build` succeeded.

    Raises:
        JudgeError: the oracle itself failed; the task's author, or we, must mend it.
    """
    drawn, run, check = report["input"], report["run"], report["check"]
    for step in (drawn, check):
        if not step.ok:
            raise JudgeError(
                f"the oracle failed at {step.name!r}: {step.outcome} "
                f"{step.exit_status if step.outcome == 'exit' else step.signal or ''} "
                f"{step.stderr[:200].decode('utf-8', 'replace').strip()}",
                "this is a fault of the task's oracle.c or of the judge, not of the reply",
            )
    try:
        found = json.loads(check.stdout)
        passed: str = found["passed"]
        stubs: list[str] = found["stubs"]
        first: int | None = found["first"]
        (total,) = _COUNT.unpack_from(drawn.stdout)
        if {len(passed), *map(len, stubs)} != {total}:
            raise ValueError("counts differ")
        if not set(passed).union(*stubs) <= {"0", "1"}:
            raise ValueError("neither passed nor failed")
        if first != (passed.index("0") if "0" in passed else None):
            raise ValueError("the first failing input is not one")
        return OracleResult(
            passed=passed.count("1"),
            total=total,
            stub_passed=max((stub.count("1") for stub in stubs), default=0),
            cut_short=run.outcome in ("timeout", "memory", "output_limit") or found["ended"] == "T",
            counterexample=None
            if first is None
            else Counterexample(
                input=render(_nth_input(drawn.stdout, first)),
                output=_output(run, first, found["ended"]),
                clause=found["clause"],
            ),
        )
    except (ValueError, KeyError, TypeError, RecursionError, struct.error) as error:
        raise JudgeError(f"the oracle's answer makes no sense: {error}") from error


def _nth_input(stream: bytes, number: int) -> bytes:
    at = _COUNT.size
    for _ in range(number):
        at += _COUNT.size + _COUNT.unpack_from(stream, at)[0]
    return stream[at + _COUNT.size : at + _COUNT.size + _COUNT.unpack_from(stream, at)[0]]


def _output(run: StepReport, number: int, ended: str) -> str:
    """How the run on input `number` ended, for people; the bytes are the candidate's."""
    if ended == "R":
        at = 0
        try:
            for _ in range(number):
                at += 5 + _COUNT.unpack_from(run.stdout, at + 1)[0]
            size = _COUNT.unpack_from(run.stdout, at + 1)[0]
            return render(run.stdout[at + 5 : at + 5 + size])
        except struct.error:
            return "not readable"
    if ended == "T":
        return "does not return: stopped after 0.05 s of CPU time"
    if ended == "C":
        return f"run-time error: {_sanitizer_word(run.stderr)}"
    return f"not run to its end: {run.outcome}{f' ({run.limit})' if run.limit else ''}"


def _sanitizer_word(stderr: bytes) -> str:
    text = stderr.decode("utf-8", "replace")
    if found := re.search(r"runtime error: (.{1,160})", text):
        return _printable(found[1].strip())
    if found := re.search(r"ERROR: AddressSanitizer: ([\w-]+)", text):
        return found[1]
    return "ended by a signal"


def render(record: bytes, most: int = 24) -> str:
    """A record as people write it: `n = 3, a = {1, 2, 3}`; at most `most` elements an array, one
    line of at most `SHOWN` characters."""
    shown = []
    for name, values, is_scalar in islice(_items(record), SHOWN):
        if is_scalar:
            shown.append(f"{name} = {values[0] if values else '?'}")
        else:
            cut = ", …" if len(values) > most else ""
            shown.append(f"{name} = {{{', '.join(map(str, values[:most]))}{cut}}}")
    text = _printable(", ".join(shown))
    return text if len(text) <= SHOWN else f"{text[: SHOWN - 1]}…"


def _printable(text: str) -> str:
    return "".join(letter if letter.isprintable() else "?" for letter in text)


def _items(record: bytes) -> Iterator[tuple[str, list[int], bool]]:
    """Items as `oracle.h` lays them: flags and element size, name, count, data.  Stops at the
    first that is not whole: the bytes may be a candidate's."""
    at = 0
    while at + 6 <= len(record):
        flags, name_size = record[at], record[at + 1]
        start = at + 6 + name_size
        if start > len(record):
            return
        name = record[at + 2 : at + 2 + name_size].decode("ascii", "replace")
        (count,) = _COUNT.unpack_from(record, start - 4)
        width = flags & 15
        end = start + width * count
        if width == 0 or end > len(record):
            return
        yield (
            name,
            [
                int.from_bytes(record[place : place + width], "little", signed=bool(flags & 0x80))
                for place in range(start, end, width)
            ],
            bool(flags & 0x40),
        )
        at = end
