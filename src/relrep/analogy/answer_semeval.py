"""Puts SemEval-2012 Task 2 to the measures."""

from collections.abc import Iterator, Sequence
from functools import partial

import numpy as np

from relrep.analogy.measures import Measure, shown_title, vector_measure
from relrep.analogy.outcomes import Mistake, Outcome
from relrep.analogy.protocol import Protocol
from relrep.analogy.semeval import known_pairs, rate, score_collection
from relrep.analogy.semeval_files import Collection, words_of
from relrep.analogy.terms import UNKNOWN, TermTable
from relrep.errors import RelrepError


def answer_semeval(
    collection: Collection, terms: TermTable, protocol: Protocol, extra: Sequence[Measure] = ()
) -> Outcome:
    """Rates the pairs of every relation under every measure; the questions of the outcome are the guesses."""
    known = known_pairs(collection, terms)
    if known[0] == 0:
        raise RelrepError(
            f"{collection.path}: not one of the {known[1]:,} word pairs is known to these "
            f"{len(terms.vectors):,} words; check the language and the case of the vectors"
        )
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
    unknown = {
        pair
        for relation in collection.relations
        for pair in relation.pairs
        if UNKNOWN in [terms.row(word) for word in words_of(pair)]
    }
    covered = np.array([unknown.isdisjoint(question.pairs) for _, question, _ in items])
    place_of = {(id_, question.place, kind): at for at, (id_, question, kind) in enumerate(items)}
    right = {}
    for name, scores in relations.items():
        right[name] = np.zeros(len(items), dtype=np.bool_)
        for id_, score in scores.items():
            for guess in score.guesses:
                right[name][place_of[id_, guess.question.place, guess.kind]] = guess.right

    def mistakes() -> Iterator[Mistake]:
        for name, scores in relations.items():
            for id_, score in scores.items():
                for guess in score.guesses:
                    if not guess.right:
                        asked = f"{guess.kind} illustrative: {', '.join(guess.question.pairs)}"
                        expected, place = "/".join(guess.expected), guess.question.place
                        yield Mistake(name, id_, asked, expected, guess.guessed, None, place)

    return Outcome(
        collection.name,
        "semeval",
        collection.path,
        protocol,
        {m.name: shown_title(m) for m in measures},
        np.array([id_ for id_, _, _ in items]),
        {},
        covered,
        right,
        mistakes,
        relations=relations,
        known_pairs=known,
    )
