"""`evaluate`: question sets against word vectors, under one declared protocol; `compare`: two such evaluations."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, TypedDict, Unpack

from relrep.analogy.answer import answer_choices, answer_open, answer_semeval
from relrep.analogy.measures import READS_CORPUS, Measure
from relrep.analogy.outcomes import Difference, Outcome, differences
from relrep.analogy.questions import (
    ChoiceSet,
    OpenSet,
    Protocol,
    read_choices,
    read_google,
    read_questions,
    read_sat,
)
from relrep.analogy.relation_sets import RelationSet, answer_relations, read_relations
from relrep.analogy.semeval import Collection, mean_scores, read_semeval
from relrep.analogy.similarity import RatedPairs, Similarity, rate_similarity, read_similarity
from relrep.analogy.terms import TermTable
from relrep.errors import RelrepError
from relrep.progress import ProgressCallback, ignore
from relrep.vectors.word_vectors import WordVectors

Place = Path | str


class QuestionSets(TypedDict, total=False):
    """Where question sets are: Google's, SAT's, SemEval's, any other open ones (MSR, BATS, four columns), multiple
    choice as JSON lines, relations whose pairs are held out in turn (BATS), and word pairs with ratings.
    """

    google: Place | None
    sat: Place | None
    semeval: Place | None
    questions: Place | Sequence[Place]
    choices: Place | Sequence[Place]
    relations: Place | Sequence[Place]
    similarity: Place | Sequence[Place]


AnySet = OpenSet | ChoiceSet | RelationSet | Collection | RatedPairs
_READERS: dict[str, Callable[[Path], Sequence[AnySet]]] = {
    "google": lambda path: [read_google(path)],
    "questions": lambda path: [read_questions(path)],
    "sat": lambda path: [read_sat(path)],
    "choices": lambda path: [read_choices(path)],
    "relations": lambda path: [read_relations(path)],
    "semeval": read_semeval,
    "similarity": lambda path: [read_similarity(path)],
}


@dataclass(frozen=True)
class Evaluation:
    """What `evaluate` found: one outcome a question set, and the protocol they were found under."""

    vectors: str
    words: int
    dimensions: int
    protocol: Protocol
    outcomes: tuple[Outcome, ...]
    similarity: dict[str, Similarity] = field(default_factory=dict)

    def __getitem__(self, name: str) -> Outcome:
        for outcome in self.outcomes:
            if outcome.name == name:
                return outcome
        raise KeyError(name)

    def to_json(self, rate: float | None = None) -> dict[str, Any]:
        """All figures with full precision; with `rate` (percent), exact binomial tests against it."""
        result: dict[str, Any] = {
            "vectors": {"name": self.vectors, "words": self.words, "dimensions": self.dimensions},
            "protocol": {"candidates": self.protocol.candidates, **self.protocol.rules},
        }
        for outcome in self.outcomes:
            described = _DESCRIBED[outcome.kind](outcome)
            if rate is not None:
                described["binomial"] = {
                    "rate": rate,
                    "p": {name: outcome.total(name).p_against(rate) for name in outcome.measures},
                }
            if outcome.keyword in ("google", "sat"):
                result[outcome.keyword] = described
            else:
                result.setdefault(outcome.keyword, {})[outcome.name] = described
        if self.similarity:
            result["similarity"] = {name: each.to_json() for name, each in self.similarity.items()}
        return result


def evaluate(
    vectors: WordVectors | Place,
    protocol: Protocol | None = None,
    *,
    extra_measures: Sequence[Measure] = (),
    threads: int | None = None,
    name: str | None = None,
    progress: ProgressCallback = ignore,
    **sets: Unpack[QuestionSets],
) -> Evaluation:
    """Answers analogy questions with `vectors` under CosAdd, CosMult and PairDiff, given pairs under PairBoth too.

    The sets are named by keywords (`QuestionSets`): google="questions-words.txt". The `protocol` says which candidates,
    rules and measures (all, where none is given). Bits never depend on `threads`.
    """
    protocol = protocol or Protocol()
    asked = _read(sets)
    loaded = vectors if isinstance(vectors, WordVectors) else WordVectors.load(vectors, progress=progress)
    terms = TermTable(loaded, protocol.case, protocol.multiword, protocol.infer)
    outcomes: list[Outcome] = []
    similarity: dict[str, Similarity] = {}
    for keyword, each in asked:
        if isinstance(each, RatedPairs):
            similarity[each.name] = rate_similarity(each, terms, protocol)
            continue
        if isinstance(each, OpenSet):
            found = answer_open(each, terms, protocol, extra_measures, threads, progress)
        elif isinstance(each, ChoiceSet):
            found = answer_choices(each, terms, protocol, extra_measures)
        elif isinstance(each, RelationSet):
            found = answer_relations(each, terms, protocol, progress)
        else:
            found = answer_semeval(each, terms, protocol, extra_measures)
        outcomes.append(replace(found, keyword=keyword))
    label = name or (Path(vectors).name if isinstance(vectors, str | Path) else "vectors")
    return Evaluation(label, len(loaded), loaded.vector_size, protocol, tuple(outcomes), similarity)


def _read(sets: QuestionSets) -> list[tuple[str, AnySet]]:
    """All sets and the keywords that they were given by; no two may have the same name."""
    check_sets(sets)
    given = _paths(sets)
    asked = [(keyword, each) for keyword, read in _READERS.items() for path in given[keyword] for each in read(path)]
    names = [each.name for _, each in asked]
    twice = next((each for each in names if names.count(each) > 1), None)
    if twice:
        raise RelrepError(f"two question sets are called {twice!r}; rename one of the files")
    return asked


def check_sets(sets: QuestionSets) -> None:
    """There must be a question set at all, and every one must be there; said before the work, not after."""
    paths = [path for places in _paths(sets).values() for path in places]
    if not paths:
        raise RelrepError(f"no question set was given; name at least one: {', '.join(_READERS)}")
    missing = next((path for path in paths if not path.exists()), None)
    if missing is not None:
        raise RelrepError(f"{missing}: there is no such file or folder of questions; check the name")


def _paths(sets: QuestionSets) -> dict[str, list[Path]]:
    """The places given for each keyword."""
    given: dict[str, Any] = {**sets}
    listed = {keyword: given.get(keyword) or () for keyword in _READERS}
    return {
        keyword: [Path(place) for place in ([places] if isinstance(places, str | Path) else places)]
        for keyword, places in listed.items()
    }


def compare(first: Evaluation, second: Evaluation) -> list[Difference]:
    """McNemar's exact test, question by question, for every set, section and measure that both have.

    Under `oov="skip"` only questions that both can answer are compared. SemEval is compared guess by guess.
    """
    if first.protocol != second.protocol:
        raise RelrepError("the two evaluations follow different protocols; evaluate both under the same one")
    names = (first.vectors, second.vectors) if first.vectors != second.vectors else ("the first", "the second")
    others = {outcome.name: outcome for outcome in second.outcomes}
    return [
        difference
        for outcome in first.outcomes
        if outcome.name in others
        for difference in differences(outcome, others[outcome.name], names)
    ]


def _shared_json(outcome: Outcome) -> dict[str, Any]:
    reading = [name for name, title in outcome.titles.items() if name in outcome.right and READS_CORPUS in title]
    marked = {"reads_corpus": reading} if reading else {}
    return {**outcome.protocol.rules, "coverage": outcome.coverage.percent, **marked}


def _open_json(outcome: Outcome) -> dict[str, Any]:
    described: dict[str, Any] = {
        "candidates": outcome.protocol.candidates,
        "candidate_words": outcome.candidates,
        **_shared_json(outcome),
        "questions": len(outcome.covered),
        "covered": int(outcome.covered.sum()),
        "category_coverage": {name: tally.percent for name, tally in outcome.coverage_of(outcome.categories).items()},
    }
    for name in outcome.measures:
        total = outcome.total(name)
        described[name] = {
            **{section: tally.percent for section, tally in outcome.by_section(name).items()},
            "total": total.percent,
            "interval": list(total.interval),
            "right": total.right,
            "counted": total.questions,
            "categories": {category: tally.percent for category, tally in outcome.by_category(name).items()},
        }
    return described


def _choice_json(outcome: Outcome) -> dict[str, Any]:
    totals = {name: outcome.total(name) for name in outcome.measures}
    return {
        **_shared_json(outcome),
        "questions": len(outcome.covered),
        "covered": int(outcome.covered.sum()),
        **{name: total.percent for name, total in totals.items()},
        "right": {name: total.right for name, total in totals.items()},
        "counted": next(iter(totals.values())).questions,
        "intervals": {name: list(total.interval) for name, total in totals.items()},
    }


def _semeval_json(outcome: Outcome) -> dict[str, Any]:
    known, pairs = outcome.known_pairs
    described: dict[str, Any] = {
        "relations": len(next(iter(outcome.relations.values()))),
        **_shared_json(outcome),
        "pairs": pairs,
        "known_pairs": known,
    }
    for name, scores in outcome.relations.items():
        maxdiff, spearman = mean_scores(scores)
        total = outcome.total(name)
        described[name] = {
            "maxdiff": maxdiff,
            "spearman": spearman,
            "interval": list(total.interval),
            "right": total.right,
            "counted": total.questions,
            "by_relation": {
                id_: {"maxdiff": score.maxdiff, "spearman": score.spearman} for id_, score in scores.items()
            },
        }
    return described


_DESCRIBED = {"open": _open_json, "choice": _choice_json, "relations": _open_json, "semeval": _semeval_json}
