"""Patterns that mean alike: most similar in use (they join the same pairs) and in vector, and the pairs joined."""

import argparse
from pathlib import Path

from relrep.cli.console import add_output_arguments, print_json

HELP = "the patterns most similar to a pattern, and their pairs"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of `relrep patterns`."""
    parser.add_argument("model", metavar="MODEL", type=Path, help="a model folder")
    parser.add_argument("pattern", metavar="PATTERN", help="the pattern's text, as in 'such as'")
    parser.add_argument("--kind", choices=("unigram", "bigram", "midfix"), help="which reading of the text is meant")
    parser.add_argument("--reversed", action="store_true", default=None, help="the reading in which Y stands first")
    parser.add_argument("--top", metavar="N", type=int, default=10, help="list so many of each (default: 10)")
    add_output_arguments(parser)


def run(arguments: argparse.Namespace) -> int:
    """Loads the model, finds the neighbours, prints."""
    from dataclasses import asdict

    from relrep.errors import RelrepError
    from relrep.model import Model
    from relrep.relations.pattern_neighbours import pattern_neighbours

    if arguments.top < 1:
        raise RelrepError(f"--top is {arguments.top}; it must be at least 1")
    model = Model.load(arguments.model)
    told = pattern_neighbours(model, arguments.pattern, arguments.top, arguments.kind, arguments.reversed)
    if arguments.json:
        print_json(asdict(told))
        return 0
    pattern = told.pattern
    print(f"{pattern.label}  ({pattern.kind}, {pattern.occurrences:,} occurrences, {pattern.pairs:,} pairs)")
    for title, neighbours in (("Most similar in use", told.in_use), ("Most similar in vector", told.in_vector)):
        print(f"\n{title}")
        for neighbour in neighbours:
            print(f"  {neighbour.score:6.3f}  {neighbour.pattern.label}")
    print("\nPairs\n  weight  count")
    for pair in told.pairs:
        print(f"  {pair.weight:6.2f} {pair.count:6,}  {pair.first} – {pair.second}")
    if told.others:
        readings = ", ".join(f"{other.label} ({other.kind})" for other in told.others)
        print(f"\nOther readings: {readings}; see --kind and --reversed")
    return 0
