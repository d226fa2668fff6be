"""Trains a model anew from its own record and says whether the bits agree.

The settings are those of MODEL's config.json; the corpus must be the same text in the same order (its fingerprint is
checked before training). The exit code is 0 where all files agree and 1 where they differ. The new model is thrown away
unless --out names a place for it.
"""

import argparse
import os
import tempfile
from pathlib import Path

from relrep.cli.console import add_output_arguments, print_json, show_progress
from relrep.cli.run_arguments import add_run_arguments, memory_size, thread_count

HELP = "train a model anew and compare the bits"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of `relrep rebuild`."""
    parser.add_argument("model", metavar="MODEL", type=Path, help="the model to rebuild")
    parser.add_argument("--corpus", metavar="CORPUS", nargs="+", required=True, help="the text it was learnt from")
    parser.add_argument("--out", metavar="DIR", type=Path, help="keep the new model (and its work folder) here")
    add_run_arguments(parser)
    add_output_arguments(parser)


def run(arguments: argparse.Namespace) -> int:
    """Rebuilds, compares, and says which files differ."""
    from relrep.model import read_config
    from relrep.rebuild import rebuild
    from relrep.relrep import work_folder

    read_config(arguments.model)  # a wrong name is told before any work
    threads, memory = thread_count(arguments), memory_size(arguments.memory)
    beside = arguments.model.absolute().parent  # where there is room for one model there may be for two
    place = beside if os.access(beside, os.W_OK) else None
    with tempfile.TemporaryDirectory(prefix="relrep-rebuild-", dir=place) as temporary:
        out = arguments.out or Path(temporary) / "model"
        with show_progress(arguments.quiet) as progress:
            found = rebuild(arguments.model, arguments.corpus, work_folder(out), out, threads, memory, progress)
    if arguments.json:
        print_json(
            {"agrees": found.agrees, "same": found.same, "different": found.different, "packages": found.packages}
        )
    else:
        if found.agrees:
            print(f"{arguments.model}: rebuilt, all {len(found.same)} files agree bit for bit")
        else:
            print(f"{arguments.model}: rebuilt, but {len(found.different)} files differ: {', '.join(found.different)}")
        for name, (before, now) in found.packages.items():
            print(f"  {name} was {before} and is {now} now")
    return 0 if found.agrees else 1
