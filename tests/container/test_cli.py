"""`judgebox prove` as a user runs it: another process, files, an exit status."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from judgebox.verdict import Status, Verdict

TASK = """/*@ requires -1000 <= x <= 1000;
    assigns \\nothing;
    ensures \\result == x + 1; */
int target(int x)
{
  /* TODO */
}
"""
ORACLE = """#ifdef ORACLE
enum { EDGES = 1 };
static void input(int k) { put("x", k == 0 ? -1000 : draw(-1000, 1000)); }
static void check(void) { expect(out("result") == in("x") + 1, "ensures \\\\result == x + 1"); }
#endif
static void call(void) { put("result", target((int)in("x"))); }
"""
RIGHT = "return x + 1;\n"
FUNCTION = f"int target(int x)\n{{\n  {RIGHT}}}\n"


class Shell:
    """A folder with task.c and oracle.c, and the command."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.write("task.c", TASK)
        self.write("oracle.c", ORACLE)

    def write(self, name: str, text: str | bytes) -> None:
        data = text.encode() if isinstance(text, str) else text
        (self.folder / name).write_bytes(data)

    def prove(
        self, *words: str, stdin: bytes = b"", **environment: str
    ) -> subprocess.CompletedProcess[str]:
        run = subprocess.run(
            [sys.executable, "-m", "judgebox.cli.main", "prove", *words],
            cwd=self.folder,
            input=stdin,
            capture_output=True,
            timeout=300,
            check=False,
            env=os.environ | environment,
        )
        told = run.stdout.decode(), run.stderr.decode()
        return subprocess.CompletedProcess(run.args, run.returncode, *told)

    def judged(self, *words: str, stdin: bytes = b"") -> tuple[int, dict[str, Any], Verdict]:
        """Exit status, the whole answer, and its verdict."""
        run = self.prove(*words, "--json", stdin=stdin)
        assert run.stderr == ""
        told = json.loads(run.stdout)
        return run.returncode, told, Verdict.from_json(json.dumps(told["verdict"]))


@pytest.fixture
def shell(
    tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch, image: str
) -> Shell:
    """Beside the user's own cache; `image` sees to it that nothing has to be built."""
    root = str(Path(__file__).parents[2])
    paths = [root, *filter(None, [os.environ.get("PYTHONPATH")])]
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(paths))
    cache = tmp_path_factory.getbasetemp() / "cache"  # one for all tests here
    monkeypatch.setenv("JUDGEBOX_CACHE", str(cache))
    return Shell(tmp_path_factory.mktemp("shell"))


@pytest.mark.parametrize(
    ("reply", "form"),
    [
        (RIGHT, "body"),
        (FUNCTION, "function"),
        (TASK.replace("/* TODO */", RIGHT), "file"),
        (f"Add one:\n\n```c\n{FUNCTION}```\nDone.\n", "function"),
    ],
    ids=["body", "function", "file", "a model's reply"],
)
def test_a_proved_reply(shell: Shell, reply: str, form: str) -> None:
    shell.write("reply.txt", reply)
    status, told, verdict = shell.judged("task.c", "reply.txt", "--oracle", "oracle.c")
    assert (status, verdict.status, verdict.form) == (0, Status.PROVED, form)
    assert told["reward"] == 1.0
    assert told["parts"] == {"gate": 1.0, "progress": 1.0, "full_proof": 1.0, "integrity": 1.0}
    assert verdict.oracle is not None
    assert set(verdict.digests) == {"submission", "policy", "inputs"}


def test_from_stdin_then_from_the_cache(shell: Shell) -> None:
    words = ("task.c", "-", "--oracle", "oracle.c")
    reply = f"```c\n{FUNCTION}// once\n```".encode()
    first, again = (shell.judged(*words, stdin=reply) for _ in range(2))
    anew = shell.judged(*words, "--no-cache", stdin=reply)
    assert [answer[0] for answer in (first, again, anew)] == [0, 0, 0]
    assert [answer[2].cached for answer in (first, again, anew)] == [False, True, False]
    assert len({answer[2].digest for answer in (first, again, anew)}) == 1


def test_a_refuted_reply_is_shown_with_its_input(shell: Shell) -> None:
    shell.write("reply.txt", "return x < 0 ? x : x + 1;")
    run = shell.prove("task.c", "reply.txt", "--oracle", "oracle.c")
    assert (run.returncode, run.stderr) == (1, "")
    lines = [line.split(maxsplit=1) for line in run.stdout.splitlines()]
    told = {words[0]: words[1] for words in lines if len(words) == 2}
    assert told["verdict"] == "refuted · REFUTED"
    assert 0.10 < float(told["reward"].split()[0]) <= 0.225
    assert told["input"] == "x = -1000"
    assert told["output"] == "result = -1000"
    assert told["breaks"] == "ensures \\result == x + 1"


def test_a_rejected_reply_without_an_oracle(shell: Shell) -> None:
    shell.write("reply.txt", "//@ admit \\false;\nreturn 0;")
    status, told, verdict = shell.judged("task.c", "reply.txt")
    assert (status, verdict.status, told["reward"]) == (1, Status.REJECTED, 0.0)


def test_an_unproved_reply_names_clause_line_and_answers(shell: Shell) -> None:
    shell.write("reply.txt", "//@ assert x > 0;\nreturn x + 1;")
    words = ("task.c", "reply.txt", "--oracle", "oracle.c", "--steps", "2000")
    run = shell.prove(*words)
    assert (run.returncode, run.stderr) == (1, "")
    assert "unproved" in run.stdout
    assert "assertion (body line 1)" in run.stdout
    assert "x > 0" in run.stdout
    assert any(prover in run.stdout for prover in ("CVC4", "Z3", "CVC5"))


@pytest.mark.parametrize(
    ("task", "told"),
    [
        (TASK.replace("/* TODO */", RIGHT), "task.c: line 8: no function whose body"),
        (TASK[TASK.index("int target") :], "task.c: line 1: `target` has no contract"),
        (TASK + "/* never", "task.c: line 8: a comment is never closed"),
        (TASK.encode() + b"\n// \xff\n", "task.c: line 9: not UTF-8 text"),
        (TASK.replace("x + 1", "y + 1"), "line 3: unbound logic variable y"),
        (TASK + "int z = ;\n", "line 8: expected expression"),
    ],
    ids=["no TODO", "no contract", "unclosed", "not UTF-8", "Frama-C refuses", "gcc refuses"],
)
def test_a_task_file_that_states_no_problem(shell: Shell, task: str | bytes, told: str) -> None:
    shell.write("task.c", task)
    shell.write("reply.txt", RIGHT)
    run = shell.prove("task.c", "reply.txt")
    assert (run.returncode, run.stdout) == (2, "")
    assert run.stderr.startswith("judgebox: ")
    assert told in run.stderr
    assert "Traceback" not in run.stderr


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["nowhere.c", "reply.txt"], "cannot read nowhere.c"),
        (["task.c", "nowhere.txt"], "cannot read nowhere.txt"),
        (["task.c", "."], "cannot read ."),
        (["task.c", "reply.txt", "--oracle", "nowhere.c"], "cannot read nowhere.c"),
        (["task.c", "reply.txt", "--oracle", "reply.txt"], "oracle.c does not compile"),
        (["task.c", "reply.txt", "--profile", "best"], "unknown reward profile"),
        (["task.c", "reply.txt", "--engine", "steam"], "unknown engine"),
        (["task.c", "reply.txt", "--steps", "0"], "--steps must be at least 1"),
        (["task.c", "reply.txt", "--steps", "many"], "invalid int value"),
    ],
)
def test_wrong_usage(shell: Shell, words: list[str], told: str) -> None:
    shell.write("reply.txt", RIGHT)
    run = shell.prove(*words)
    assert (run.returncode, run.stdout) == (2, "")
    assert told in run.stderr
    assert "Traceback" not in run.stderr


def test_an_engine_that_is_down_is_no_verdict(shell: Shell) -> None:
    shell.write("reply.txt", RIGHT)
    dead = f"unix://{shell.folder}/nobody.sock"
    run = shell.prove("task.c", "reply.txt", "--no-cache", DOCKER_HOST=dead)
    assert (run.returncode, run.stdout) == (3, "")
    assert "engine" in run.stderr.splitlines()[0]
    assert "mend: " in run.stderr
    assert "Traceback" not in run.stderr
