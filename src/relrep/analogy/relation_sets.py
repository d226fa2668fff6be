"""Sets of relations, each a list of pairs (BATS): every pair is held out in turn, and the others say what is sought.

3CosAvg and LRCos of Drozd, Gladkova and Matsuoka, "Word Embeddings, Analogies, and Machine Learning" (COLING 2016);
the samples and their weights are those of the authors' program (vecto).
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from threadpoolctl import threadpool_limits

from relrep.analogy.answer import candidate_rows, nothing_covered, unknown_words
from relrep.analogy.logistic import logistic_regression, probabilities
from relrep.analogy.outcomes import Mistake, Outcome
from relrep.analogy.questions import Protocol, RelationPair, pair_lists, section_of_files
from relrep.analogy.terms import NO_ROW, TermTable
from relrep.core.arrays import Doubles, Longs
from relrep.progress import Progress, ProgressCallback, ignore

TITLES = {"3cosavg": "3CosAvg", "lrcos": "LRCos"}
FIRST_WORD_WEIGHT = 4.0
"""The first words of the pairs count as so many negative examples each."""
_ROUNDING = 1e-9
"""Scores closer than this count as equal in a rank."""


@dataclass(frozen=True)
class RelationSet:
    """A named set of relations; `section_of` sums them up into sections."""

    name: str
    path: Path
    relations: Sequence[Sequence[RelationPair]]
    section_of: dict[str, str]


def read_relations(path: Path) -> RelationSet:
    """A file of pairs a relation, `word<TAB>answer/answer2`; the folders of the files are the sections.

    The name tells the set from the one that `questions` makes of the same files.
    """
    lists = pair_lists(path)
    return RelationSet(f"{path.stem} relations", path, list(lists.values()), section_of_files(path, lists))


@dataclass(frozen=True)
class _HeldOut:
    """The pairs of a relation that can be asked: `at` says which, and a row of each array what is sought for it."""

    at: Longs
    rows: Longs
    words: Doubles
    targets: Doubles
    classes: Doubles

    def scores(self, units: Doubles, chosen: slice = slice(None)) -> Doubles:
        """3CosAvg and LRCos (first axis) of the chosen pairs with some candidates."""
        average = self.targets[chosen] @ units.T
        is_answer = probabilities(self.classes[chosen, :-1] @ units.T + self.classes[chosen, -1:])
        return np.stack([average, is_answer * (self.words[chosen] @ units.T)])


def answer_relations(
    asked: RelationSet,
    terms: TermTable,
    protocol: Protocol,
    progress: ProgressCallback = ignore,
    block_size: int = 4096,
) -> Outcome:
    """Asks for the answers of each pair, given all other pairs of its relation that are known."""
    pairs = [pair for relation in asked.relations for pair in relation]
    answers = [rows[rows != NO_ROW] for rows in (terms.rows(pair.answers) for pair in pairs)]
    candidates = candidate_rows(answers, terms, protocol)
    is_candidate = np.zeros(len(terms), dtype=np.bool_)
    is_candidate[candidates] = True
    reachable = [rows[is_candidate[rows]] for rows in answers]
    with threadpool_limits(1):  # on so small matrices BLAS's threads wait for each other longer than they work
        held_out = list(_held_out(asked, terms))
        can_ask = np.concatenate([each.at for each in held_out])
        covered = np.zeros(len(pairs), dtype=np.bool_)
        covered[can_ask] = [len(reachable[at]) > 0 for at in can_ask]
        if not covered.any():
            words = (word for pair in pairs for word in (pair.word, *pair.answers))
            raise nothing_covered(asked.path, len(pairs), words, terms)
        blocks = [candidates[start : start + block_size] for start in range(0, len(candidates), block_size)]
        best, ranks = _best(held_out, reachable, blocks, terms, progress)
    right = {name: np.zeros(len(pairs), dtype=np.bool_) for name in TITLES}
    for name, rows in zip(TITLES, best, strict=True):
        right[name][can_ask] = [row in reachable[at] for row, at in zip(rows, can_ask, strict=True)]

    def mistakes() -> Iterator[Mistake]:
        column_of = {int(at): column for column, at in enumerate(can_ask)}
        for number, (name, flags) in enumerate(right.items()):
            for at in np.flatnonzero(~flags).tolist():
                pair, column = pairs[at], column_of.get(at)
                said, rank = unknown_words(terms, (pair.word,)), None
                if column is not None:
                    said, rank = terms.word(int(best[number, column])), int(ranks[number, column]) or None
                yield Mistake(name, pair.category, f"{pair.word} : ?", "/".join(pair.answers), said, rank, pair.place)

    categories, sections = np.array([pair.category for pair in pairs]), asked.section_of
    name, path = asked.name, asked.path
    found = Outcome(name, "relations", path, protocol, TITLES, categories, sections, covered, right, mistakes)
    return replace(found, candidates=len(candidates))


def _held_out(asked: RelationSet, terms: TermTable) -> Iterator[_HeldOut]:
    """What is sought for each pair whose first word is known, as far as another pair of its relation is known."""
    words = np.delete(np.arange(len(terms.vectors)), terms.zero_rows)
    start = 0
    for relation in asked.relations:
        first = terms.rows(pair.word for pair in relation)
        second = terms.rows(pair.answers[0] for pair in relation)
        known = (first != NO_ROW) & (second != NO_ROW)
        at = np.flatnonzero((first != NO_ROW) & (known.sum() - known >= 1))
        a, b = np.zeros((2, len(relation), terms.dimensions))
        a[first != NO_ROW] = terms.units(first[first != NO_ROW])
        b[known] = terms.units(second[known])
        noise = _noise(words, np.concatenate([first, second]), len(relation), terms)
        targets, classes = np.empty((len(at), terms.dimensions)), np.empty((len(at), terms.dimensions + 1))
        for row, held in enumerate(at):
            others = known.copy()
            others[held] = False
            target = a[held] + (b[others].mean(axis=0) - a[others].mean(axis=0))
            targets[row] = target / (np.linalg.norm(target) or 1.0)
            classes[row] = _answer_class(a[others], b[others], noise)
        yield _HeldOut(at + start, first[at], a[at], targets, classes)
        start += len(relation)


def _noise(words: Longs, excluded: Longs, count: int, terms: TermTable) -> Doubles:
    """Random words, as many as the relation has pairs, none of them from these; the same ones in every run."""
    others = np.setdiff1d(words, excluded)
    chosen = np.random.default_rng(0).choice(others, min(count, len(others)), replace=False)
    return terms.units(np.sort(chosen))


def _answer_class(first: Doubles, answers: Doubles, noise: Doubles) -> Doubles:
    """A logistic regression that tells answers from first words and noise; both sides weigh the same."""
    rows = np.concatenate([answers, first, noise])
    weights = np.repeat([1.0, FIRST_WORD_WEIGHT, 1.0], [len(answers), len(first), len(noise)])
    is_answer = np.arange(len(rows)) < len(answers)
    half = weights.sum() / 2
    for side in (is_answer, ~is_answer):
        weights[side] *= half / weights[side].sum()
    return logistic_regression(rows, is_answer, weights)


def _best(
    held_out: Sequence[_HeldOut],
    answers: Sequence[Longs],
    blocks: Sequence[Longs],
    terms: TermTable,
    progress: ProgressCallback,
) -> tuple[Longs, Longs]:
    """The best candidate of each pair under both measures, and the rank of its right answer (0: it has none).

    All are found in one pass over the blocks of candidates; ties go to the first of them.
    """
    right = np.concatenate([_answer_scores(each, answers, terms) for each in held_out], axis=1)
    rows, above = np.full(right.shape, NO_ROW), np.zeros(right.shape, dtype=np.int64)
    best = np.full(right.shape, -np.inf)
    ends = np.cumsum([len(each.at) for each in held_out])
    for number, block in enumerate(blocks, start=1):
        units = terms.units(block)
        for each, end in zip(held_out, ends, strict=True):
            here = slice(end - len(each.at), end)
            scores = each.scores(units)
            itself = np.flatnonzero(np.isin(each.rows, block))
            scores[:, itself, np.searchsorted(block, each.rows[itself])] = -np.inf
            above[:, here] += np.count_nonzero(scores > right[:, here, None] + _ROUNDING, axis=2)
            top = scores.argmax(axis=2)
            highest = np.take_along_axis(scores, top[..., None], axis=2)[..., 0]
            is_better = highest > best[:, here]
            best[:, here][is_better] = highest[is_better]
            rows[:, here][is_better] = block[top][is_better]
        progress(Progress("searching", number, len(blocks), "blocks of words"))
    return rows, np.where(right > -np.inf, above + 1, 0)


def _answer_scores(each: _HeldOut, answers: Sequence[Longs], terms: TermTable) -> Doubles:
    """The best score of a right answer of each pair, under both measures; −∞ where none is a candidate."""
    found = np.full((len(TITLES), len(each.at)), -np.inf)
    for column, (at, row) in enumerate(zip(each.at, each.rows, strict=True)):
        allowed = answers[at][answers[at] != row]
        if len(allowed):
            found[:, column] = each.scores(terms.units(allowed), slice(column, column + 1)).max(axis=(1, 2))
    return found
