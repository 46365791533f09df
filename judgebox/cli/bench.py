"""`judgebox bench`: speed and memory, as ratios to the bare tools in the same run."""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from rich.console import Console
from rich.table import Table

from judgebox.bench import SECTIONS, machine
from judgebox.errors import UsageError


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Register the command."""
    parser = subparsers.add_parser(
        "bench",
        help="speed and memory as ratios to the bare tools",
        description="Measure against the bare tools, interleaved in one run. Quote medians and"
        " ratios; single seconds depend on the machine.",
    )
    names = ", ".join(SECTIONS)
    parser.add_argument("sections", nargs="*", metavar="SECTION", help=f"of {names} (default: all)")
    parser.add_argument(
        "--pack", type=Path, default=Path("data/core-v1"), help="folder of task sources"
    )
    parser.add_argument("--repeat", type=int, default=1, help="rounds over the references")
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Run the sections asked for and print what they measured."""
    unknown = [name for name in args.sections if name not in SECTIONS]
    if unknown:
        raise UsageError(f"unknown section {unknown[0]!r}; there are {', '.join(SECTIONS)}")
    if args.repeat < 1:
        raise UsageError("--repeat must be at least 1")
    console = Console(highlight=False)
    found: dict[str, object] = {"machine": machine()}
    if not args.json:
        console.print(machine(), style="dim")
    for name in args.sections or SECTIONS:
        measures = SECTIONS[name](args.pack, args.repeat)
        found[name] = [measure._asdict() for measure in measures]
        if not args.json:
            table = Table(title=name, title_justify="left", show_header=False, box=None)
            for measure in measures:
                bound = f"wanted {measure.bound}" if measure.bound else ""
                table.add_row(measure.what, f"{measure.value:.3g} {measure.unit}", bound)
            console.print(table)
    if args.json:
        print(json.dumps(found, indent=2))
    return 0
