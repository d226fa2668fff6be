"""`relrep`: finds the command, parses its arguments, and turns a RelrepError into one sentence and exit code 2."""

import argparse
import importlib
import os
import sys
from collections.abc import Sequence

from relrep.cli import interrupt
from relrep.errors import RelrepError
from relrep.version import __version__

COMMANDS: tuple[str, ...] = (
    "train",
    "mine",
    "demo",
    "convert",
    "neighbours",
    "relation",
    "search",
    "patterns",
    "classify",
    "analogy",
    "evaluate",
    "baseline",
    "compare",
    "explore",
    "clean",
    "rebuild",
)
"""One module of this package a command: HELP, add_arguments(parser) and run(arguments) -> exit code.

Modules import the heavy parts of the library inside `run`, so that `relrep --help` answers at once.
"""
RESUMABLE = frozenset(["train", "mine", "baseline", "compare", "demo", "rebuild"])
"""Commands that leave what is finished to the next run of the same command."""


def build_parser(chosen: str | None = None) -> argparse.ArgumentParser:
    """The parser of the whole command line; with `chosen`, only that command has its arguments, the others a name.

    What a command's settings are is known only to the library, which takes a while to import.
    """
    parser = argparse.ArgumentParser(
        prog="relrep", description="Word vectors that carry the semantic relations between words."
    )
    parser.add_argument("--version", action="version", version=f"relrep {__version__}")
    subparsers = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)
    for name in COMMANDS:
        module = importlib.import_module(f"relrep.cli.{name}")
        subparser = subparsers.add_parser(name, help=module.HELP, description=module.__doc__)
        if chosen in (None, name):
            module.add_arguments(subparser)
        subparser.set_defaults(run=module.run)
    return parser


def main(argv: Sequence[str] | None = None) -> int:
    """Runs one command; returns its exit code."""
    interrupted = "relrep: interrupted"
    try:
        given = sys.argv[1:] if argv is None else argv
        arguments = build_parser(next(iter(given), "")).parse_args(given)
        if arguments.command not in RESUMABLE:
            return int(arguments.run(arguments))
        interrupted += "; run the same command again and it goes on from the last finished step"
        with interrupt.ending_promptly(interrupted):
            return int(arguments.run(arguments))
    except RelrepError as error:
        print(f"relrep: {error}", file=sys.stderr)
        return 2
    except BrokenPipeError:  # `relrep … | head`: the reader has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except MemoryError:
        print("relrep: there is not enough memory; give a smaller --memory or close other programs", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        interrupt.told.set()
        print(interrupted, file=sys.stderr)
        return interrupt.EXIT_CODE


if __name__ == "__main__":
    sys.exit(main())
