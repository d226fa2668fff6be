"""What every command shares on the terminal: progress on stderr, results on stdout."""

import argparse
import json
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING, Any

from relrep.progress import Progress, ProgressCallback, ignore

if TYPE_CHECKING:
    from rich.progress import Progress as Bars


def add_output_arguments(parser: argparse.ArgumentParser) -> None:
    """`--json` and `--quiet`."""
    parser.add_argument("--json", action="store_true", help="print the result as JSON")
    parser.add_argument("--quiet", action="store_true", help="show no progress")


def print_json(value: Any) -> None:
    """Writes `value` to stdout as indented JSON."""
    json.dump(value, sys.stdout, indent=2, ensure_ascii=False)
    sys.stdout.write("\n")


@contextmanager
def show_progress(quiet: bool = False) -> Iterator[ProgressCallback]:
    """A progress callback that draws bars on stderr: what, how far, how long still.

    Where stderr is not a terminal, each step is one line when it is finished.
    """
    if quiet:
        yield ignore
        return
    with ExitStack() as shown:
        bars: Bars | None = None
        tasks: dict[str, Any] = {}

        def report(progress: Progress) -> None:
            nonlocal bars
            if bars is None:  # what is done at once is done before rich is there
                bars = shown.enter_context(_bars())
            task = tasks.get(progress.step)
            if task is None:
                task = tasks[progress.step] = bars.add_task(progress.step, total=progress.total, note="")
            bars.update(task, completed=progress.done, total=progress.total, note=progress.note)

        yield report


def _bars() -> "Bars":
    from rich.console import Console
    from rich.progress import BarColumn, TaskProgressColumn, TextColumn, TimeElapsedColumn, TimeRemainingColumn
    from rich.progress import Progress as Bars

    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        TaskProgressColumn(),
        TextColumn("{task.fields[note]}"),
        TimeElapsedColumn(),
        TextColumn("left"),
        TimeRemainingColumn(),
    )
    return Bars(*columns, console=Console(stderr=True))
