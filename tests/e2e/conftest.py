"""Other programs' own command lines, run as a user runs them."""

from __future__ import annotations

import importlib.metadata
import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

BIN = Path(sys.executable).parent
ROOT = Path(__file__).resolve().parents[2]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if "tests/e2e" in item.path.as_posix():
            item.add_marker(pytest.mark.e2e)
            item.add_marker(pytest.mark.container)


@pytest.fixture(scope="session")
def verifiers_command() -> Callable[[str], str]:
    """Path of verifiers' own command: `vf-eval` from 0.4 on, `eval` before."""
    old = importlib.metadata.version("verifiers").startswith("0.3.")

    def path(name: str) -> str:
        command = BIN / (name if old else f"vf-{name}")
        assert command.exists(), f"{command} is missing: install judgebox[rl]"
        return str(command)

    return path


@pytest.fixture
def run(tmp_path: Path) -> Callable[..., subprocess.CompletedProcess[str]]:
    """Runs a command in an empty folder, with the programs of this Python first on PATH."""

    def run(
        *argv: str, timeout: float = 900, **environment: str
    ) -> subprocess.CompletedProcess[str]:
        path = os.pathsep.join([str(BIN), os.environ.get("PATH", "")])
        return subprocess.run(
            argv,
            cwd=tmp_path,
            env={**os.environ, "PATH": path, "NO_COLOR": "1", **environment},
            capture_output=True,
            text=True,
            timeout=timeout,
            check=False,
        )

    return run


def read_jsonl(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text().splitlines() if line.strip()]
