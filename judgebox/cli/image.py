"""`judgebox image`: build, list, verify, pull and relock judge images."""

from __future__ import annotations

import argparse
import contextlib
import json
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.progress import (
    BarColumn,
    DownloadColumn,
    TextColumn,
    TimeElapsedColumn,
    TransferSpeedColumn,
)
from rich.progress import Progress as Bars

from judgebox import images
from judgebox.imagebuild.engine import engine, has_image

if TYPE_CHECKING:
    Subparsers = argparse._SubParsersAction[argparse.ArgumentParser]

_ABOUT = """\
A judge image holds the tools of one judge.  Its recipe (NAME.toml) and lock (NAME.lock.json)
determine its id, and images.lock.json pins that id: a judge runs in this image or not at all."""


def add_parser(subparsers: Subparsers) -> None:
    """Register `image` and its verbs; each sets `run` to a function of the parsed arguments."""
    parser = subparsers.add_parser(
        "image",
        help="build, list, verify, pull and relock judge images",
        description=_ABOUT,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    verbs = parser.add_subparsers(title="verbs", required=True, metavar="VERB")
    _add_build(verbs)

    listing = _verb(
        verbs, "list", _list, "show the images that are pinned, and whether the engine holds them"
    )
    listing.add_argument("--json", action="store_true", help="print JSON")

    verify = _verb(
        verbs,
        "verify",
        _verify,
        "check that recipe, lock, pin and the engine's image belong together",
        epilog="Exit status: 0 all well, 1 something differs (each difference is a line).",
    )
    _names(verify)
    verify.add_argument("--json", action="store_true", help="print JSON")

    pull = _verb(
        verbs, "pull", _pull, "fetch an image from a registry; it must have exactly the pinned id"
    )
    pull.add_argument("name", metavar="NAME", help="which image this is, such as frama-c")
    pull.add_argument("reference", metavar="REPOSITORY@sha256:DIGEST", help="where it is")

    relock = _verb(
        verbs,
        "relock",
        _relock,
        "take today's package versions (needs apt on a Debian machine)",
        epilog="Prints each package that changed, and writes the lock.  A changed lock makes "
        "another image: review it, then `judgebox image build --pin NAME`.",
    )
    _names(relock)


def _add_build(verbs: Subparsers) -> None:
    build = _verb(
        verbs,
        "build",
        _build,
        "build an image from recipe and lock, load it, and check its id against the pin",
        epilog="Packages come from the machine's apt sources, or from the mirror that "
        "JUDGEBOX_DEBIAN_MIRROR names (what stands before debian/pool/…), else from "
        "snapshot.debian.org.  They are kept in JUDGEBOX_CACHE (default: the user's cache folder).",
    )
    _names(build)
    build.add_argument("--again", action="store_true", help="build even if the image is there")
    build.add_argument("--pin", action="store_true", help="make the result the pinned image")
    build.add_argument(
        "--relock-if-gone",
        action="store_true",
        help="if packages of the lock are to be had nowhere, take today's versions instead and "
        f"record the result as a local stand-in, used only with {images.ALLOW_LOCAL}=1 (for CI)",
    )
    build.add_argument("--quiet", "-q", action="store_true", help="print results and warnings only")


def _verb(
    verbs: Subparsers,
    name: str,
    run: Callable[[argparse.Namespace], int],
    text: str,
    epilog: str | None = None,
) -> argparse.ArgumentParser:
    parser = verbs.add_parser(
        name, help=text, description=text[0].upper() + text[1:] + ".", epilog=epilog
    )
    parser.set_defaults(run=run)
    return parser


def _names(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "names", metavar="NAME", nargs="*", help="images, such as frama-c (default: all)"
    )


def _build(args: argparse.Namespace) -> int:
    for name in args.names or images.recipe_names():
        with _shown(args.quiet) as progress:
            done = images.build(
                name,
                progress,
                again=args.again,
                pin=args.pin,
                relock_if_gone=args.relock_if_gone,
            )
        what = "pinned" if done.pinned else "LOCAL STAND-IN, not the pinned image"
        print(f"{name}  {done.id}  {'built' if done.built else 'already there'}, {what}")
    return 0


def _list(args: argparse.Namespace) -> int:
    pins = images.read_pins()
    rows: list[dict[str, Any]] = []
    with engine() as client:
        for name in sorted({*images.recipe_names(), *pins}):
            pin = pins.get(name)
            rows.append(
                {
                    "name": name,
                    "id": pin and pin.id,
                    "size": pin and pin.size,
                    "date": pin and pin.date,
                    "in_engine": bool(pin and has_image(client, pin.id)),
                }
            )
    if args.json:
        print(json.dumps(rows, indent=1))
        return 0
    for row in rows:
        if row["id"] is None:
            print(f"{row['name']}  not pinned")
        else:
            there = "in the engine" if row["in_engine"] else "not in the engine"
            print(f"{row['name']}  {row['id']}  {_mb(row['size'])}  {row['date']}  {there}")
    return 0


def _verify(args: argparse.Namespace) -> int:
    found = {name: images.verify(name) for name in args.names or images.recipe_names()}
    if args.json:
        print(json.dumps(found, indent=1, ensure_ascii=False))
    else:
        for name, problems in found.items():
            print("\n  ".join([f"{name}: {'differs' if problems else 'all well'}", *problems]))
    return 1 if any(found.values()) else 0


def _pull(args: argparse.Namespace) -> int:
    print(f"{args.name}  {images.pull(args.name, args.reference)}  pulled, pinned")
    return 0


def _relock(args: argparse.Namespace) -> int:
    for name in args.names or images.recipe_names():
        changed = images.relock(name)
        print("\n  ".join([f"{name}: {len(changed)} packages changed", *changed]))
        if changed:
            print(f"  the lock is written; next: judgebox image build --pin {name}")
    return 0


def _mb(size: int) -> str:
    return f"{size / 1e6:.0f} MB"


class _Shown:
    """Progress for a person, on stderr: a line for a step, a bar where bytes are counted."""

    def __init__(self, console: Console, bars: Bars, quiet: bool) -> None:
        self._console, self._bars, self._quiet = console, bars, quiet

    def say(self, text: str) -> None:
        if not self._quiet:
            self._console.print(text, markup=False, highlight=False, soft_wrap=True)

    def warn(self, text: str) -> None:
        self._console.print(text, style="bold red", markup=False, soft_wrap=True)

    def start(self, text: str, total: int) -> None:
        self._task = self._bars.add_task(text, total=total)

    def advance(self, count: int) -> None:
        self._bars.advance(self._task, count)


@contextlib.contextmanager
def _shown(quiet: bool) -> Iterator[_Shown]:
    console = Console(stderr=True)
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        DownloadColumn(),
        TransferSpeedColumn(),
        TimeElapsedColumn(),
    )
    with Bars(*columns, console=console, disable=quiet) as bars:
        yield _Shown(console, bars, quiet)
