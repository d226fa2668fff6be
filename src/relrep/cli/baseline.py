"""Trains a well-known system on the same token ids and vocabulary as `relrep train`.

SYSTEM is skipgram, cbow (both by gensim: pip install 'relrep[baselines]'), glove or ivlbl (both relrep's own, the
same bits for any number of threads). CORPUS is a file, a folder, a glob or - (text, .gz, .bz2, .xz, .zst, .jsonl,
.parquet). The format of the vectors follows the suffix of --out. Finished stages wait in VECTORS.work: the same command
goes on where an interrupted one was (skip-gram and CBOW begin their training again).
"""

import argparse
import time
from dataclasses import Field, asdict, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

from relrep.cli.console import add_output_arguments, print_json, show_progress
from relrep.cli.plan import add_stage_arguments, show_plan
from relrep.cli.run_arguments import add_run_arguments, memory_size, thread_count
from relrep.errors import RelrepError

if TYPE_CHECKING:
    from relrep.baselines import BaselineSettings

HELP = "train skip-gram, CBOW, GloVe or ivLBL on a corpus"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of `relrep baseline`: those of all systems, each with the default of its system."""
    from relrep.baselines.settings import SYSTEMS
    from relrep.text.settings import CorpusSettings

    parser.add_argument("system", metavar="SYSTEM", choices=tuple(SYSTEMS), help=", ".join(SYSTEMS))
    parser.add_argument("corpus", metavar="CORPUS", nargs="+", help="text to learn from")
    parser.add_argument("--out", metavar="VECTORS", type=Path, required=True, help="the file to write")
    parser.add_argument("--work", metavar="DIR", type=Path, help="folder for finished stages (default: VECTORS.work)")
    add_stage_arguments(parser)
    add_run_arguments(parser)
    reading = parser.add_argument_group("reading the corpus")
    for setting in fields(CorpusSettings):
        _add_setting(reading, setting, f"{setting.metadata['help']} (default: {setting.default})")
    training = parser.add_argument_group("training")
    for name, users in _settings_by_name().items():
        setting = next(iter(users.values()))
        defaults = {system: each.default for system, each in users.items()}
        if len(users) == len(SYSTEMS) and len(set(defaults.values())) == 1:
            default = str(setting.default)
        else:
            default = ", ".join(f"{system} {value}" for system, value in defaults.items())
        helps = list(dict.fromkeys(each.metadata["help"] for each in users.values()))
        _add_setting(training, setting, f"{' / '.join(helps)} (default: {default})", name)
    add_output_arguments(parser)


def _settings_by_name() -> dict[str, dict[str, "Field[Any]"]]:
    """Every setting, and the systems that have it."""
    from relrep.baselines.settings import SYSTEMS

    found: dict[str, dict[str, Field[Any]]] = {}
    for system, kind in SYSTEMS.items():
        for setting in fields(kind):
            found.setdefault(setting.name, {})[system] = setting
    return found


def _add_setting(group: Any, setting: "Field[Any]", text: str, name: str | None = None) -> None:
    name = name or setting.name
    flag = "--" + name.replace("_", "-")
    text = text.replace("%", "%%")
    if isinstance(setting.default, bool):
        group.add_argument(flag, dest=name, action=argparse.BooleanOptionalAction, default=None, help=text)
    else:
        group.add_argument(flag, dest=name, metavar="N", type=type(setting.default), default=None, help=text)


def run(arguments: argparse.Namespace) -> int:
    """Reads the corpus, trains, saves, and says what was written."""
    from relrep.api import work_folder
    from relrep.pipeline.baseline import BaselineRun
    from relrep.pipeline.stages import RunSettings
    from relrep.text.settings import CorpusSettings
    from relrep.vectors.files import format_of

    target_format = format_of(arguments.out)  # before the work, not after
    settings = chosen_settings(arguments)
    given = {each.name: getattr(arguments, each.name) for each in fields(CorpusSettings)}
    reading = CorpusSettings(**{name: value for name, value in given.items() if value is not None})
    run = RunSettings(thread_count(arguments), memory_size(arguments.memory), force=arguments.force)
    work = arguments.work or work_folder(arguments.out)
    begin = time.monotonic()
    with show_progress(arguments.quiet or arguments.plan) as progress:
        baseline = BaselineRun(arguments.system, arguments.corpus, work, settings, reading, run, progress)
        if arguments.plan:
            return show_plan(baseline.plan(), baseline.needs(), work, arguments.json)
        vectors, facts = baseline.make(arguments.out, target_format)
    seconds = round(time.monotonic() - begin, 1)
    if arguments.json:
        print_json(
            {
                "path": str(arguments.out),
                "format": target_format,
                "system": arguments.system,
                "settings": asdict(settings),
                "corpus": asdict(facts),
                "words": len(vectors),
                "dimensions": vectors.vector_size,
                "seconds": seconds,
            }
        )
    else:
        size = f"{len(vectors):,} words × {vectors.vector_size} dimensions"
        print(f"{arguments.out}: {arguments.system}, {size}, from {facts.tokens:,} tokens in {seconds:,} s")
    return 0


def chosen_settings(arguments: argparse.Namespace) -> "BaselineSettings":
    """The settings of the system, with what was given on the command line; a foreign setting is refused."""
    from relrep.baselines.settings import SYSTEMS

    given: dict[str, Any] = {}
    for name, users in _settings_by_name().items():
        value = getattr(arguments, name)
        if value is None:
            continue
        if arguments.system not in users:
            flag = "--" + name.replace("_", "-")
            raise RelrepError(f"{arguments.system} has no setting {flag}; it belongs to {', '.join(users)}")
        given[name] = value
    return SYSTEMS[arguments.system](**given)
