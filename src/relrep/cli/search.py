"""Relational search: the word pairs most similar in relation to a pair, or to several.

Ranks all bound pairs of the model by vectors and text together. With --fix-first or --fix-second one word of the pair
is given and the other is sought in the whole vocabulary.
"""

import argparse
from pathlib import Path

from relrep.cli.arguments import check_at_least
from relrep.cli.console import show


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("model", metavar="MODEL", type=Path, help="a model folder")
    parser.add_argument("first", metavar="WORD1", help="the query's first word, as in ostrich")
    parser.add_argument("second", metavar="WORD2", help="the query's second word, as in bird")
    parser.add_argument(
        "--like",
        metavar="WORD",
        nargs="+",
        action="extend",
        default=[],
        help="more pairs: the query is the mean of all (lion cat salmon fish)",
    )
    slot = parser.add_mutually_exclusive_group()
    slot.add_argument("--fix-first", metavar="WORD", help="seek the second word that completes the pair WORD ?")
    slot.add_argument("--fix-second", metavar="WORD", help="seek the first word that completes the pair ? WORD")
    parser.add_argument("--pattern", metavar="TEXT", help="only pairs that this pattern joins, as in 'such as'")
    parser.add_argument("--min-meetings", metavar="N", type=int, default=0, help="only pairs of at least N sentences")
    parser.add_argument("--min-rank", metavar="N", type=int, default=1, help="no word more frequent than the Nth")
    parser.add_argument("--max-rank", metavar="N", type=int, default=0, help="only the N most frequent words")
    parser.add_argument("--distinct", action="store_true", help="no pair that shares a word with the query")
    parser.add_argument("--top", metavar="N", type=int, default=20, help="list so many pairs (default: 20)")


def run(arguments: argparse.Namespace) -> int:
    """Loads the model, searches, prints."""
    from dataclasses import asdict

    from relrep.core.threads import available_threads
    from relrep.errors import RelrepError
    from relrep.model.model import Model
    from relrep.relations.search import RelationSearch, SearchFilters

    check_at_least(arguments, 1, "top")
    if len(arguments.like) % 2:
        raise RelrepError(f"--like takes words in pairs, but got {len(arguments.like)}; give two words for each pair")
    pairs = [(arguments.first, arguments.second)]
    pairs += list(zip(arguments.like[::2], arguments.like[1::2], strict=True))
    filters = SearchFilters(
        arguments.pattern, arguments.min_meetings, arguments.min_rank, arguments.max_rank, arguments.distinct
    )
    search = RelationSearch(Model.load(arguments.model), available_threads())
    if arguments.fix_first is not None:
        answers = search.complete(pairs, arguments.fix_first, "first", arguments.top, filters)
    elif arguments.fix_second is not None:
        answers = search.complete(pairs, arguments.fix_second, "second", arguments.top, filters)
    else:
        answers = search.search(pairs, arguments.top, filters)
    lines = []
    for pair in answers:
        text = "" if pair.evidence is None else f", text {pair.evidence:.2f}"
        met = f", {pair.meetings:,} sentences" if pair.meetings else ""
        lines.append(f"{pair.score:7.4f}  {pair.first} – {pair.second}  (vectors {pair.cosine:.2f}{text}{met})")
    described = {"query": [list(pair) for pair in pairs], "pairs": [asdict(pair) for pair in answers]}
    return show(arguments, described, lines or ["no pair passes the filters"])
