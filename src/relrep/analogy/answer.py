"""Puts the questions of a set to the measures."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial

import numpy as np

from relrep.analogy.measures import REORDERED, Measure, shown_title, vector_measure
from relrep.analogy.outcomes import Mistake, Outcome
from relrep.analogy.questions import ChoiceQuestion, ChoiceSet, OpenSet, Protocol
from relrep.analogy.search import Best, answer_ranks, best_candidates
from relrep.analogy.semeval import Collection, is_known, rate, score_collection
from relrep.analogy.terms import NO_ROW, TermTable, no_pair_known
from relrep.core.arrays import Longs
from relrep.errors import RelrepError
from relrep.progress import ProgressCallback, ignore


def answer_open(
    asked: OpenSet,
    terms: TermTable,
    protocol: Protocol,
    extra: Sequence[Measure] = (),
    threads: int | None = None,
    progress: ProgressCallback = ignore,
) -> Outcome:
    """Answers open questions under the protocol's measures and those of `extra` that reorder candidates.

    The ranks of the right answers are found when the mistakes are asked for.
    """
    questions = asked.questions
    rows = np.array([[terms.row(q.a), terms.row(q.b), terms.row(q.c)] for q in questions], dtype=np.int64)
    answers = [rows[rows != NO_ROW] for rows in (terms.rows(q.answers) for q in questions)]
    candidates = candidate_rows(answers, terms, protocol)
    can_ask = np.flatnonzero((rows != NO_ROW).all(axis=1))
    is_candidate = np.zeros(len(terms), dtype=np.bool_)
    is_candidate[candidates] = True
    reachable = np.array([bool(is_candidate[known].any()) for known in answers])
    covered = np.zeros(len(questions), dtype=np.bool_)
    covered[can_ask] = reachable[can_ask]
    if not covered.any():
        words = (word for q in questions for word in (q.a, q.b, q.c, *q.answers))
        raise nothing_covered(asked.path, len(questions), words, terms)
    reordering = [measure for measure in extra if measure.reorders]
    if not (protocol.open_measures or reordering):
        raise RelrepError(
            f"{asked.path}: {', '.join(protocol.measures)} is for given pairs; ask for cosadd, say, as well"
        )
    bases = tuple(dict.fromkeys([*protocol.open_measures, *(m.reorders for m in reordering if m.reorders)]))
    n_best = REORDERED if reordering else 1
    best = best_candidates(terms, rows[can_ask], candidates, bases, n_best, threads, progress=progress)
    asked_answers = [answers[at] for at in can_ask]
    reordered = {measure.name: _reordered(measure, terms, rows[can_ask], best, bases) for measure in reordering}
    answered: dict[str, Longs] = {name: best.rows[:, bases.index(name), 0] for name in protocol.open_measures}
    answered |= {name: order[:, 0] for name, order in reordered.items()}
    right = {}
    for name, given in answered.items():
        right[name] = np.zeros(len(questions), dtype=np.bool_)
        right[name][can_ask] = [row in known for row, known in zip(given, asked_answers, strict=True)]

    def mistakes() -> Iterator[Mistake]:
        row_of = {int(at): row for row, at in enumerate(can_ask)}
        ranks = answer_ranks(terms, rows[can_ask], candidates, asked_answers, protocol.open_measures, progress)
        rank_of = dict(zip(protocol.open_measures, ranks.T, strict=True))
        rank_of |= {name: _ranks_in(order, asked_answers) for name, order in reordered.items()}
        for name, flags in right.items():
            for at in np.flatnonzero(~flags).tolist():
                q, row = questions[at], row_of.get(at)
                said, rank = unknown_words(terms, (q.a, q.b, q.c)), None
                if row is not None:
                    said, rank = terms.word(int(answered[name][row])), int(rank_of[name][row]) or None
                yield Mistake(name, q.category, q.text, "/".join(q.answers), said, rank, q.place)

    titles, categories = _titles(protocol.open_measures, reordering), np.array([q.category for q in questions])
    sections = asked.section_of
    found = Outcome(asked.name, "open", asked.path, protocol, titles, categories, sections, covered, right, mistakes)
    return replace(found, candidates=len(candidates))


def candidate_rows(answers: Sequence[Longs], terms: TermTable, protocol: Protocol) -> Longs:
    """The rows among which d is sought, in vocabulary order; composed terms only where they are answers.

    Inferred ones never: only the words of the test would be among them.
    """
    known = np.unique(np.concatenate([*answers, np.empty(0, dtype=np.int64)]))
    known = known[~np.isin(known, terms.inferred_rows)]
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
    known = [(stem != NO_ROW).all() & (pairs != NO_ROW).all(axis=1) for stem, pairs in zip(stems, choices, strict=True)]
    covered = np.array([flags[q.answer] for flags, q in zip(known, questions, strict=True)], dtype=np.bool_)
    if not covered.any():
        words = (word for q in questions for pair in (q.stem, *q.choices) for word in pair)
        raise nothing_covered(asked.path, len(questions), words, terms)
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

    titles, categories = _titles(protocol.measures, extra), np.full(len(questions), asked.name)
    return Outcome(asked.name, "choice", asked.path, protocol, titles, categories, {}, covered, right, mistakes)


def answer_semeval(
    collection: Collection, terms: TermTable, protocol: Protocol, extra: Sequence[Measure] = ()
) -> Outcome:
    """Rates the pairs of every relation under every measure; the questions of the outcome are the guesses."""
    pairs = [pair for relation in collection.relations for pair in relation.pairs]
    unknown = [pair for pair in pairs if not is_known(pair, terms)]
    if len(unknown) == len(pairs):
        raise no_pair_known(collection.path, len(pairs), terms)
    measures = [*map(vector_measure, protocol.measures), *extra]
    relations = {}
    for measure in measures:
        rating_of = partial(rate, terms=terms, measure=measure, oov=protocol.oov)
        relations[measure.name] = score_collection(collection, rating_of)
    items = [
        (relation.id, question, kind)
        for relation in collection.relations
        for question in relation.questions
        for kind in ("least", "most")
    ]
    not_covered = set(unknown)
    covered = np.array([not_covered.isdisjoint(question.pairs) for _, question, _ in items])
    item_of = {(id_, question.place, kind): at for at, (id_, question, kind) in enumerate(items)}
    right = {}
    for name, scores in relations.items():
        right[name] = np.zeros(len(items), dtype=np.bool_)
        for id_, score in scores.items():
            for guess in score.guesses:
                right[name][item_of[id_, guess.question.place, guess.kind]] = guess.right

    def mistakes() -> Iterator[Mistake]:
        for name, scores in relations.items():
            for id_, score in scores.items():
                for guess in score.guesses:
                    if not guess.right:
                        asked = f"{guess.kind} illustrative: {', '.join(guess.question.pairs)}"
                        expected, place = "/".join(guess.expected), guess.question.place
                        yield Mistake(name, id_, asked, expected, guess.guessed, None, place)

    titles, ids = _titles(protocol.measures, extra), np.array([id_ for id_, _, _ in items])
    known_pairs = (len(pairs) - len(unknown), len(pairs))
    name, path = collection.name, collection.path
    found = Outcome(name, "semeval", path, protocol, titles, ids, {}, covered, right, mistakes)
    return replace(found, relations=relations, known_pairs=known_pairs)


def _choice_mistake(measure: str, question: ChoiceQuestion, order: list[int], terms: TermTable) -> Mistake:
    expected = " : ".join(question.choices[question.answer])
    said = " : ".join(question.choices[order[0]]) if order else unknown_words(terms, question.stem)
    rank = order.index(question.answer) + 1 if question.answer in order else None
    return Mistake(measure, question.category, question.text, expected, said, rank, question.place)


def _reordered(measure: Measure, terms: TermTable, rows: Longs, best: Best, bases: tuple[str, ...]) -> Longs:
    """The best candidates of the measure's base, by the measure's own score; ties by vocabulary order."""
    candidates = best.rows[:, bases.index(str(measure.reorders))]
    present = candidates >= 0
    quadruples = np.column_stack([np.repeat(rows, present.sum(axis=1), axis=0), candidates[present]])
    scores = np.full(candidates.shape, -np.inf)
    scores[present] = measure.score(terms, quadruples)
    order = np.lexsort((candidates, -scores), axis=-1)
    return np.asarray(np.take_along_axis(candidates, order, axis=1), dtype=np.int64)


def _ranks_in(order: Longs, answers: Sequence[Longs]) -> Longs:
    """The rank of the first right answer in each list; 0 where none is in it."""
    hits = np.array([np.isin(row, known) for row, known in zip(order, answers, strict=True)])
    return np.where(hits.any(axis=1), hits.argmax(axis=1) + 1, 0).astype(np.int64)


def _titles(names: Sequence[str], extra: Sequence[Measure]) -> dict[str, str]:
    return {measure.name: shown_title(measure) for measure in [*map(vector_measure, names), *extra]}


def unknown_words(terms: TermTable, words: Sequence[str]) -> str:
    """What stands in place of an answer to a question that could not be asked."""
    return f"(unknown: {', '.join(word for word in words if terms.row(word) == NO_ROW)})"


def nothing_covered(path: object, count: int, words: Iterable[str], terms: TermTable) -> RelrepError:
    """No question of a file can be answered; the first of the `words` that is unknown is shown."""
    unknown = next((word for word in words if terms.row(word) == NO_ROW), "")
    example = f" (unknown, for example: {unknown!r})" if unknown else ""
    return RelrepError(
        f"{path}: not one of the {count:,} questions can be answered with these {len(terms.vectors):,} words{example}; "
        "check the language and the case of the vectors, and the candidates"
    )
