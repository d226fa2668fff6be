"""Tells how two words are related: the patterns that say so, pairs related alike, and sentences.

It answers for any two words of the model's vocabulary. Patterns that were never seen between the two, but join the
pairs most alike, are marked as inferred. With --against a second pair is held against the first, by the vectors
(PairDiff), by the text (PairPattern) and by both (PairMix).
"""

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from relrep.cli.arguments import check_at_least
from relrep.cli.console import marked, shared_lines, show

if TYPE_CHECKING:
    from relrep.relations.concordance import Concordance
    from relrep.relations.explain import Explanation, PairSimilarity

WIDTH, _MOST_MIDDLE = 80, 40


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("model", metavar="MODEL", type=Path, help="a model folder")
    parser.add_argument("first", metavar="WORD1", help="the first word, as in ostrich")
    parser.add_argument("second", metavar="WORD2", help="the second word, as in bird")
    parser.add_argument("--top", metavar="N", type=int, default=8, help="list so many of each (default: 8)")
    parser.add_argument("--examples", metavar="N", type=int, default=5, help="show so many sentences (default: 5)")
    parser.add_argument("--sharing", action="store_true", help="also list alike pairs that share a word with this one")
    parser.add_argument(
        "--against",
        metavar="WORD",
        nargs=2,
        help="a second pair: how alike the two relations are, and the patterns both pairs share (reads the corpus)",
    )
    parser.add_argument("--concordance", action="store_true", help="show all lines in which the two meet, as KWIC")
    parser.add_argument(
        "--sort", choices=("text", "left", "right"), default="text", help="of a concordance: by the words on that side"
    )
    parser.add_argument("--page", metavar="N", type=int, default=1, help="of a concordance (50 lines each)")


def run(arguments: argparse.Namespace) -> int:
    """Loads the model, explains the pair, prints."""
    from dataclasses import asdict

    from relrep.core.threads import available_threads
    from relrep.model.model import Model
    from relrep.relations.explain import compare_pairs, explain
    from relrep.relations.search import RelationSearch

    check_at_least(arguments, 1, "top")
    check_at_least(arguments, 0, "examples")
    model = Model.load(arguments.model)
    pair = (arguments.first, arguments.second)
    if arguments.concordance:
        from relrep.relations.concordance import concordance

        found = concordance(model, *pair, arguments.sort, arguments.page)
        return show(arguments, asdict(found), _concordance_lines(found))
    search = RelationSearch(model, available_threads())
    explanation = explain(search, *pair, arguments.top, arguments.examples, distinct=not arguments.sharing)
    against = compare_pairs(model, pair, tuple(arguments.against)) if arguments.against else None
    more = {} if against is None else {"against": asdict(against), "reads_corpus": ["pairpattern", "pairmix"]}
    described = {"summary": explanation.summary, **asdict(explanation), **more}
    return show(arguments, described, _lines(explanation) + _against_lines(against))


def _against_lines(against: "PairSimilarity | None") -> list[str]:
    if against is None:
        return []
    pattern = "–  (the text says nothing of one of them)"
    if against.pairpattern is not None:
        pattern = f"{against.pairpattern:6.3f}"
    return [
        "",
        f"Against {' – '.join(against.second)} († reads the corpus at query time)",
        f"  {against.pairdiff:6.3f}  PairDiff",
        f"  {against.pairboth:6.3f}  PairBoth",
        f"  {pattern}  PairPattern †",
        f"  {against.pairmix:6.3f}  PairMix †",
        *shared_lines(against.shared, against.second, against.first),
    ]


def _lines(explanation: "Explanation") -> list[str]:
    lines = [explanation.summary, f"X = {explanation.first}, Y = {explanation.second}{_meetings(explanation)}"]
    if explanation.alike:
        pairs = [f"  {pair.score:6.3f}  {pair.first} – {pair.second}" for pair in explanation.alike]
        lines += ["", "Pairs related alike", *pairs]
    if explanation.contrasts:
        frames = ", ".join(f"{frame} ({count:,})" for frame, count in explanation.contrasts)
        lines += ["", f"Opposites or alternatives: {frames}"]
    if explanation.patterns:
        lines += ["", "Patterns: count between the two, share of the pairs most alike that they join"]
        for each in explanation.patterns:
            note = "  (inferred)" if each.inferred else ""
            lines.append(f"  {each.count:6,} {each.support:6.0%}  {each.label}{note}")
    if explanation.examples:
        lines += ["", "Examples", *(f"  {marked(example)}" for example in explanation.examples)]
    return lines


def _meetings(explanation: "Explanation") -> str:
    if not explanation.has_text:
        return "; the model keeps no text"
    total = explanation.meetings + explanation.meetings_reversed
    if not total:
        return "; the two never meet in the corpus"
    return f"; they meet {'once' if total == 1 else f'{total:,} times'}"


def _concordance_lines(found: "Concordance") -> list[str]:
    """KWIC: the two words and what is between them in the middle, context on both sides, 80 columns wide."""
    if not found.total:
        return [f"{found.first} and {found.second} never meet in the corpus"]
    middle = min(_MOST_MIDDLE, max((len(line.words) for line in found.lines), default=0))
    side = (WIDTH - middle - 2) // 2
    lines = [
        f"{line.left[-side:]:>{side}} {_fitted(line.words, middle):^{middle}} {line.right[:side]}"
        for line in found.lines
    ]
    sources = [f"  {count:8,}  {source}" for source, count in found.by_source[:10]]
    page = f"page {found.page} of {found.pages}; more with --page"
    return [f"{found.total:,} lines, {page}", "", *lines, *(["", "By source", *sources] if sources else [])]


def _fitted(words: str, width: int) -> str:
    """What stands between the two words is left out where it is too long."""
    half = (width - 1) // 2
    return words if len(words) <= width else f"{words[:half]}…{words[-half:]}"
