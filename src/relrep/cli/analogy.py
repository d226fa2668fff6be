"""Answers one analogy: A is to B as C is to what?

Shows the best candidates of the whole vocabulary (A, B and C excepted) under CosAdd, CosMult and PairDiff side by side
and, for a model with its corpus index, under CosMix, which reads what the text says of the pairs, and shows it.
"""

import argparse
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from relrep.cli.arguments import (
    add_measure_arguments,
    check_at_least,
    chosen_measures,
    model_with_evidence,
)
from relrep.cli.console import shared_lines, show, show_progress

if TYPE_CHECKING:
    from relrep.analogy.solve import Candidate
    from relrep.evidence.rerank import RerankedCandidate

READING = ("cosmix",)
_EXPLAINED = 5
"""For so many of the best candidates the evidence is shown."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("vectors", metavar="VECTORS", type=Path, help="a model folder or a vectors file")
    parser.add_argument("a", metavar="A", help="as in A is to B …")
    parser.add_argument("b", metavar="B")
    parser.add_argument("c", metavar="C", help="… as C is to what?")
    parser.add_argument("--top", metavar="N", type=int, default=10, help="how many candidates (default: 10)")
    add_measure_arguments(parser, READING)
    parser.add_argument("--candidates", metavar="N", type=int, help="only the first N words may be answers")
    parser.add_argument("--limit", metavar="N", type=int, help="load only the first N words of the vectors")


def run(arguments: argparse.Namespace) -> int:
    """Solves, prints."""
    from dataclasses import asdict

    from relrep.analogy.measures import MEASURES
    from relrep.analogy.solve import solve
    from relrep.vectors.word_vectors import WordVectors

    check_at_least(arguments, 1, "top", "candidates", "limit")
    measures, reading = chosen_measures(arguments, READING)
    a, b, c = arguments.a, arguments.b, arguments.c
    reranked: tuple[RerankedCandidate, ...] | None = None
    with show_progress(arguments.quiet) as progress:
        reads = bool(reading) and arguments.limit is None
        model = model_with_evidence(arguments.vectors, arguments) if reads else None
        if model is None:
            vectors = WordVectors.load(arguments.vectors, limit=arguments.limit, progress=progress)
            found = solve(vectors, a, b, c, arguments.top, measures, arguments.candidates)
        else:
            from relrep.evidence.rerank import solve_with_evidence

            found, reranked = solve_with_evidence(model, a, b, c, arguments.top, measures, arguments.candidates)
    result = {"a": a, "b": b, "c": c, **{name: [asdict(each) for each in best] for name, best in found.items()}}
    columns: dict[str, Sequence[Candidate | RerankedCandidate]] = {MEASURES[name]: best for name, best in found.items()}
    lines: list[str] = []
    if reranked is not None:
        result |= {"cosmix": [asdict(each) for each in reranked], "reads_corpus": ["cosmix"]}
        columns["CosMix †"] = reranked
        lines = _evidence_lines(a, b, c, reranked)
    return show(arguments, result, [f"{a} : {b} :: {c} : ?", "", *_table_lines(columns), "", *lines])


def _evidence_lines(a: str, b: str, c: str, reranked: "Sequence[RerankedCandidate]") -> list[str]:
    """For the best candidates under CosMix: where they stood by the vectors alone, and what both pairs share."""
    lines = ["† reads the corpus at query time: CosAdd's best, moved by the patterns that both pairs share"]
    for rank, each in enumerate(reranked[:_EXPLAINED], start=1):
        went = "stays" if each.rank_before == rank else f"from rank {each.rank_before}"
        lines.append(f"{rank:7}  {each.word} ({went}, evidence {each.evidence:.3f})")
        lines += shared_lines(each.shared, (c, each.word), (a, b))
    return lines


def _table_lines(columns: "Mapping[str, Sequence[Candidate | RerankedCandidate]]") -> list[str]:
    """The candidates of all measures side by side."""
    width = max(10, *(len(each.word) for best in columns.values() for each in best))
    lines = ["   ", *(f"{rank + 1:3}" for rank in range(max(map(len, columns.values()))))]
    for name, best in columns.items():
        lines[0] += f"   {name:{width}}  score"
        for rank, each in enumerate(best):
            lines[rank + 1] += f"   {each.word:{width}} {each.score:6.4f}"
    return lines
