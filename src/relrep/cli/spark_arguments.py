"""Arguments of the commands that can mine on Spark."""

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from relrep.errors import RelrepError

if TYPE_CHECKING:
    from relrep.config import Config
    from relrep.mining.engines import Engine
    from relrep.progress import ProgressCallback


def add_engine_arguments(parser: argparse.ArgumentParser) -> None:
    """`--engine`, `--spark-master` and `--spark-conf`."""
    group = parser.add_argument_group("where the text is read and mined")
    group.add_argument(
        "--engine", choices=("local", "spark"), default="local",
        help="this machine, or Spark: the same bits either way (default: local)",
    )  # fmt: skip
    group.add_argument(
        "--spark-master", metavar="URL", help="as in spark://host:7077, yarn or local[4] (default: local[*])"
    )
    group.add_argument(
        "--spark-conf", metavar="K=V", action="append", default=[], help="a setting of Spark; may be given often"
    )


def check_engine(arguments: argparse.Namespace) -> None:
    """Says before any work what is missing for the engine, or does not go with it."""
    if arguments.engine == "spark":
        from relrep.mining.spark.session import check_installed

        check_installed()
    elif arguments.spark_master or arguments.spark_conf:
        raise RelrepError("--spark-master and --spark-conf go with --engine spark; add it")


def chosen_engine(
    arguments: argparse.Namespace,
    corpus: Sequence[str | Path],
    config: "Config",
    work: Path,
    memory: int,
    keep_ids: bool,
    progress: "ProgressCallback",
) -> "Engine | None":
    """The engine that was asked for; None for the local one."""
    if arguments.engine == "local":
        return None
    from relrep.mining.spark.engine import SparkEngine
    from relrep.mining.spark.session import SparkSettings

    settings = SparkSettings.of(arguments.spark_master, arguments.spark_conf)
    return SparkEngine(corpus, config.corpus, settings, work, memory, keep_ids, progress)
