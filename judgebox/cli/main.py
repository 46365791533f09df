"""Entry point: `judgebox COMMAND …`.

Exit status: 0 done (or proved), 1 not proved or not valid, 2 wrong usage, 3 the judge itself
failed.
"""

from __future__ import annotations

import argparse
import importlib
import os
import sys
from collections.abc import Sequence

from judgebox import __version__
from judgebox.errors import JudgeError, UsageError

COMMANDS = ("doctor", "image", "prove", "validate", "pack", "cache", "bench")
"""Each a module beside this one with `add_parser(subparsers)`."""


def build_parser() -> argparse.ArgumentParser:
    """The whole command line."""
    parser = argparse.ArgumentParser(
        prog="judgebox",
        description="Judge code by proof and by real toolchains, in hardened, pinned containers.",
        epilog="exit status: 0 done or proved · 1 not · 2 wrong usage · 3 the judge itself failed",
    )
    parser.add_argument("--version", action="version", version=f"judgebox {__version__}")
    subparsers = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    for command in COMMANDS:
        importlib.import_module(f"judgebox.cli.{command}").add_parser(subparsers)
    return parser


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command and return its exit status."""
    args = build_parser().parse_args(argv)
    try:
        status: int = args.run(args)
        sys.stdout.flush()
        return status
    except UsageError as error:
        print(f"judgebox: {error}", file=sys.stderr)
        return 2
    except JudgeError as error:
        print(f"judgebox: {error}", file=sys.stderr)
        return 3
    except BrokenPipeError:  # `| head`: whoever reads has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 141
    except KeyboardInterrupt:
        print("judgebox: interrupted", file=sys.stderr)
        return 130


if __name__ == "__main__":
    sys.exit(main())
