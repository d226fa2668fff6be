"""Puts the questions of a set to the measures."""

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from relrep.analogy.best import Best
from relrep.analogy.measures import REORDERED, Measure, shown_title, vector_measure
from relrep.analogy.outcomes import Mistake, Outcome
from relrep.analogy.protocol import Protocol
from relrep.analogy.questions import ChoiceQuestion, ChoiceSet, OpenSet
from relrep.analogy.search import OpenSearch
from relrep.analogy.terms import UNKNOWN, TermTable
from relrep.errors import RelrepError
from relrep.progress import ProgressCallback, ignore

Rows = NDArray[np.int64]


def answer_open(
    asked: OpenSet,
    terms: TermTable,
    protocol: Protocol,
    extra: Sequence[Measure] = (),
    with_ranks: bool = False,
    threads: int | None = None,
    progress: ProgressCallback = ignore,
) -> Outcome:
    """Answers open questions under the protocol's measures and those of `extra` that reorder candidates."""
    questions = asked.questions
    rows = np.array([[terms.row(q.a), terms.row(q.b), terms.row(q.c)] for q in questions], dtype=np.int64)
    answers = [_known(terms.rows(q.answers)) for q in questions]
    candidates = candidate_rows(answers, terms, protocol)
    can_ask = np.flatnonzero((rows != UNKNOWN).all(axis=1))
    is_candidate = np.zeros(len(terms), dtype=np.bool_)
    is_candidate[candidates] = True
    reachable = np.array([bool(is_candidate[known].any()) for known in answers])
    covered = np.zeros(len(questions), dtype=np.bool_)
    covered[can_ask] = reachable[can_ask]
    if not covered.any():
        unknown = next((w for q in questions for w in (q.a, q.b, q.c, *q.answers) if terms.row(w) == UNKNOWN), "")
        raise RelrepError(_nothing_covered(asked.path, len(questions), unknown, terms))
    reordering = [measure for measure in extra if measure.reorders]
    if not (protocol.open_measures or reordering):
        raise RelrepError(
            f"{asked.path}: {', '.join(protocol.measures)} is for given pairs; ask for cosadd, say, as well"
        )
    search = OpenSearch(terms, rows[can_ask], candidates, threads, progress=progress)
    bases = tuple(dict.fromkeys([*protocol.open_measures, *(m.reorders for m in reordering if m.reorders)]))
    best = search.best(bases, k=REORDERED if reordering else 1)
    asked_answers = [answers[at] for at in can_ask]
    ranks = search.ranks(asked_answers, bases) if with_ranks else np.zeros((len(can_ask), len(bases)), dtype=np.int64)
    answered: dict[str, Rows] = {}
    rank_of: dict[str, Rows] = {}
    for name in protocol.open_measures:
        answered[name] = best.rows[:, bases.index(name), 0]
        rank_of[name] = ranks[:, bases.index(name)]
    for measure in reordering:
        order = _reordered(measure, terms, rows[can_ask], best, bases)
        answered[measure.name] = order[:, 0]
        rank_of[measure.name] = _places(order, asked_answers)
    right = {}
    for name, given in answered.items():
        right[name] = np.zeros(len(questions), dtype=np.bool_)
        right[name][can_ask] = [row in known for row, known in zip(given, asked_answers, strict=True)]

    def mistakes() -> Iterator[Mistake]:
        place_of = {int(at): place for place, at in enumerate(can_ask)}
        for name, flags in right.items():
            for at in np.flatnonzero(~flags).tolist():
                question, place = questions[at], place_of.get(at)
                yield Mistake(
                    name,
                    question.category,
                    question.text,
                    "/".join(question.answers),
                    _unknown_words(terms, (question.a, question.b, question.c))
                    if place is None
                    else terms.word(int(answered[name][place])),
                    None if place is None else int(rank_of[name][place]) or None,
                    question.place,
                )

    return Outcome(
        asked.name,
        "open",
        asked.path,
        protocol,
        _titles(protocol.open_measures, reordering),
        np.array([question.category for question in questions]),
        asked.section_of,
        covered,
        right,
        mistakes,
        candidates=len(candidates),
    )


def candidate_rows(answers: Sequence[Rows], terms: TermTable, protocol: Protocol) -> Rows:
    """The rows among which d is sought, in vocabulary order; composed terms only where they are answers."""
    known = np.unique(np.concatenate([*answers, np.empty(0, dtype=np.int64)]))
    if protocol.candidates == "answers":
        return known
    words = len(terms.vectors)
    last = min(protocol.candidates, words) if isinstance(protocol.candidates, int) else words
    kept = np.delete(np.arange(last), terms.zero_rows[terms.zero_rows < last])
    return np.concatenate([kept, known[known >= words]])


def answer_choices(asked: ChoiceSet, terms: TermTable, protocol: Protocol, extra: Sequence[Measure] = ()) -> Outcome:
    """Answers multiple-choice questions; choices with unknown words are passed over, ties go to the first."""
    questions = asked.questions
    stems = [terms.rows(question.stem) for question in questions]
    choices = [np.array([terms.rows(pair) for pair in question.choices]) for question in questions]
    known = [
        (stem != UNKNOWN).all() & (pairs != UNKNOWN).all(axis=1) for stem, pairs in zip(stems, choices, strict=True)
    ]
    covered = np.array([flags[q.answer] for flags, q in zip(known, questions, strict=True)], dtype=np.bool_)
    if not covered.any():
        unknown = next((w for q in questions for pair in (q.stem, *q.choices) for w in pair if terms.row(w) < 0), "")
        raise RelrepError(_nothing_covered(asked.path, len(questions), unknown, terms))
    quadruples = np.concatenate(
        [
            np.column_stack([np.tile(stem, (int(flags.sum()), 1)), pairs[flags]])
            for stem, pairs, flags in zip(stems, choices, known, strict=True)
        ]
    )
    owners = np.repeat(np.arange(len(questions)), [int(flags.sum()) for flags in known])
    numbers = np.concatenate([np.flatnonzero(flags) for flags in known])
    measures = [*map(vector_measure, protocol.measures), *extra]
    orders: dict[str, list[list[int]]] = {}
    for measure in measures:
        scores = measure.score(terms, quadruples)
        ranked: list[list[int]] = [[] for _ in questions]
        for at in np.lexsort((numbers, -scores, owners)):
            ranked[owners[at]].append(int(numbers[at]))
        orders[measure.name] = ranked
    right = {
        name: np.array([order[:1] == [q.answer] for order, q in zip(ranked, questions, strict=True)])
        for name, ranked in orders.items()
    }

    def mistakes() -> Iterator[Mistake]:
        for name, flags in right.items():
            for at in np.flatnonzero(~flags).tolist():
                yield _choice_mistake(name, questions[at], orders[name][at], terms)

    return Outcome(
        asked.name,
        "choice",
        asked.path,
        protocol,
        _titles(protocol.measures, extra),
        np.full(len(questions), asked.name),
        {},
        covered,
        right,
        mistakes,
    )


def _choice_mistake(measure: str, question: ChoiceQuestion, order: list[int], terms: TermTable) -> Mistake:
    expected = question.choices[question.answer]
    return Mistake(
        measure,
        question.category,
        question.text,
        " : ".join(expected),
        " : ".join(question.choices[order[0]]) if order else _unknown_words(terms, question.stem),
        order.index(question.answer) + 1 if question.answer in order else None,
        question.place,
    )


def _reordered(measure: Measure, terms: TermTable, rows: Rows, best: Best, bases: tuple[str, ...]) -> Rows:
    """The best candidates of the measure's base, by the measure's own score; ties by vocabulary order."""
    found = best.rows[:, bases.index(str(measure.reorders))]
    held = found >= 0
    quadruples = np.column_stack([np.repeat(rows, held.sum(axis=1), axis=0), found[held]])
    scores = np.full(found.shape, -np.inf)
    scores[held] = measure.score(terms, quadruples)
    order = np.lexsort((found, -scores), axis=-1)
    return np.asarray(np.take_along_axis(found, order, axis=1), dtype=np.int64)


def _places(order: Rows, answers: Sequence[Rows]) -> Rows:
    """The place of the first right answer in each list; 0 where none is in it."""
    hits = np.array([np.isin(row, known) for row, known in zip(order, answers, strict=True)])
    return np.where(hits.any(axis=1), hits.argmax(axis=1) + 1, 0).astype(np.int64)


def _known(rows: Rows) -> Rows:
    return np.asarray(rows[rows != UNKNOWN], dtype=np.int64)


def _titles(names: Sequence[str], extra: Sequence[Measure]) -> dict[str, str]:
    return {measure.name: shown_title(measure) for measure in [*map(vector_measure, names), *extra]}


def _unknown_words(terms: TermTable, words: Sequence[str]) -> str:
    return f"(unknown: {', '.join(word for word in words if terms.row(word) == UNKNOWN)})"


def _nothing_covered(path: object, count: int, unknown: str, terms: TermTable) -> str:
    example = f" (unknown, for example: {unknown!r})" if unknown else ""
    return (
        f"{path}: not one of the {count:,} questions can be answered with these {len(terms.vectors):,} words{example}; "
        "check the language and the case of the vectors, and the candidates"
    )
