"""Trains all systems on one corpus, evaluates all of them, and writes a report.

ivLBL, skip-gram, CBOW, GloVe, fastText and relrep (which goes on from ivLBL and CBOW united) learn from the same token
ids. DIR gets report.html (one page that needs nothing else), report.md, report.json and the figures, and keeps the
trained vectors: those with the same settings are used again. --quick is a small version: fewer dimensions, instances
and passes. --config names a file of settings as for `relrep train`, where [baselines.skipgram] and its like hold those
of the baselines.
"""

import argparse
import shlex
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from relrep.cli.arguments import (
    add_config_flags,
    add_question_arguments,
    add_run_arguments,
    add_setting_flags,
    add_stage_arguments,
    given_settings,
    question_sets,
    run_settings,
)
from relrep.cli.console import show_plan, show_progress

if TYPE_CHECKING:
    from relrep.compare.settings import CompareSettings


def add_arguments(parser: argparse.ArgumentParser) -> None:
    from relrep.compare.settings import CompareSettings

    parser.add_argument("corpus", metavar="CORPUS", nargs="+", help="text to learn from")
    parser.add_argument("--out", metavar="DIR", type=Path, required=True, help="the folder of the report")
    parser.add_argument("--quick", action="store_true", help="a small version of everything")
    add_question_arguments(parser.add_argument_group("questions (at least one set)"))
    parser.add_argument("--config", metavar="TOML", type=Path, help="a file of settings of all systems; flags win")
    add_setting_flags(parser, "compare", "sizes", CompareSettings)
    add_stage_arguments(parser)
    add_run_arguments(parser)
    add_config_flags(parser, "corpus", "mining")


def run(arguments: argparse.Namespace) -> int:
    """Compares, and says where the report lies."""
    from relrep.analogy.questions import Protocol
    from relrep.compare.report import compare_on_corpus, trainings_of

    sets, protocol = question_sets(arguments), Protocol(arguments.candidates, arguments.oov)
    settings, run = chosen_settings(arguments), run_settings(arguments)
    with show_progress(arguments.quiet or arguments.plan) as progress:
        trainings = trainings_of(arguments.corpus, arguments.out, settings, run, progress)
        if arguments.plan:
            return show_plan(trainings.plan(), trainings.needs(), arguments.out, arguments.json)
        command = shown_command(sys.argv[1:])
        comparison, paths = compare_on_corpus(trainings, arguments.out, sets, protocol, command)
    if arguments.json:
        print(paths["report.json"].read_text(encoding="utf-8"), end="")
        return 0
    from relrep.analogy.tables import markdown_table
    from relrep.compare.tables import TableOne

    print(markdown_table(TableOne.of([each.evaluation for each in comparison.table]).printed()))
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


def chosen_settings(arguments: argparse.Namespace) -> "CompareSettings":
    """The settings of the comparison, from --quick, --config and the flags."""
    from relrep.compare.settings import CompareSettings

    settings = CompareSettings.quick() if arguments.quick else CompareSettings()
    settings = replace(settings, **given_settings(arguments, "compare").get("compare", {}))
    if arguments.config is not None:
        settings = settings.with_file(arguments.config)
    return settings.with_tables(given_settings(arguments, "corpus", "mining"))
