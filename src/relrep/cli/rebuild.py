"""Trains a model anew from its own record and says whether the bits agree.

The settings are those of MODEL's config.json; the corpus must be the same text in the same order, and vectors that
training started from must be the same, too (both are checked by fingerprint before training). The exit code is 0 where
all files agree and 1 where they differ. The new model is made in MODEL.rebuild and thrown away unless --out names a
place for it; the same command goes on where an interrupted one was.
"""

import argparse
from pathlib import Path

from relrep.cli.arguments import add_run_arguments, memory_size, thread_count
from relrep.cli.console import show, show_progress


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("model", metavar="MODEL", type=Path, help="the model to rebuild")
    parser.add_argument("--corpus", metavar="CORPUS", nargs="+", required=True, help="the text it was learnt from")
    parser.add_argument("--out", metavar="DIR", type=Path, help="keep the new model (and its work folder) here")
    parser.add_argument(
        "--init", metavar="VECTORS", help="where the vectors that training started from are now, if not where they were"
    )
    add_run_arguments(parser)


def run(arguments: argparse.Namespace) -> int:
    """Rebuilds, compares, and says which files differ."""
    from relrep.api import work_folder
    from relrep.pipeline.rebuild import OtherInputError, rebuild
    from relrep.vectors.formats.safetensors import read_config

    read_config(arguments.model)  # a wrong name is told before any work
    threads, memory = thread_count(arguments), memory_size(arguments.memory)
    model = arguments.model.absolute()
    out = arguments.out or model.with_name(f"{model.name}.rebuild")  # where is room for one model may be for two
    try:
        with show_progress(arguments.quiet) as progress:
            found = rebuild(
                arguments.model, arguments.corpus, work_folder(out), out, threads, memory, progress, arguments.init
            )
    except OtherInputError:
        _throw_away(arguments, out)  # nothing to go on from
        raise
    _throw_away(arguments, out)
    result = {"agrees": found.agrees, "same": found.same, "different": found.different, "packages": found.packages}
    said = f"all {len(found.same)} files agree bit for bit"
    if not found.agrees:
        said = f"but {len(found.different)} files differ: {', '.join(found.different)}"
    packages = (f"  {name} was {before} and is {now} now" for name, (before, now) in found.packages.items())
    show(arguments, result, [f"{arguments.model}: rebuilt, {said}", *packages])
    return 0 if found.agrees else 1


def _throw_away(arguments: argparse.Namespace, out: Path) -> None:
    from relrep.api import work_folder
    from relrep.core.files import remove

    if arguments.out is None:
        remove(out)
        remove(work_folder(out))
