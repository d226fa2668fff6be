"""Candidates that the corpus moves: CosAdd's best for a : b :: c : ?, reordered by CosMix, and why."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from relrep.analogy.evidence import CosMix
from relrep.analogy.evidence_space import CorpusEvidence
from relrep.analogy.measures import REORDERED, VectorMeasure
from relrep.analogy.protocol import MEASURES
from relrep.analogy.single import Candidate, best_rows, named_candidates, question_rows
from relrep.analogy.terms import TermTable
from relrep.model import Model
from relrep.progress import ProgressCallback, ignore
from relrep.relations.shared_patterns import SharedPattern, shared_patterns


@dataclass(frozen=True)
class MovedCandidate:
    """A candidate after the corpus was read: its new score, its place by the vectors alone, and the evidence.

    `evidence` is the cosine of what stands between a and b and what stands between c and the candidate, and
    `shared` the patterns that make it.
    """

    word: str
    score: float
    place_before: int
    evidence: float
    shared: tuple[SharedPattern, ...]


def move_candidates(
    model: Model,
    evidence: CorpusEvidence,
    terms: TermTable,
    rows: Sequence[int],
    candidates: NDArray[np.int64],
    n: int,
) -> tuple[MovedCandidate, ...]:
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
        MovedCandidate(words[candidates[at]], float(scores[at]), int(at) + 1, float(alike[at]), patterns)
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
    progress: ProgressCallback = ignore,
) -> tuple[dict[str, list[Candidate]], tuple[MovedCandidate, ...]]:
    """The `top` best words d of a : b :: c : d under each of the measures, as `solve` finds them, and under CosMix."""
    terms = TermTable(model.vectors)
    rows = question_rows(terms, a, b, c)
    names = tuple(dict.fromkeys(["cosadd", *measures]))
    best = best_rows(terms, rows, max(top, REORDERED), names, candidates)
    reordered = best.rows[0, 0][:REORDERED]
    evidence = CorpusEvidence.of(model, progress=progress)
    moved = move_candidates(model, evidence, terms, rows.tolist(), reordered[reordered >= 0], top)
    found = named_candidates(terms, best, names, top)
    return {name: found[name] for name in measures}, moved
