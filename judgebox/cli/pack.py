"""`judgebox pack`: task folders into the JSONL that ships with an environment."""

from __future__ import annotations

import argparse
from pathlib import Path


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Register the command."""
    parser = subparsers.add_parser(
        "pack",
        help="write task folders as one JSONL file and its manifest",
        description="Read SOURCE/<family>/<task>/ and write TARGET/<name of SOURCE>.jsonl and "
        "its manifest. The same folders give the same bytes.",
    )
    parser.add_argument("source", metavar="SOURCE", type=Path, help="folder of task folders")
    parser.add_argument("target", metavar="TARGET", type=Path, help="folder to write into")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Write the pack and say what is in it."""
    from judgebox.acsl.pack import write_pack

    source: Path = args.source.resolve()
    jsonl: Path = args.target / f"{source.name}.jsonl"
    manifest = write_pack(source, jsonl)
    print(
        f"{jsonl}: {manifest['tasks']} tasks, {manifest['references']} references, "
        f"{manifest['wrong']} wrong bodies, sha256 {manifest['sha256'][:12]}"
    )
    return 0
