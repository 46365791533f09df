from __future__ import annotations

import base64
import json
from typing import Any

import pytest

from judgebox.job import File, Job, Limits, Report, Stdout, Step

LIMITS = Limits(
    cpu_s=1.5, wall_s=2.5, memory_bytes=1 << 26, output_bytes=10, file_bytes=20, processes=3
)
JOB = Job(
    "sha256:" + 64 * "0",
    (
        Step("build", ("cc", "x.c"), LIMITS, env={"A": "b"}),
        Step(
            "run",
            ("./x",),
            LIMITS,
            "candidate",
            stdin=(b"\0\xff", Stdout("build")),
            takes=("x",),
            returns=("out",),
            needs="build",
        ),
    ),
    {"x.c": File(b"\xc3"), "x.sh": File(b"", executable=True)},
)


def entry(name: str, **changes: Any) -> dict[str, Any]:
    return {
        "name": name,
        "outcome": "exit",
        "exit_status": 0,
        "signal": None,
        "limit": None,
        "stdout": "",
        "stderr": "",
        "files": {},
        "missing": {},
        "cpu_s": 0.5,
        "wall_s": 1,
        "waited_s": 0,
        "peak_bytes": 5,
        **changes,
    }


def test_a_job_survives_the_wire() -> None:
    wire = json.loads(json.dumps(JOB.to_wire()))
    assert "image" not in wire
    assert base64.b64decode(wire["files"]["x.c"]["data"]) == b"\xc3"
    assert wire["files"]["x.sh"]["executable"] is True
    build, run = wire["steps"]
    assert build["limits"] == {
        "cpu_s": 1.5,
        "wall_s": 2.5,
        "memory_bytes": 1 << 26,
        "output_bytes": 10,
        "file_bytes": 20,
        "processes": 3,
    }
    assert (build["argv"], build["env"], build["needs"]) == (["cc", "x.c"], {"A": "b"}, None)
    assert run["stdin"] == [{"bytes": "AP8="}, {"stdout": "build"}]
    assert (run["trust"], run["takes"], run["returns"]) == ("candidate", ["x"], ["out"])
    assert run["needs"] == "build"


def test_a_report_survives_the_wire() -> None:
    run = entry("run", outcome="signal", exit_status=None, signal=11, stdout="AP/D")
    run.update(files={"out": "AA=="}, missing={"b": "absent"})
    report = Report.from_wire({"steps": [entry("build"), run]}, JOB, queue_s=2.0)
    assert report["run"].stdout == b"\0\xff\xc3"
    assert report["run"].files == {"out": b"\0"}
    assert report["run"].missing == {"b": "absent"}
    assert (report["build"].ok, report["run"].ok) == (True, False)
    assert (report.cpu_s, report.wall_s, report.queue_s) == (1.0, 2.0, 2.0)


@pytest.mark.parametrize(
    "wire",
    [
        pytest.param({}, id="empty"),
        pytest.param({"steps": None}, id="no-list"),
        pytest.param({"steps": [entry("build")]}, id="too-few"),
        pytest.param({"steps": [entry("run"), entry("build")]}, id="order"),
        pytest.param({"steps": [entry("build"), entry("run"), entry("run")]}, id="too-many"),
        pytest.param({"steps": [entry("build"), {"name": "run"}]}, id="fields"),
        pytest.param({"steps": [entry("build"), entry("run", stdout="*")]}, id="base64"),
        pytest.param({"steps": [entry("build"), entry("run", cpu_s="x")]}, id="number"),
    ],
)
def test_a_malformed_report_is_refused(wire: dict[str, Any]) -> None:
    with pytest.raises(ValueError):  # noqa: PT011 - many causes, one type
        Report.from_wire(wire, JOB)


@pytest.mark.parametrize(
    "steps",
    [
        pytest.param((Step("a", (), LIMITS), Step("a", (), LIMITS)), id="repeated"),
        pytest.param((Step("a", (), LIMITS, needs="b"), Step("b", (), LIMITS)), id="later"),
        pytest.param((Step("a", (), LIMITS, stdin=(Stdout("a"),)),), id="itself"),
    ],
)
def test_steps_refer_backwards_only(steps: tuple[Step, ...]) -> None:
    with pytest.raises(ValueError, match="repeated, or refers"):
        Job("", steps)


@pytest.mark.parametrize("name", ["", ".", "..", "a/b", "/etc/passwd"])
def test_input_files_have_plain_names(name: str) -> None:
    with pytest.raises(ValueError, match="plain file name"):
        Job("", (), {name: File(b"")})
