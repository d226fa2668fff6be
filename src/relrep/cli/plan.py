"""`--plan`: which stages would run, and why, with an estimate of memory and disk."""

import argparse
import dataclasses
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from relrep.cli.console import print_json

if TYPE_CHECKING:
    from relrep.pipeline.estimates import Estimate
    from relrep.pipeline.stages import Planned


def add_stage_arguments(parser: argparse.ArgumentParser) -> None:
    """`--plan` and `--force`."""
    parser.add_argument("--plan", action="store_true", help="only say which stages would run, and why")
    parser.add_argument("--force", action="store_true", help="do all stages again")


def show_plan(planned: Sequence["Planned"], needs: Mapping[str, "Estimate"], place: Path, as_json: bool) -> int:
    """Prints what a run would do; returns the exit code."""
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
        print(f"All together about {size(memory)} of memory, {size(disk)} of disk ({size(free_disk(place))} are free).")
    return 0
