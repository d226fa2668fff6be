"""Scores SemEval-2012 Task 2: MaxDiff accuracy and Spearman's rho, relation by relation."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from relrep.analogy.measures import Measure
from relrep.analogy.semeval_files import Collection, MaxDiffQuestion, Relation, words_of
from relrep.analogy.terms import UNKNOWN, TermTable

Ratings = Mapping[str, float]


@dataclass(frozen=True)
class Guess:
    """Which pair was taken for the least (or most) illustrative of a question, and which pairs were right."""

    question: MaxDiffQuestion
    kind: str
    guessed: str
    expected: tuple[str, ...]

    @property
    def right(self) -> bool:
        """Whether the guess has as many votes as any."""
        return self.guessed in self.expected


@dataclass(frozen=True)
class RelationScore:
    """A system's result for one relation."""

    guesses: tuple[Guess, ...]
    spearman: float

    @property
    def maxdiff(self) -> float:
        """MaxDiff accuracy in percent."""
        return 100.0 * sum(guess.right for guess in self.guesses) / len(self.guesses) if self.guesses else 0.0


def score_relation(relation: Relation, ratings: Ratings) -> RelationScore:
    """MaxDiff over the questions whose pairs are all rated, Spearman over the rated pairs.

    In each question the lowest-rated pair is the least illustrative, the highest the most; ties: the first.
    """
    guesses = []
    for question in relation.questions:
        if not all(pair in ratings for pair in question.pairs):
            continue
        least = min(question.pairs, key=ratings.__getitem__)
        most = max(question.pairs, key=ratings.__getitem__)
        guesses.append(Guess(question, "least", least, _favourites(question.least)))
        guesses.append(Guess(question, "most", most, _favourites(question.most)))
    pairs = [pair for pair in relation.gold if pair in ratings]
    rho = spearman([relation.gold[pair] for pair in pairs], [ratings[pair] for pair in pairs])
    return RelationScore(tuple(guesses), rho)


def _favourites(votes: Mapping[str, int]) -> tuple[str, ...]:
    most = max(votes.values())
    return tuple(sorted(pair for pair, count in votes.items() if count == most))


def spearman(first: list[float], second: list[float]) -> float:
    """Spearman's rank correlation, corrected for ties; 0 where one side is constant.

    >>> spearman([1, 2, 3], [10, 20, 15])
    0.5
    """
    if len(first) < 2:
        return 0.0
    x, y = _ranks(first), _ranks(second)
    x, y = x - x.mean(), y - y.mean()
    scale = float(np.sqrt((x * x).sum() * (y * y).sum()))
    return float((x * y).sum() / scale) if scale > 0 else 0.0


def _ranks(values: list[float]) -> NDArray[np.float64]:
    """Ranks, equal values sharing the mean of theirs."""
    _, places, counts = np.unique(np.asarray(values), return_inverse=True, return_counts=True)
    last = np.cumsum(counts)
    return np.asarray((last - (counts - 1) / 2.0)[places], dtype=np.float64)


def known_pairs(collection: Collection, terms: TermTable) -> tuple[int, int]:
    """(pairs whose two words are known, all pairs) of a collection."""
    pairs = [pair for relation in collection.relations for pair in relation.pairs]
    return sum(_is_known(pair, terms) for pair in pairs), len(pairs)


def _is_known(pair: str, terms: TermTable) -> bool:
    return UNKNOWN not in [terms.row(word) for word in words_of(pair)]


def rate(relation: Relation, terms: TermTable, measure: Measure, oov: str) -> dict[str, float]:
    """A pair's rating: the mean similarity to the known prototype pairs.

    A pair with an unknown word is rated 0 (`oov` "wrong") or not at all ("skip").
    """
    pairs = [pair for pair in relation.pairs if _is_known(pair, terms)]
    prototypes = [pair for pair in relation.prototypes if _is_known(pair, terms)]
    ratings = dict.fromkeys(relation.pairs if oov == "wrong" else pairs, 0.0)
    if not pairs or not prototypes:
        return ratings
    rows = {pair: [terms.row(word) for word in words_of(pair)] for pair in {*pairs, *prototypes}}
    quadruples = np.array([rows[prototype] + rows[pair] for pair in pairs for prototype in prototypes])
    scores = measure.score(terms, quadruples.astype(np.int64)).reshape(len(pairs), len(prototypes))
    ratings.update(zip(pairs, scores.mean(axis=1).tolist(), strict=True))
    return ratings


def score_collection(collection: Collection, rating_of: Callable[[Relation], Ratings]) -> dict[str, RelationScore]:
    """The scores of a system over all relations of a collection, by the relations' ids."""
    return {relation.id: score_relation(relation, rating_of(relation)) for relation in collection.relations}


def mean_scores(scores: Mapping[str, RelationScore]) -> tuple[float, float]:
    """(MaxDiff in percent, Spearman): the plain means over the relations."""
    counted = [score for score in scores.values() if score.guesses]
    if not counted:
        return 0.0, 0.0
    return (
        float(np.mean([score.maxdiff for score in counted])),
        float(np.mean([score.spearman for score in counted])),
    )
