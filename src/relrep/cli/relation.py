"""Tells how two words are related: the patterns that join them in the corpus, examples, and pairs related alike.

It answers for any two words of the model's vocabulary. Patterns of a pair that never meets in the corpus are
inferred from the vectors, and said to be. With --against a second pair is held against the first, by the vectors
(PairDiff), by the text (PairPattern) and by both (PairMix).
"""

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from relrep.cli.console import add_output_arguments, print_json, show_progress
from relrep.cli.evidence_arguments import shared_lines

if TYPE_CHECKING:
    from relrep.relations.evidence import Evidence, PatternEvidence
    from relrep.relations.explanation import Explanation
    from relrep.relations.occurrences import Example
    from relrep.relations.search import RelatedPair
    from relrep.relations.search_evidence import Likeness

HELP = "how two words are related"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of `relrep relation`."""
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
    add_output_arguments(parser)


def run(arguments: argparse.Namespace) -> int:
    """Loads the model, explains the pair, prints."""
    from dataclasses import asdict

    from relrep.errors import RelrepError
    from relrep.model import Model
    from relrep.relations.explanation import explain

    if arguments.top < 1 or arguments.examples < 0:
        raise RelrepError("--top must be at least 1 and --examples at least 0")
    model = Model.load(arguments.model)
    told = explain(
        model, arguments.first, arguments.second, arguments.top, arguments.examples, distinct=not arguments.sharing
    )
    likeness = None
    if arguments.against:
        from relrep.relations.search_evidence import hold_against

        with show_progress(arguments.quiet) as progress:
            pair = (arguments.first, arguments.second)
            likeness = hold_against(model, pair, tuple(arguments.against), progress=progress)
    if arguments.json:
        held = {} if likeness is None else {"against": asdict(likeness), "reads_corpus": ["pairpattern", "pairmix"]}
        print_json({**asdict(told), **held})
    else:
        print("\n".join(_lines(told) + _likeness_lines(likeness)))
    return 0


def _likeness_lines(likeness: "Likeness | None") -> list[str]:
    if likeness is None:
        return []
    pattern = "–  (the text says nothing of one of them)"
    if likeness.pairpattern is not None:
        pattern = f"{likeness.pairpattern:6.3f}"
    return [
        "",
        f"Against {' – '.join(likeness.second)} († reads the corpus at query time)",
        f"  {likeness.pairdiff:6.3f}  PairDiff",
        f"  {likeness.pairboth:6.3f}  PairBoth",
        f"  {pattern}  PairPattern †",
        f"  {likeness.pairmix:6.3f}  PairMix †",
        *shared_lines(likeness.shared, likeness.second, likeness.first),
    ]


def _lines(told: "Explanation") -> list[str]:
    x, y = told.first, told.second
    total = told.forward.meetings + told.backward.meetings
    lines = [f"X = {x}, Y = {y}"]
    if not told.seen and not told.has_text:
        lines.append("The model keeps no text and did not mine this pair; what follows is inferred from the vectors.")
    elif not told.seen:
        lines.append("The two never meet in the corpus; what follows is inferred from the vectors.")
    elif not told.mined:
        lines.append(f"They meet {_times(total)}, but are not among the mined pairs: read from the corpus on request.")
    lines += _direction(f"{x} … {y}", told.forward) + _direction(f"{y} … {x}", told.backward)
    if told.examples:
        lines += ["", "Examples", *(f"  {_shown(example)}" for example in told.examples)]
    if told.inferred:
        why = "nearest by the vectors, inferred" if told.seen else "inferred: nearest by the vectors"
        from relrep.relations.explanation import WEAK

        if max(each.support for each in told.inferred) < WEAK:
            why += ", a weak guess"
        lines += ["", f"Patterns ({why}; in brackets how many of the pairs most alike they really join)"]
        lines += [f"  {each.score:6.3f}  {each.label}  ({each.support:.0%})" for each in told.inferred]
    lines += _alike("Pairs related alike, by the vectors", told.alike)
    return lines + _alike("Pairs joined alike in the text", told.alike_in_text)


def _times(count: int) -> str:
    return "once" if count == 1 else f"{count:,} times"


def _direction(title: str, evidence: "Evidence") -> list[str]:
    if not evidence.meetings:
        return []
    beside = f", {_times(evidence.adjacent)} side by side" if evidence.adjacent else ""
    lines = ["", f"{title}: {_times(evidence.meetings)}{beside}"]
    for patterns in (evidence.phrases, evidence.patterns):
        lines += _table(patterns)
    return lines


def _table(patterns: "Sequence[PatternEvidence]") -> list[str]:
    if not patterns:
        return []
    return ["  weight  count", *(f"  {p.weight:6.2f} {p.count:6,}  {p.label}" for p in patterns)]


def _shown(example: "Example") -> str:
    """The sentence with the two words in brackets."""
    words = [f"[{w}]" if at in (example.first, example.second) else w for at, w in enumerate(example.words)]
    return f"{'… ' * example.cut_left}{' '.join(words)}{' …' * example.cut_right}"


def _alike(title: str, pairs: "Sequence[RelatedPair]") -> list[str]:
    if not pairs:
        return []
    return ["", title, *(f"  {pair.score:6.3f}  {pair.first} – {pair.second}" for pair in pairs)]
