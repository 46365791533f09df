"""`judgebox cache`: what the verdict cache holds, whether it is sound, and making it smaller."""

from __future__ import annotations

import argparse
import dataclasses
import json
import re
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from judgebox.cache import Stats, VerdictCache, default_path
from judgebox.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Callable

    Subparsers = argparse._SubParsersAction[argparse.ArgumentParser]

_SECONDS = {"s": 1, "m": 60, "h": 3600, "d": 86400}


def add_parser(subparsers: Subparsers) -> None:
    """Add `cache` and its verbs; each sets `run`, a function of the arguments to an exit status.

    `run` raises `UsageError` and `CacheError`.
    """
    cache = subparsers.add_parser(
        "cache",
        help="look at the verdict cache, check it, make it smaller",
        description="The verdict cache.  JUDGEBOX_CACHE names another folder for it.",
    )
    verbs = cache.add_subparsers(metavar="VERB", required=True)

    def verb(
        name: str, run: Callable[[argparse.Namespace], int], text: str
    ) -> argparse.ArgumentParser:
        parser = verbs.add_parser(name, help=text, description=text)
        parser.add_argument("--json", action="store_true", help="print one JSON object")
        parser.set_defaults(run=run)
        return parser

    verb("stats", _stats, "Count verdicts by status; show size and age.")
    verb("verify", _verify, "Check every row; exit 1 if some do not check out.")
    verb("path", _path, "Print where the cache is.")
    prune = verb("prune", _prune, "Remove the oldest rows and give their space back.")
    prune.add_argument(
        "--older-than", metavar="AGE", help="rows stored longer ago than this: 30d, 12h, 90m, 45s"
    )
    prune.add_argument(
        "--max-rows", metavar="N", type=int, help="keep at most N verdicts, the newest"
    )


def _stats(arguments: argparse.Namespace) -> int:
    with VerdictCache() as cache:
        stats, path = cache.stats(), cache.path
    if arguments.json:
        print(json.dumps({"path": str(path), **dataclasses.asdict(stats)}))
    else:
        print(f"{path}\n{_readable(stats)}")
    return 0


def _verify(arguments: argparse.Namespace) -> int:
    with VerdictCache() as cache:
        found = cache.verify()
    if arguments.json:
        print(json.dumps(dataclasses.asdict(found)))
    else:
        print(f"{found.good} rows check out, {found.bad} do not")
        if found.bad:
            print("A bad row counts as a miss: it is removed and judged anew when asked for.")
    return 1 if found.bad else 0


def _prune(arguments: argparse.Namespace) -> int:
    if arguments.older_than is None and arguments.max_rows is None:
        raise UsageError("say what to prune: --older-than AGE, --max-rows N, or both")
    age = None if arguments.older_than is None else _age(arguments.older_than)
    with VerdictCache() as cache:
        removed = cache.prune(older_than_s=age, max_rows=arguments.max_rows)
        stats = cache.stats()
    if arguments.json:
        print(json.dumps({"removed": removed, "rows": stats.rows, "bytes": stats.bytes}))
    else:
        print(f"removed {removed} rows; {stats.rows} verdicts stay, {_size(stats.bytes)}")
    return 0


def _path(arguments: argparse.Namespace) -> int:
    path = str(default_path())
    print(json.dumps({"path": path}) if arguments.json else path)
    return 0


def _age(text: str) -> float:
    if not (match := re.fullmatch(r"(\d+(?:\.\d+)?)([smhd])", text)):
        raise UsageError(f"not an age: {text!r}; write a number and s, m, h or d, like 30d")
    return float(match[1]) * _SECONDS[match[2]]


def _readable(stats: Stats) -> str:
    lines = [f"{stats.rows} verdicts, {stats.blobs} facts about tasks, {_size(stats.bytes)}"]
    lines += [f"  {count:>9}  {status}" for status, count in sorted(stats.by_status.items())]
    if stats.oldest is not None and stats.newest is not None:
        lines.append(f"oldest {_moment(stats.oldest)}, newest {_moment(stats.newest)}")
    return "\n".join(lines)


def _size(count: int) -> str:
    return f"{count / 1e6:.1f} MB"


def _moment(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%d %H:%M:%S UTC")
