"""Installed as a user installs it: wheels in a fresh virtual environment, no repository."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from .conftest import ROOT

PROJECTS = (ROOT, ROOT / "environments/formally_verified_c")
COPIED = shutil.ignore_patterns(".*", "__pycache__", "outputs", "dist")
TASKS = ("search/first-index", "copy/copy-array", "saturating/add-saturating")

pytestmark = pytest.mark.slow


def call(
    *argv: str | Path, cwd: Path, environment: Mapping[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    kept = {k: v for k, v in os.environ.items() if k not in ("PYTHONPATH", "VIRTUAL_ENV")}
    done = subprocess.run(
        [str(part) for part in argv],
        cwd=cwd,
        env=kept | dict(environment or {}),
        capture_output=True,
        text=True,
        timeout=1200,
        check=False,
    )
    assert done.returncode == 0, f"{argv}\n{done.stdout[-3000:]}\n{done.stderr[-3000:]}"
    return done


@pytest.fixture(scope="module")
def wheels(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Both wheels, built from copies: nothing is left in the repository."""
    place = tmp_path_factory.mktemp("wheels")
    pip = (sys.executable, "-m", "pip", "wheel", "-q", "--no-deps", "--wheel-dir", place)
    for project in PROJECTS:
        call(*pip, project, cwd=place)
    assert len(list(place.glob("*.whl"))) == 2
    return place


@pytest.mark.parametrize("version", ["0.3.1", "0.4.0"])
def test_fresh_environment(version: str, wheels: Path, tmp_path: Path) -> None:
    call(sys.executable, "-m", "venv", tmp_path / "venv", cwd=tmp_path)
    bin_ = tmp_path / "venv/bin"
    call(
        *(bin_ / "python", "-m", "pip", "install", "-q", "--find-links", wheels),
        *(f"verifiers=={version}", "formally-verified-c[test]"),
        cwd=tmp_path,
    )
    # so that no path of the repository is ever looked at
    environment = {"PATH": f"{bin_}{os.pathsep}{os.environ['PATH']}"}

    where = "import formally_verified_c as f, judgebox as j; print(f.__file__, j.__file__)"
    for file in call(bin_ / "python", "-c", where, cwd=tmp_path).stdout.split():
        assert Path(file).is_relative_to(tmp_path / "venv"), file

    alone = tmp_path / "formally_verified_c"
    shutil.copytree(PROJECTS[1], alone, ignore=COPIED)
    call(bin_ / "pytest", "-q", cwd=alone, environment=environment)

    (tmp_path / "three.toml").write_text(
        '[taskset]\nid = "formally-verified-c"\nsplit = "all"\n'
        f"ids = {json.dumps(TASKS)}\n"
        '[runtime]\ntype = "subprocess"\n'
    )
    validate = "validate" if version.startswith("0.3.") else "vf-validate"
    call(
        *(bin_ / validate, "@", "three.toml", "--no-rich", "--run.name", "three", "-o", "out"),
        cwd=tmp_path,
        environment=environment,
    )
    summary = json.loads((tmp_path / "out/three/summary.json").read_text())
    assert summary["outcomes"]["valid"] == summary["total"] == len(TASKS)

    judged = call(
        *(bin_ / "judgebox", "validate", "formally-verified-c", "--json", "--ids", *TASKS),
        cwd=tmp_path,
    )
    assert json.loads(judged.stdout)["ok"]
