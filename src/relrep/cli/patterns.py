"""Patterns that mean alike: those that join the same pairs, and the pairs joined."""

import argparse
from pathlib import Path

from relrep.cli.arguments import check_at_least
from relrep.cli.console import show


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("model", metavar="MODEL", type=Path, help="a model folder")
    parser.add_argument("pattern", metavar="PATTERN", help="the pattern's text, as in 'such as'")
    reading = parser.add_mutually_exclusive_group()
    reading.add_argument("--whole", action="store_true", default=None, help="as all that stands between two words")
    reading.add_argument("--part", dest="whole", action="store_false", help="as a part of it")
    parser.add_argument("--reversed", action="store_true", help="the reading in which Y stands first")
    parser.add_argument("--top", metavar="N", type=int, default=10, help="list so many of each (default: 10)")


def run(arguments: argparse.Namespace) -> int:
    """Loads the model, finds the neighbours, prints."""
    from dataclasses import asdict

    from relrep.model.model import Model
    from relrep.relations.patterns import ask_pattern

    check_at_least(arguments, 1, "top")
    model = Model.load(arguments.model)
    answer = ask_pattern(model, arguments.pattern, arguments.top, arguments.whole, arguments.reversed)
    pattern = answer.pattern
    lines = [f"{pattern.label}  ({pattern.occurrences:,} occurrences, {pattern.pairs:,} pairs)"]
    lines += ["", "Most similar in use", *(f"  {each.score:6.3f}  {each.label}" for each in answer.neighbours)]
    lines += ["", "Pairs", "  weight  count"]
    lines += [f"  {pair.weight:6.2f} {pair.count:6,}  {pair.first} – {pair.second}" for pair in answer.pairs]
    if answer.others:
        others = ", ".join(other.label for other in answer.others)
        lines += ["", f"Other readings: {others}; see --whole and --part"]
    return show(arguments, asdict(answer), lines)
