"""Relational search: the word pairs most similar in relation to a pair, or to the mean of several.

Ranks all mined pairs by the cosine of their difference with the query's. With --fix-first or --fix-second one
word of the pair is given and the other is sought in the whole vocabulary. With --evidence the best of them are
reordered by what the corpus says of the pairs (PairMix), and it is shown.
"""

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from relrep.cli.console import add_output_arguments, print_json, show_progress
from relrep.cli.evidence_arguments import shared_lines

if TYPE_CHECKING:
    from relrep.relations.search_evidence import MovedPair

HELP = "the word pairs most similar in relation"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of `relrep search`."""
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
    parser.add_argument(
        "--min-sentences", metavar="N", type=int, default=0, help="only pairs seen in at least N sentences"
    )
    parser.add_argument("--min-rank", metavar="N", type=int, default=1, help="no word more frequent than the Nth")
    parser.add_argument("--max-rank", metavar="N", type=int, default=0, help="only the N most frequent words")
    parser.add_argument("--distinct", action="store_true", help="no pair that shares a word with the query")
    parser.add_argument("--stop-words", action="store_true", help="also list pairs with a stop word")
    parser.add_argument("--top", metavar="N", type=int, default=20, help="list so many pairs (default: 20)")
    parser.add_argument(
        "--approximate", action="store_true", help="use an approximate index (usearch), built on first use"
    )
    parser.add_argument(
        "--evidence",
        action="store_true",
        help="reorder the best pairs by PairMix, which reads the corpus, and show what they share with the query",
    )
    add_output_arguments(parser)


def run(arguments: argparse.Namespace) -> int:
    """Loads the model, searches, prints."""
    from dataclasses import asdict

    from relrep.errors import RelrepError
    from relrep.model import Model
    from relrep.relations.search import SearchFilters, complete_pairs, search_pairs

    if arguments.top < 1:
        raise RelrepError(f"--top is {arguments.top}; it must be at least 1")
    if len(arguments.like) % 2:
        raise RelrepError(f"--like takes words in pairs, but got {len(arguments.like)}; give two words for each pair")
    pairs = [(arguments.first, arguments.second)]
    pairs += list(zip(arguments.like[::2], arguments.like[1::2], strict=True))
    filters = SearchFilters(
        pattern=arguments.pattern,
        min_sentences=arguments.min_sentences,
        min_rank=arguments.min_rank,
        max_rank=arguments.max_rank,
        distinct=arguments.distinct,
        stop_words=arguments.stop_words,
    )
    model = Model.load(arguments.model)
    n = arguments.top
    if arguments.evidence:
        from relrep.relations.search_evidence import REORDERED_PAIRS, reorder_pairs

        model.require_index()
        n = max(n, REORDERED_PAIRS)
    if arguments.fix_first is not None:
        found = complete_pairs(model, pairs, arguments.fix_first, "first", n, filters)
    elif arguments.fix_second is not None:
        found = complete_pairs(model, pairs, arguments.fix_second, "second", n, filters)
    elif arguments.approximate:
        from relrep.relations.search_approximate import ApproximatePairs

        with show_progress(arguments.quiet) as progress:
            index = ApproximatePairs.open(model, progress)
        found = index.search(pairs, n, filters)
    else:
        found = search_pairs(model, pairs, n, filters)
    moved = None
    if arguments.evidence:
        with show_progress(arguments.quiet) as progress:
            moved = reorder_pairs(model, pairs, found, arguments.top, progress=progress)
    if arguments.json:
        shown = [asdict(pair) for pair in (found if moved is None else moved)]
        marked = {} if moved is None else {"reads_corpus": ["score", "evidence", "shared"]}
        print_json({"query": [list(pair) for pair in pairs], "pairs": shown, **marked})
        return 0
    if not found:
        print("no pair passes the filters")
    if moved is not None:
        print("\n".join(_moved_lines(pairs[0], moved)))
        return 0
    for pair in found:
        seen = pair.sentences + pair.sentences_reversed
        note = f"  ({seen:,} sentences)" if seen else ""
        print(f"{pair.score:7.4f}  {pair.first} – {pair.second}{note}")
    return 0


def _moved_lines(query: tuple[str, str], moved: "Sequence[MovedPair]") -> list[str]:
    """Score, pair, where it stood by the vectors alone, and what both pairs share."""
    lines = ["PairMix † (reads the corpus at query time)"] if moved else []
    for place, pair in enumerate(moved, start=1):
        went = "stays" if pair.place_before == place else f"from place {pair.place_before}"
        told = "the text says nothing of them" if pair.evidence is None else f"evidence {pair.evidence:.3f}"
        lines.append(f"{pair.score:7.4f}  {pair.first} – {pair.second}  ({went}, {told})")
        lines += shared_lines(pair.shared, (pair.first, pair.second), query)
    return lines
