"""What commands write to the terminal: progress on stderr, results on stdout."""

import argparse
import dataclasses
import json
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from relrep.core.compiling import on_first_compile
from relrep.progress import Progress, ProgressCallback, ignore

if TYPE_CHECKING:
    from rich.progress import Progress as Bars

    from relrep.evidence.occurrences import Example
    from relrep.evidence.rerank import SharedPattern
    from relrep.pipeline.estimates import Estimate
    from relrep.pipeline.stages import Planned


def print_json(value: Any) -> None:
    """Writes `value` to stdout as indented JSON."""
    json.dump(value, sys.stdout, indent=2, ensure_ascii=False)
    sys.stdout.write("\n")


def show(arguments: argparse.Namespace, result: Any, lines: Iterable[str]) -> int:
    """Writes the result as JSON where that was asked for, else the lines; returns the exit code 0."""
    if arguments.json:
        print_json(result)
    else:
        print("\n".join(lines))
    return 0


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

        def say_compiling() -> None:
            nonlocal bars
            bars = bars or shown.enter_context(_bars())
            bars.console.print("Compiling kernels for this machine: once, up to half a minute in all.")

        on_first_compile(say_compiling)

        def report(progress: Progress) -> None:
            nonlocal bars
            bars = bars or shown.enter_context(_bars())  # what is done at once is done before rich is there
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


def show_plan(planned: Sequence["Planned"], needs: Mapping[str, "Estimate"], folder: Path, as_json: bool) -> int:
    """`--plan`: prints which stages would run, and why, with what they need; returns the exit code."""
    from relrep.pipeline.estimates import free_disk, size

    if as_json:
        estimated = {name: {"estimate": dataclasses.asdict(need)} for name, need in needs.items()}
        print_json([dataclasses.asdict(each) | estimated.get(each.name, {}) for each in planned])
        return 0
    width = max(12, *(len(each.name) for each in planned))
    for each in planned:
        need = needs.get(each.name)
        about = f"  (about {size(need.disk)} of disk)" if need else ""
        print(f"{'run ' if each.runs else 'skip'}  {each.name:{width}} {each.why}{about}")
    if needs:
        disk, memory = sum(need.disk for need in needs.values()), max(need.memory for need in needs.values())
        print(
            f"All together about {size(memory)} of memory, {size(disk)} of disk ({size(free_disk(folder))} are free)."
        )
    return 0


def shared_lines(shared: "Sequence[SharedPattern]", pair: tuple[str, str], given: tuple[str, str]) -> list[str]:
    """The patterns that a pair shares with a given one, each with how often it stands in both."""
    return [
        f"         {each.label}  ({' … '.join(pair)}: {each.count:,}, {' … '.join(given)}: {each.count_given:,})"
        for each in shared
    ]


def marked(example: "Example") -> str:
    """A sentence with its two words in brackets, and where it stands."""
    text = example.text
    for begin, end in sorted((example.first, example.second), reverse=True):
        text = f"{text[:begin]}[{text[begin:end]}]{text[end:]}"
    return text + (f"  ({Path(example.source).name}, line {example.line})" if example.source else "")
