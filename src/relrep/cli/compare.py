"""Trains five systems on one corpus, evaluates all of them, and writes a report.

ivLBL, skip-gram, CBOW, GloVe and relrep (which goes on from ivLBL and CBOW united) learn from the same token ids. DIR
gets report.html (one page that needs nothing else), report.md, report.json and the figures, and keeps the trained
vectors: those with the same settings are used again. --quick is a small version: fewer dimensions, instances and
passes. --config names a file of settings as for `relrep train`, where [baselines.skipgram] and its like hold those of
the baselines.
"""

import argparse
import shlex
import sys
from collections.abc import Sequence
from dataclasses import fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from relrep.cli.console import add_output_arguments, show_progress
from relrep.cli.plan import add_stage_arguments, show_plan
from relrep.cli.run_arguments import add_run_arguments, memory_size, thread_count
from relrep.errors import RelrepError

if TYPE_CHECKING:
    from relrep.compare.settings import CompareSettings
    from relrep.text.settings import CorpusSettings

HELP = "train all systems on one corpus and report how they compare"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of `relrep compare`."""
    from relrep.text.settings import CorpusSettings

    parser.add_argument("corpus", metavar="CORPUS", nargs="+", help="text to learn from")
    parser.add_argument("--out", metavar="DIR", type=Path, required=True, help="the folder of the report")
    parser.add_argument("--quick", action="store_true", help="a small version of everything")
    asked = parser.add_argument_group("questions (at least one set)")
    asked.add_argument("--google", metavar="F", type=Path, help="the Google analogy set: a file or a folder")
    asked.add_argument("--sat", metavar="F", type=Path, help="the SAT analogy questions")
    asked.add_argument("--semeval", metavar="DIR", type=Path, help="SemEval-2012 Task 2")
    asked.add_argument(
        "--questions", metavar="F", type=Path, action="append", default=[], help="any other set; may be repeated"
    )
    asked.add_argument(
        "--candidates",
        default="all",
        help="where answers are sought: all, answers, or the first N words (default: all)",
    )
    asked.add_argument(
        "--oov", choices=("wrong", "skip"), default="wrong", help="questions with unknown words (default: wrong)"
    )
    sizes = parser.add_argument_group("sizes")
    sizes.add_argument("--dim", metavar="N", type=int, help="dimensions in Table 1 (default: 300)")
    sizes.add_argument("--seed", metavar="N", type=int, help="seed of all systems (default: 1)")
    sizes.add_argument("--systems", metavar="A,B", help="only these systems (default: all)")
    sizes.add_argument(
        "--init", metavar="SYSTEM", help="what relrep goes on from; several with + (default: ivlbl+cbow)"
    )
    sizes.add_argument(
        "--instances", metavar="N,N", help="training instances of the figure (default: 10000,30000,100000,300000)"
    )
    sizes.add_argument("--dims", metavar="N,N", help="dimensions of the figure (default: 50,100,200,…,600; '': none)")
    sizes.add_argument("--n-patterns", metavar="N", type=int, help="patterns that relrep keeps (default: 10000)")
    sizes.add_argument(
        "--min-pair-sentences", metavar="N", type=int, help="sentences that relrep's pairs share (default: 50)"
    )
    sizes.add_argument("--config", metavar="TOML", type=Path, help="a file of settings of all systems; flags win")
    add_stage_arguments(parser)
    add_run_arguments(parser)
    reading = parser.add_argument_group("reading the corpus")
    for setting in fields(CorpusSettings):
        flag = "--" + setting.name.replace("_", "-")
        text = f"{setting.metadata['help']} (default: {setting.default})"
        if isinstance(setting.default, bool):
            reading.add_argument(flag, action=argparse.BooleanOptionalAction, default=None, help=text)
        else:
            reading.add_argument(flag, metavar="N", type=int, help=text)
    add_output_arguments(parser)


def run(arguments: argparse.Namespace) -> int:
    """Compares, and says where the report lies."""
    from relrep.compare.run import QuestionSets, compare_on_corpus, trainings_of
    from relrep.pipeline.stages import RunSettings

    sets = QuestionSets(
        arguments.google,
        arguments.sat,
        arguments.semeval,
        tuple(arguments.questions),
        int(arguments.candidates) if arguments.candidates.isdecimal() else arguments.candidates,
        arguments.oov,
    )
    reading, settings = chosen_reading(arguments), chosen_settings(arguments)
    run = RunSettings(thread_count(arguments), memory_size(arguments.memory), force=arguments.force)
    if arguments.plan:
        planned = trainings_of(arguments.corpus, arguments.out, settings, reading, run)
        return show_plan(planned.plan(), planned.needs(), arguments.out, arguments.json)
    with show_progress(arguments.quiet) as progress:
        trainings = trainings_of(arguments.corpus, arguments.out, settings, reading, run, progress)
        comparison, paths = compare_on_corpus(trainings, arguments.out, sets, shown_command(sys.argv[1:]))
    if arguments.json:
        print(paths["report.json"].read_text(encoding="utf-8"), end="")
        return 0
    from relrep.compare.table_one import TableOne

    table = TableOne.of([each.evaluation for each in comparison.table])
    print(table.to_markdown())
    print(f"The report is {paths['report.html']} (also report.md and report.json).")
    return 0


def shown_command(arguments: Sequence[str]) -> str:
    """The command for the report; of places on this machine only the last name, which is all that others can use.

    >>> shown_command(["compare", "/home/me/my text.txt", "--out=/tmp/report", "--google", "google"])
    "relrep compare 'my text.txt' --out=report --google google"
    """
    shown = []
    for argument in arguments:
        flag, equals, value = argument.partition("=") if argument.startswith("--") else ("", "", argument)
        shown.append(flag + equals + (Path(value).name if value.startswith("/") else value))
    return shlex.join(["relrep", *shown])


def chosen_reading(arguments: argparse.Namespace) -> "CorpusSettings":
    """How the text is read: as --config says, and then the flags."""
    from relrep.text.settings import CorpusSettings

    flags = {each.name: getattr(arguments, each.name) for each in fields(CorpusSettings)}
    given = {name: value for name, value in flags.items() if value is not None}
    return CorpusSettings(**{**_file_tables(arguments).get("corpus", {}), **given})


def chosen_settings(arguments: argparse.Namespace) -> "CompareSettings":
    """The settings of the comparison, from --quick, --config and the sizes given."""
    from relrep.compare.settings import CompareSettings

    settings = CompareSettings.quick() if arguments.quick else CompareSettings()
    changes = {name: getattr(arguments, name) for name in ("dim", "seed", "init")}
    if arguments.systems is not None:
        changes["systems"] = tuple(filter(None, arguments.systems.split(",")))
    tables = _file_tables(arguments)
    tables.pop("corpus", None)
    changes["baseline_settings"] = _merged(settings.baseline_settings, tables.pop("baselines", {}))
    flags = {name: getattr(arguments, name) for name in ("n_patterns", "min_pair_sentences")}
    mining = {"mining": {name: value for name, value in flags.items() if value is not None}}
    changes["relrep_settings"] = _merged(_merged(settings.relrep_settings, tables), mining)
    for name in ("instances", "dims"):
        if getattr(arguments, name) is not None:
            changes[name] = _numbers(name, getattr(arguments, name))
    return replace(settings, **{name: value for name, value in changes.items() if value is not None})


def _file_tables(arguments: argparse.Namespace) -> dict[str, dict[str, Any]]:
    """What the file of --config says, checked, and nothing else."""
    from relrep.config import Config, read_tables

    if arguments.config is None:
        return {}
    checked = Config.from_toml(arguments.config).as_dict()
    found: dict[str, dict[str, Any]] = _chosen(checked, read_tables(arguments.config))
    return found


def _chosen(values: Any, wanted: Any) -> Any:
    """Of nested tables only the keys that others have too."""
    if not isinstance(wanted, dict):
        return values
    return {key: _chosen(values[key], inner) for key, inner in wanted.items()}


def _merged(tables: dict[str, dict[str, Any]], changes: dict[str, dict[str, Any]]) -> dict[str, dict[str, Any]]:
    """Two sets of tables; the second wins."""
    names = {**tables, **changes}
    merged = {name: {**tables.get(name, {}), **changes.get(name, {})} for name in names}
    return {name: values for name, values in merged.items() if values}


def _numbers(name: str, text: str) -> tuple[int, ...]:
    try:
        return tuple(int(part) for part in text.replace(" ", "").split(",") if part)
    except ValueError:
        raise RelrepError(f"--{name} is {text!r}; give whole numbers with commas between them") from None
