"""Mines word pairs and the patterns between them, and writes their counts as a folder of Parquet files.

It is the first half of `relrep train`, for text that is mined in one place (with --engine spark, on a cluster) and
learnt from in another: `relrep train --mined DIR --out MODEL` takes the folder. The counts suffice for training from
random or given vectors with --no-index; with --keep-ids baselines and the index can be made too. Finished stages wait
in DIR.work, so that the same command goes on where an interrupted one was.
"""

import argparse
import time
from pathlib import Path
from typing import Any

from relrep.cli.arguments import (
    add_config_flags,
    add_engine_arguments,
    add_run_arguments,
    check_engine,
    check_objective,
    chosen_config,
    chosen_engine,
    run_settings,
)
from relrep.cli.console import show, show_progress

TABLES = ("corpus", "mining")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("corpus_names", metavar="CORPUS", nargs="+", help="text to mine; with Spark, URLs too")
    parser.add_argument("--out", metavar="DIR", type=Path, required=True, help="the folder to write")
    parser.add_argument("--keep-ids", action="store_true", help="put the token ids of the whole text in as well")
    parser.add_argument(
        "--objective",
        choices=("coherence", "paper"),
        default="coherence",
        help="paper: mine the pairs and patterns of the paper's objective too (default: coherence)",
    )
    parser.add_argument("--config", metavar="TOML", type=Path, help="a file of settings")
    parser.add_argument("--work", metavar="DIR", type=Path, help="folder for finished stages (default: DIR.work)")
    parser.add_argument("--force", action="store_true", help="do all stages again")
    add_run_arguments(parser)
    add_engine_arguments(parser)
    add_config_flags(parser, *TABLES)


def run(arguments: argparse.Namespace) -> int:
    """Mines, and says what was found."""
    from relrep.api import work_folder
    from relrep.pipeline.graph import Graph
    from relrep.pipeline.mine import write_mined

    check_engine(arguments)
    config, settings = chosen_config(arguments, *TABLES), run_settings(arguments)
    check_objective(arguments, arguments.objective)
    work = arguments.work or work_folder(arguments.out)
    begin = time.monotonic()
    with show_progress(arguments.quiet) as progress:
        engine = chosen_engine(arguments, config, work, arguments.keep_ids, progress)
        graph = Graph(arguments.corpus_names, work, config, settings, progress, engine)
        try:
            record = write_mined(graph, arguments.out, arguments.keep_ids, arguments.objective == "paper")
        finally:
            graph.engine.release()
    record |= {"seconds": round(time.monotonic() - begin, 3)}
    return show(arguments, record, _lines(record, arguments.out))


def _lines(record: dict[str, Any], out: Path) -> list[str]:
    corpus = record["corpus"]
    lines = [
        f"{out}: {record['counts']:,} counts in {record['seconds']:,.1f} s",
        f"  text      {corpus['tokens']:,} tokens in {corpus['sentences']:,} sentences, {corpus['words']:,} words",
        f"  mined     {record['pairs']:,} pairs, {record['patterns']:,} patterns",
    ]
    if corpus["replaced_bytes"]:
        lines.insert(2, f"            {corpus['replaced_bytes']:,} invalid byte sequences were replaced")
    return [*lines, f"Try: relrep train --mined {out} --out MODEL"]
