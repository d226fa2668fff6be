"""Re-ranking: CosAdd's best for a : b :: c : ?, reordered by CosMix, and the patterns that speak for each."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from relrep.analogy.measures import MEASURES, REORDERED, VectorMeasure
from relrep.analogy.solve import Candidate, best_rows, named_candidates, question_rows
from relrep.analogy.terms import TermTable
from relrep.core.arrays import Longs
from relrep.evidence.evidence import Evidence
from relrep.evidence.measures import CosMix
from relrep.model.model import Model

_SHOWN = 4


@dataclass(frozen=True)
class SharedPattern:
    """A pattern between the words of both pairs: how often in each, and its part of the cosine."""

    label: str
    text: str
    count: int
    count_given: int
    part: float


@dataclass(frozen=True)
class RerankedCandidate:
    """A candidate after the corpus was read: its new score, its rank by the vectors alone, and the evidence.

    `evidence` is the cosine of what stands between a and b and what stands between c and the candidate, and
    `shared` the patterns that make it.
    """

    word: str
    score: float
    rank_before: int
    evidence: float
    shared: tuple[SharedPattern, ...]


def rerank_candidates(
    model: Model, evidence: Evidence, terms: TermTable, rows: Sequence[int], candidates: Longs, n: int
) -> tuple[RerankedCandidate, ...]:
    """The `n` best of the candidates (rows of the model's words, best first by CosAdd) for a : b :: c : ? = `rows`."""
    if not len(candidates):
        return ()
    quadruples = np.column_stack([np.repeat([list(rows)], len(candidates), axis=0), candidates]).astype(np.int64)
    alike, sure = evidence.similarity(quadruples[:, :2], quadruples[:, 2:])
    scores = CosMix(evidence).mixed(VectorMeasure("cosadd").score(terms, quadruples), alike, sure)
    order = np.lexsort((candidates, -scores))[:n]
    pairs = [(int(rows[2]), int(candidates[at])) for at in order]
    shared = shared_patterns(model, evidence, (int(rows[0]), int(rows[1])), pairs)
    words = model.vocabulary.words
    return tuple(
        RerankedCandidate(words[candidates[at]], float(scores[at]), int(at) + 1, float(alike[at]), patterns)
        for at, patterns in zip(order.tolist(), shared, strict=True)
    )


def solve_with_evidence(
    model: Model,
    a: str,
    b: str,
    c: str,
    top: int = 10,
    measures: Sequence[str] = tuple(MEASURES),
    candidates: int | None = None,
) -> tuple[dict[str, list[Candidate]], tuple[RerankedCandidate, ...]]:
    """The `top` best words d of a : b :: c : d under each of the measures, as `solve` finds them, and under CosMix."""
    terms = TermTable(model.vectors)
    rows = question_rows(terms, a, b, c)
    names = tuple(dict.fromkeys(["cosadd", *measures]))
    best = best_rows(terms, rows, max(top, REORDERED), names, candidates)
    evidence = Evidence.of(model)
    reranked = rerank_candidates(model, evidence, terms, rows.tolist(), best["cosadd"][0][:REORDERED], top)
    found = named_candidates(terms, best, top)
    return {name: found[name] for name in measures}, reranked


def shared_patterns(
    model: Model, evidence: Evidence, given: tuple[int, int], pairs: Sequence[tuple[int, int]]
) -> list[tuple[SharedPattern, ...]]:
    """For each pair the patterns that it shares with the given one, those that add most first."""
    counts = evidence.counts_of(evidence.miner.mine(np.array([given, *pairs], dtype=np.int64)))
    weights = evidence.space.weigh(counts, "entropy")
    table = model.require_relations()
    rows = [slice(counts.ends[row], counts.ends[row + 1]) for row in range(len(pairs) + 1)]
    given_keys, given_weights, given_counts = counts.keys[rows[0]], weights[rows[0]], counts.counts[rows[0]]
    answers = []
    for row in rows[1:]:
        _, here, there = np.intersect1d(given_keys, counts.keys[row], assume_unique=True, return_indices=True)
        parts = given_weights[here] * weights[row][there]
        shown: dict[str, SharedPattern] = {}
        for at in np.argsort(-parts, kind="stable").tolist():
            key = int(given_keys[here[at]])
            text = table.texts[key >> 1]
            if len(shown) < _SHOWN and text not in shown:
                shown[text] = SharedPattern(
                    label=table.label(key),
                    text=text,
                    count=int(counts.counts[row][there[at]]),
                    count_given=int(given_counts[here[at]]),
                    part=float(parts[at]),
                )
        answers.append(tuple(shown.values()))
    return answers
