"""`judgebox doctor` on this machine, and on ones that cannot judge."""

from __future__ import annotations

import argparse
import json

import pytest

from judgebox.cli import doctor


def test_doctor_finds_this_machine_well(image: str, capsys: pytest.CaptureFixture[str]) -> None:
    status = doctor.run(argparse.Namespace(image=image, json=True))
    told = json.loads(capsys.readouterr().out)
    assert [check for check in told["checks"] if not check["ok"]] == []
    assert (status, told["ok"]) == (0, True)
    assert len(told["checks"]) >= 18


@pytest.mark.parametrize(
    ("setting", "image", "failed"),
    [
        ("unix:///nowhere/docker.sock", "sha256:" + 64 * "0", "engine"),
        (None, "sha256:" + 64 * "0", "image"),
        (None, "no-such-image", "image"),
    ],
)
def test_doctor_says_what_is_wrong(
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    setting: str | None,
    image: str,
    failed: str,
) -> None:
    if setting:
        monkeypatch.setenv("DOCKER_HOST", setting)
    assert doctor.run(argparse.Namespace(image=image, json=False)) == 3
    lines = capsys.readouterr().out.splitlines()
    assert any(line.startswith(f"FAILED  {failed}: ") for line in lines)
    assert lines[-1].startswith("        mend: ")
