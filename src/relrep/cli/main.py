"""`relrep`: finds the command, parses its arguments, and turns a RelrepError into one sentence and exit code 2.

Ctrl-C ends a long command within two seconds, whatever its threads are at.
"""

import argparse
import contextlib
import importlib
import os
import signal
import sys
import threading
import time
from collections.abc import Iterator, Sequence

from relrep.cli.arguments import add_output_arguments
from relrep.errors import RelrepError
from relrep.version import __version__

COMMANDS = {
    "train": "learn word vectors from text",
    "mine": "mine pairs and patterns, and write their counts",
    "demo": "the whole chain on an embedded corpus, in about a minute",
    "convert": "convert vectors to another file format",
    "neighbours": "the words closest to a word",
    "relation": "how two words are related",
    "search": "the word pairs most similar in relation",
    "patterns": "the patterns most similar to a pattern, and their pairs",
    "classify": "train and test a classifier of the relations of word pairs",
    "analogy": "answer an analogy: man is to woman as king is to …",
    "evaluate": "score vectors on analogy questions (Google, SAT, SemEval, MSR, BATS, your own)",
    "baseline": "train skip-gram, CBOW, GloVe, ivLBL or fastText on a corpus",
    "compare": "train all systems on one corpus and report how they compare",
    "explore": "explore a model in the browser",
    "clean": "remove work folders",
    "rebuild": "train a model anew and compare the bits",
}
"""What each is for. The module of that name here has add_arguments(parser) and run(arguments) -> exit code.

Modules import the heavy parts of the library inside `run`, so that a question is answered at once.
"""
RESUMABLE = frozenset(["train", "mine", "baseline", "compare", "demo", "rebuild"])
"""Commands that leave what is finished to the next run of the same command."""
OTHER_OUTPUT = frozenset(["clean", "explore"])
"""All other commands have `--json` and `--quiet`."""
GRACE_SECONDS = 1.0
"""So long an interrupted command may take to end by itself; a kernel in a thread cannot be stopped otherwise."""
INTERRUPTED = 130
"""The exit code after Ctrl-C."""
_SHOW_CURSOR = "\x1b[?25h"
sentence_printed = threading.Event()
"""Set by whoever has said how to go on after an interruption."""


def build_parser(chosen: str | None = None) -> argparse.ArgumentParser:
    """The parser of the whole command line; with `chosen`, only that command has its arguments, the others a name.

    What a command's settings are is known only to the library, which takes a while to import.
    """
    parser = argparse.ArgumentParser(
        prog="relrep", description="Word vectors that carry the semantic relations between words."
    )
    parser.add_argument("--version", action="version", version=f"relrep {__version__}")
    subparsers = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)
    for name, text in COMMANDS.items():
        subparser = subparsers.add_parser(name, help=text)
        if chosen in (None, name):
            module = importlib.import_module(f"relrep.cli.{name}")
            subparser.description = module.__doc__
            subparser.set_defaults(run=module.run)
            module.add_arguments(subparser)
            if name not in OTHER_OUTPUT:
                add_output_arguments(subparser)
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
        with ending_promptly(interrupted):
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
        sentence_printed.set()
        print(interrupted, file=sys.stderr)
        return INTERRUPTED


@contextlib.contextmanager
def ending_promptly(sentence: str) -> Iterator[None]:
    """Ctrl-C raises KeyboardInterrupt as ever, but a process that is still there after the grace time is ended.

    Nothing is lost by that: results appear by rename, so a process may end at any moment. The signal is seen by a
    thread of its own, because the main one may be deep in a kernel.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    reading, writing = os.pipe()
    os.set_blocking(writing, False)
    before = signal.set_wakeup_fd(writing, warn_on_full_buffer=False)
    watcher = threading.Thread(target=_watch, args=(reading, sentence), name="interrupt", daemon=True)
    watcher.start()
    interrupted = False
    try:
        yield
    except KeyboardInterrupt:
        interrupted = True  # the watcher stays, should threads hold up the end of the process
        raise
    finally:
        if not interrupted:
            signal.set_wakeup_fd(before)
            os.close(writing)


def _watch(reading: int, sentence: str) -> None:
    while signals := os.read(reading, 1):
        if signals[0] == signal.SIGINT:
            time.sleep(GRACE_SECONDS)
            _end(sentence)
    os.close(reading)


def _end(sentence: str) -> None:
    with contextlib.suppress(OSError, ValueError):
        cursor = _SHOW_CURSOR if sys.stderr.isatty() else ""
        if not sentence_printed.is_set():
            os.write(sys.stderr.fileno(), f"{cursor}\n{sentence}\n".encode())
    os._exit(INTERRUPTED)


if __name__ == "__main__":
    sys.exit(main())
