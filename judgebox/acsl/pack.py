"""A pack as it ships: one JSONL file of tasks, and a manifest that says what is in it.

    data/core-v1/<family>/<task>/…   what people edit
    core-v1.jsonl                    one row per task, in order of id
    core-v1.manifest.json            sha256 of the file and of each row, and the counts

Both are a function of the folder alone, so the packaged data can be held against its sources.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from judgebox.acsl.task import PackTask, load_pack, read_jsonl
from judgebox.canonical import canonical_json, sha256_hex
from judgebox.errors import UsageError


@dataclass(frozen=True)
class Pack:
    """The tasks of one pack, by id."""

    name: str
    tasks: tuple[PackTask, ...]

    def __post_init__(self) -> None:
        twice = [task_id for task_id, n in Counter(t.id for t in self.tasks).items() if n > 1]
        if twice:
            raise UsageError(f"pack {self.name}: repeated task ids: {', '.join(twice)}")

    @cached_property
    def by_id(self) -> Mapping[str, PackTask]:
        """The tasks under their ids."""
        return {task.id: task for task in self.tasks}

    @cached_property
    def digests(self) -> Mapping[str, str]:
        """sha256 of each task's canonical row, under its id."""
        return {task.id: row_digest(task) for task in self.tasks}

    def __iter__(self) -> Iterator[PackTask]:
        return iter(self.tasks)

    def __len__(self) -> int:
        return len(self.tasks)

    def __getitem__(self, task_id: str) -> PackTask:
        try:
            return self.by_id[task_id]
        except KeyError:
            raise UsageError(f"pack {self.name} has no task {task_id!r}") from None


def row_digest(task: PackTask) -> str:
    """sha256 of all that the pack says of `task`."""
    return sha256_hex(canonical_json(task.to_row()))


def to_jsonl(tasks: Iterable[PackTask]) -> bytes:
    """The packaged form of `tasks`."""
    return "".join(json.dumps(task.to_row(), ensure_ascii=False) + "\n" for task in tasks).encode()


def manifest_of(pack: Pack, jsonl: bytes) -> dict[str, Any]:
    """What the manifest says of `pack`, packaged as `jsonl`."""

    def counted(field: str) -> dict[str, int]:
        return dict(sorted(Counter(str(getattr(task, field)) for task in pack).items()))

    return {
        "name": pack.name,
        "sha256": sha256_hex(jsonl),
        "tasks": len(pack),
        "references": sum(len(task.references) for task in pack),
        "wrong": sum(len(task.wrong) for task in pack),
        "by_split": counted("split"),
        "by_tier": counted("tier"),
        "by_family": counted("family"),
        "rows": dict(pack.digests),
    }


def manifest_path(jsonl: Path) -> Path:
    """Where the manifest of a packaged file is."""
    return jsonl.with_suffix(".manifest.json")


def write_pack(source: Path, jsonl: Path) -> dict[str, Any]:
    """Package the task folders below `source` as `jsonl`, with its manifest; returns the latter.

    Raises:
        UsageError: a task cannot be read, states no problem, or there is none.
    """
    pack = Pack(jsonl.stem, load_pack(source))
    for task in pack:
        try:
            task.task.text  # noqa: B018  # parsed, so that no broken task is ever packaged
        except UsageError as error:
            raise UsageError(f"{task.id}: task.c: {error}") from error
    data = to_jsonl(pack)
    manifest = manifest_of(pack, data)
    jsonl.parent.mkdir(parents=True, exist_ok=True)
    jsonl.write_bytes(data)
    text = json.dumps(manifest, indent=2, ensure_ascii=False) + "\n"
    manifest_path(jsonl).write_text(text, encoding="utf-8")
    return manifest


def read_pack(jsonl: Path) -> Pack:
    """Read a packaged file and hold it against its manifest.

    Raises:
        UsageError: it or its manifest is missing, is not what `write_pack` wrote, or was changed
            since.
    """
    try:
        data = jsonl.read_bytes()
        manifest = json.loads(manifest_path(jsonl).read_bytes())
        lines = data.decode().removesuffix("\n").split("\n")
    except (OSError, ValueError) as error:
        raise UsageError(
            f"cannot read the pack {jsonl}: {error}; `judgebox pack` writes one"
        ) from error
    if not isinstance(manifest, dict) or manifest.get("sha256") != sha256_hex(data):
        raise UsageError(f"{jsonl} is not what its manifest describes; `judgebox pack` it anew")
    return Pack(jsonl.stem, tuple(read_jsonl(lines)))
