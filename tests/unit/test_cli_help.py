"""Every command explains itself."""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
from collections.abc import Iterator

import pytest

from judgebox.cli.main import COMMANDS, build_parser, main


def commands(parser: argparse.ArgumentParser, *before: str) -> Iterator[tuple[str, ...]]:
    """Every command and every command of a command."""
    yield before
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for name, inner in action.choices.items():
                yield from commands(inner, *before, name)


ALL = list(commands(build_parser()))


def test_all_commands_are_there() -> None:
    assert {words[0] for words in ALL if words} == set(COMMANDS)
    assert ("image", "build") in ALL
    assert ("cache", "prune") in ALL


@pytest.mark.parametrize("words", ALL, ids=lambda words: " ".join(words) or "judgebox")
def test_help(words: tuple[str, ...], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main([*words, "--help"])
    assert ended.value.code == 0
    told = capsys.readouterr().out
    assert told.startswith(f"usage: {' '.join(('judgebox', *words))} ")
    text = re.split(r"\n(?:positional arguments|options|commands?)\b.*:\n", told)[0]
    assert re.search(r"\n\n\s*\w+", text), "no sentence says what the command does"
    assert "  -h, --help" in told


@pytest.mark.parametrize("words", [[], ["nothing"], ["prove"], ["prove", "a.c", "b.c", "--speed"]])
def test_wrong_words_are_wrong_usage(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(words)
    assert ended.value.code == 2
    assert capsys.readouterr().err.startswith("usage: judgebox")


def test_as_a_module() -> None:
    run = subprocess.run(
        [sys.executable, "-m", "judgebox.cli.main", "--help"],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert run.returncode == 0
    assert "exit status: 0" in run.stdout
    assert all(f"    {command} " in run.stdout for command in COMMANDS)
