"""The packaged tasks are the sources', byte for byte."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from judgebox.acsl.pack import Pack, manifest_path, read_pack, row_digest, write_pack
from judgebox.acsl.task import load_folder, load_pack
from judgebox.errors import UsageError

ROOT = Path(__file__).resolve().parents[2]
PACKS = {
    "core-v1": ROOT / "environments/formally_verified_c/formally_verified_c/data/core-v1.jsonl"
}
TASK = ROOT / "data/core-v1/search/first-index"


@pytest.fixture
def source(tmp_path: Path) -> Path:
    """A pack of one task, to change."""
    shutil.copytree(TASK, tmp_path / "small/search/first-index")
    return tmp_path / "small"


@pytest.mark.parametrize("name", PACKS)
def test_packaged_data_equals_its_sources(name: str, tmp_path: Path) -> None:
    again = tmp_path / f"{name}.jsonl"
    write_pack(ROOT / "data" / name, again)
    for made, kept in ((again, PACKS[name]), (manifest_path(again), manifest_path(PACKS[name]))):
        assert made.read_bytes() == kept.read_bytes(), f"data/{name} was edited: run `make pack`"


def test_round_trip(source: Path, tmp_path: Path) -> None:
    jsonl = tmp_path / "small.jsonl"
    manifest = write_pack(source, jsonl)
    pack = read_pack(jsonl)
    assert pack.tasks == load_pack(source)
    assert manifest["rows"] == {"search/first-index": row_digest(load_folder(TASK))}
    assert manifest["by_split"] == {"train": 1}
    assert pack["search/first-index"].references[0] == (TASK / "reference.c").read_text()


def test_line_separators_inside_a_task_are_no_ends_of_lines(source: Path, tmp_path: Path) -> None:
    settings = source / "search/first-index/task.toml"
    settings.write_text(settings.read_text().replace("Return the", "Return\u2028the\u0085"))
    jsonl = tmp_path / "small.jsonl"
    write_pack(source, jsonl)
    assert read_pack(jsonl).tasks == load_pack(source)


@pytest.mark.parametrize("name", ["reference.c", "oracle.c", "wrong/last.c", "task.c"])
def test_every_file_counts(name: str, source: Path, tmp_path: Path) -> None:
    before = write_pack(source, tmp_path / "small.jsonl")
    file = source / "search/first-index" / name
    file.write_text(file.read_text() + "/* more */\n")
    after = write_pack(source, tmp_path / "small.jsonl")
    assert before["rows"] != after["rows"]
    assert before["sha256"] != after["sha256"]


def test_task_that_states_no_problem_is_not_packed(source: Path, tmp_path: Path) -> None:
    file = source / "search/first-index/task.c"
    file.write_text(file.read_text().replace("/* TODO */", "return -1;"))
    with pytest.raises(UsageError, match=r"search/first-index: task\.c: line "):
        write_pack(source, tmp_path / "small.jsonl")
    assert not (tmp_path / "small.jsonl").exists()


def test_changed_or_missing_files_are_refused(source: Path, tmp_path: Path) -> None:
    jsonl = tmp_path / "small.jsonl"
    with pytest.raises(UsageError, match="judgebox pack"):
        read_pack(jsonl)
    write_pack(source, jsonl)
    jsonl.write_bytes(jsonl.read_bytes().replace(b"tier", b"Tier"))
    with pytest.raises(UsageError, match="not what its manifest describes"):
        read_pack(jsonl)
    manifest_path(jsonl).write_text(json.dumps([1]))
    with pytest.raises(UsageError, match="not what its manifest describes"):
        read_pack(jsonl)


def test_ids_are_unique() -> None:
    task = load_folder(TASK)
    with pytest.raises(UsageError, match="repeated task ids: search/first-index"):
        Pack("twice", (task, task))
