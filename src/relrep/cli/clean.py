"""Removes the work folders of finished or given-up runs, and says how much room that made.

MODEL is what --out named (the folder MODEL.work beside it goes, the model itself stays), or a work folder itself. Only
folders that relrep made for stages are removed; a run that works in one keeps it.
"""

import argparse
from pathlib import Path

from relrep.cli.console import show


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("models", metavar="MODEL", nargs="+", type=Path, help="models, or their work folders")
    parser.add_argument("--dry-run", action="store_true", help="only say what would be removed")
    parser.add_argument("--json", action="store_true", help="print the result as JSON")


def run(arguments: argparse.Namespace) -> int:
    """Finds all folders first, so that a wrong name removes nothing; then removes them."""
    from relrep.pipeline.estimates import size
    from relrep.pipeline.stages import find_work_folder, freed_by_removing, remove_work_folder

    folders = [find_work_folder(model) for model in arguments.models]
    freed = {}
    for folder in dict.fromkeys(folders):
        freed[str(folder)] = freed_by_removing(folder)
        if not arguments.dry_run:
            remove_work_folder(folder)
    verb = "would free" if arguments.dry_run else "freed"
    lines = (f"{name}: {verb} {size(number)}" for name, number in freed.items())
    return show(arguments, {"removed": not arguments.dry_run, "bytes": freed}, lines)
