"""Trains a well-known system on the same token ids and vocabulary as `relrep train`.

SYSTEM is skipgram, cbow, fasttext (by gensim: pip install 'relrep[baselines]'), glove or ivlbl (relrep's own, the
same bits for any number of threads). CORPUS is a file, a folder, a glob or - (text, .gz, .bz2, .xz, .zst, .jsonl,
.parquet). The format of the vectors follows the suffix of --out. Finished stages wait in VECTORS.work: the same command
goes on where an interrupted one was (those of gensim begin their training again).
"""

import argparse
import time
from dataclasses import Field, asdict, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

from relrep.cli.arguments import (
    add_config_flags,
    add_run_arguments,
    add_setting_flag,
    add_stage_arguments,
    chosen_config,
    given_settings,
    run_settings,
)
from relrep.cli.console import show, show_plan, show_progress
from relrep.errors import RelrepError

if TYPE_CHECKING:
    from relrep.baselines.settings import BaselineSettings

TABLE = "system"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of `relrep baseline`: those of all systems, each with the default of its system."""
    from relrep.baselines.settings import SYSTEMS

    parser.add_argument("system", metavar="SYSTEM", choices=tuple(SYSTEMS), help=", ".join(SYSTEMS))
    parser.add_argument("corpus", metavar="CORPUS", nargs="+", help="text to learn from")
    parser.add_argument("--out", metavar="VECTORS", type=Path, required=True, help="the file to write")
    parser.add_argument("--work", metavar="DIR", type=Path, help="folder for finished stages (default: VECTORS.work)")
    add_stage_arguments(parser)
    add_run_arguments(parser)
    add_config_flags(parser, "corpus")
    training = parser.add_argument_group("training")
    for name, users in _settings_by_name().items():
        setting = next(iter(users.values()))
        defaults = {system: each.default for system, each in users.items()}
        if len(users) == len(SYSTEMS) and len(set(defaults.values())) == 1:
            default = str(setting.default)
        else:
            default = ", ".join(f"{system} {value}" for system, value in defaults.items())
        helps = list(dict.fromkeys(each.metadata["help"] for each in users.values()))
        text = f"{' / '.join(helps)} (default: {default})"
        add_setting_flag(training, name, f"{TABLE}.{name}", setting.default, text)


def _settings_by_name() -> dict[str, dict[str, "Field[Any]"]]:
    """Every setting, and the systems that have it."""
    from relrep.baselines.settings import SYSTEMS

    found: dict[str, dict[str, Field[Any]]] = {}
    for system, kind in SYSTEMS.items():
        for setting in fields(kind):
            found.setdefault(setting.name, {})[system] = setting
    return found


def run(arguments: argparse.Namespace) -> int:
    """Reads the corpus, trains, saves, and says what was written."""
    from relrep.api import work_folder
    from relrep.pipeline.graph import Graph
    from relrep.pipeline.train import BaselineRun
    from relrep.vectors.files import format_of

    target_format = format_of(arguments.out)  # before the work, not after
    settings = chosen_settings(arguments)
    work = arguments.work or work_folder(arguments.out)
    begin, config, run = time.monotonic(), chosen_config(arguments, "corpus"), run_settings(arguments)
    with show_progress(arguments.quiet or arguments.plan) as progress:
        graph = Graph(arguments.corpus, work, config, run, progress)
        baseline = BaselineRun(graph, arguments.system, settings)
        if arguments.plan:
            return show_plan(baseline.plan(), baseline.needs(), work, arguments.json)
        vectors, facts = baseline.make(arguments.out, target_format)
    seconds = round(time.monotonic() - begin, 1)
    result: dict[str, Any] = {"path": str(arguments.out), "format": target_format, "system": arguments.system}
    result |= {"settings": asdict(settings), "corpus": asdict(facts)}
    result |= {"words": len(vectors), "dimensions": vectors.vector_size, "seconds": seconds}
    size = f"{len(vectors):,} words × {vectors.vector_size} dimensions"
    line = f"{arguments.out}: {arguments.system}, {size}, from {facts.tokens:,} tokens in {seconds:,} s"
    return show(arguments, result, [line])


def chosen_settings(arguments: argparse.Namespace) -> "BaselineSettings":
    """The settings of the system, with what was given on the command line; a foreign setting is refused."""
    from relrep.baselines.settings import SYSTEMS

    given = given_settings(arguments, TABLE).get(TABLE, {})
    users = _settings_by_name()
    foreign = next((name for name in given if arguments.system not in users[name]), None)
    if foreign is not None:
        flag = "--" + foreign.replace("_", "-")
        raise RelrepError(f"{arguments.system} has no setting {flag}; it belongs to {', '.join(users[foreign])}")
    return SYSTEMS[arguments.system](**given)
