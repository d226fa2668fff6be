"""Learns relation-aware word vectors from text and writes a model folder.

CORPUS is a file, a folder, a glob or - (.txt, .gz, .bz2, .xz, .zst, .jsonl with a field "text", .parquet with a
column "text"). Every setting has a flag here and a key in the TOML file given with --config; a flag wins. (Those of a
baseline that --init names stand in the file alone: [baselines.glove] and so on.) Finished stages wait in MODEL.work:
the same command goes on where an interrupted one was, and another setting redoes only what depends on it.
"""

import argparse
import time
from pathlib import Path
from typing import TYPE_CHECKING

from relrep.cli.arguments import (
    TITLES,
    add_config_flags,
    add_engine_arguments,
    add_run_arguments,
    add_stage_arguments,
    check_engine,
    check_objective,
    chosen_config,
    chosen_engine,
    run_settings,
)
from relrep.cli.console import show, show_plan, show_progress
from relrep.errors import RelrepError

if TYPE_CHECKING:
    from relrep.config import Config
    from relrep.model.model import Model
    from relrep.pipeline.stages import RunSettings
    from relrep.pipeline.train import TrainingRun
    from relrep.progress import ProgressCallback


_STOP_WORDS = {"frequent": "not known: the most frequent words stand for stop words", "none": "no stop words"}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("corpus_names", metavar="CORPUS", nargs="*", help="text to learn from; with Spark, URLs too")
    parser.add_argument("--mined", metavar="DIR", type=Path, help="learn from what relrep mine left, instead of text")
    parser.add_argument("--out", metavar="MODEL", type=Path, required=True, help="the model folder to write")
    parser.add_argument("--config", metavar="TOML", type=Path, help="a file of settings")
    parser.add_argument("--work", metavar="DIR", type=Path, help="folder for finished stages (default: MODEL.work)")
    parser.add_argument("--no-index", action="store_true", help="leave the corpus index and the text out of the model")
    parser.add_argument("--no-text", action="store_true", help="leave the text as written out of the model")
    add_stage_arguments(parser)
    add_run_arguments(parser)
    add_engine_arguments(parser)
    add_config_flags(parser, *TITLES)


def run(arguments: argparse.Namespace) -> int:
    """Trains, and says what was made."""
    from relrep.api import work_folder

    check_engine(arguments)
    config, settings = chosen_config(arguments, *TITLES), run_settings(arguments)
    check_objective(arguments, config.training.objective)
    work = arguments.work or work_folder(arguments.out)
    begin = time.monotonic()
    with show_progress(arguments.quiet or arguments.plan) as progress:
        training = _training(arguments, config, settings, work, progress)
        try:
            if arguments.plan:
                return show_plan(training.plan(), training.needs(), training.graph.folder, arguments.json)
            model = training.make(arguments.out)
        finally:
            training.graph.engine.release()
    seconds = time.monotonic() - begin
    result = {"model": str(arguments.out), "seconds": round(seconds, 3), "config": model.config}
    return show(arguments, result, summary(model, seconds, work))


def _training(
    arguments: argparse.Namespace, config: "Config", settings: "RunSettings", work: Path, progress: "ProgressCallback"
) -> "TrainingRun":
    from relrep.pipeline.mine import MinedCounts
    from relrep.pipeline.train import TrainingRun

    names = arguments.corpus_names
    if (arguments.mined is None) == (not names):
        raise RelrepError("name a corpus to learn from, or mined counts with --mined, and not both")
    if arguments.mined is not None:
        if arguments.engine != "local":
            raise RelrepError("--mined has been mined already; leave --engine out")
        mined = MinedCounts(arguments.mined)
        return TrainingRun([], work, mined.checked(config), settings, progress, mined)
    engine = chosen_engine(arguments, config, work, True, progress)
    return TrainingRun(names, work, config, settings, progress, engine)


def summary(model: "Model", seconds: float, work: Path) -> list[str]:
    """A few lines on a fresh model: what it is made of, what lies where, and how to remove it."""
    from relrep.pipeline.estimates import size
    from relrep.pipeline.stages import folder_size, freed_by_removing

    corpus, history = model.config["corpus"], model.config["history"]
    relations = model.relations
    lines = [
        f"{model.folder}: {len(model.vectors):,} words × {model.vectors.vector_size} dimensions in {seconds:,.1f} s",
        f"  text      {corpus['tokens']:,} tokens in {corpus['sentences']:,} sentences",
    ]
    if corpus["replaced_bytes"]:
        lines.append(f"            {corpus['replaced_bytes']:,} invalid byte sequences were replaced")
    if language := model.config.get("language"):
        lines.append(
            f"  language  {_STOP_WORDS.get(language, f'stop words of {language}')} (--stop-words names others)"
        )
    if relations is not None:
        lines.append(f"  mined     {relations.n_pairs:,} bound pairs, {relations.n_patterns:,} patterns")
    if history and "loss" in history[-1]:
        first, last = history[0], history[-1]
        lines.append(
            f"  training  {len(history)} iterations: loss {first['loss']:.4f} → {last['loss']:.4f}, "
            f"instances right {first['accuracy']:.1%} → {last['accuracy']:.1%}"
        )
    kept, waiting = size(folder_size(model.folder)), size(freed_by_removing(work))
    lines.append(
        f"  disk      {kept} in {model.folder}; {waiting} more in {work}, which relrep clean {model.folder} frees"
    )
    lines.append(f"Try: relrep relation {model.folder} WORD WORD, relrep analogy {model.folder} man woman king")
    return lines
