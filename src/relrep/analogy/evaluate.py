"""`evaluate`: question sets against word vectors, under one declared protocol; `compare`: two such evaluations."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypedDict, Unpack

from relrep.analogy.answer import answer_choices, answer_open, answer_semeval
from relrep.analogy.measures import READS_CORPUS, Measure
from relrep.analogy.outcomes import Difference, Outcome, differences
from relrep.analogy.questions import Protocol, read_google, read_questions, read_sat
from relrep.analogy.semeval import mean_scores, read_semeval
from relrep.analogy.terms import TermTable
from relrep.errors import RelrepError
from relrep.progress import ProgressCallback, ignore
from relrep.vectors.word_vectors import WordVectors

Place = Path | str


class QuestionSets(TypedDict, total=False):
    """Where question sets are: Google's, SAT's, SemEval's, and any others (MSR, BATS, four columns)."""

    google: Place | None
    sat: Place | None
    semeval: Place | None
    questions: Place | Sequence[Place]


@dataclass(frozen=True)
class Evaluation:
    """What `evaluate` found: one outcome a question set, and the protocol they were found under."""

    vectors: str
    words: int
    dimensions: int
    protocol: Protocol
    outcomes: tuple[Outcome, ...]

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
            described = {"open": _open_json, "choice": _choice_json, "semeval": _semeval_json}[outcome.kind](outcome)
            if rate is not None:
                described["binomial"] = {
                    "rate": rate,
                    "p": {name: outcome.total(name).p_against(rate) for name in outcome.measures},
                }
            if outcome.kind == "semeval":
                result.setdefault("semeval", {})[outcome.name] = described
            elif outcome.name in ("google", "sat"):
                result[outcome.name] = described
            else:
                result.setdefault("questions", {})[outcome.name] = described
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
    check_sets(sets)
    google, sat, semeval = sets.get("google"), sets.get("sat"), sets.get("semeval")
    asked = [
        *([read_google(Path(google))] if google is not None else []),
        *(read_questions(path) for path in _other_sets(sets)),
    ]
    choices = [read_sat(Path(sat))] if sat is not None else []
    collections = read_semeval(Path(semeval)) if semeval is not None else []
    names = [each.name for each in asked]
    twice = next((each for each in names if names.count(each) > 1), None)
    if twice:
        raise RelrepError(f"two question sets are called {twice!r}; rename one of the files")
    loaded = vectors if isinstance(vectors, WordVectors) else WordVectors.load(vectors, progress=progress)
    terms = TermTable(loaded, protocol.case, protocol.multiword)
    outcomes = [
        *(answer_open(each, terms, protocol, extra_measures, threads, progress) for each in asked),
        *(answer_choices(each, terms, protocol, extra_measures) for each in choices),
        *(answer_semeval(each, terms, protocol, extra_measures) for each in collections),
    ]
    label = name or (Path(vectors).name if isinstance(vectors, str | Path) else "vectors")
    return Evaluation(label, len(loaded), loaded.vector_size, protocol, tuple(outcomes))


def check_sets(sets: QuestionSets) -> None:
    """There must be a question set at all, and every one must be there; said before the work, not after."""
    named = (sets.get("google"), sets.get("sat"), sets.get("semeval"))
    paths = [*(Path(each) for each in named if each is not None), *_other_sets(sets)]
    if not paths:
        raise RelrepError("no question set was given; name at least one: google, sat, semeval or questions")
    missing = next((path for path in paths if not path.exists()), None)
    if missing is not None:
        raise RelrepError(f"{missing}: there is no such file or folder of questions; check the name")


def _other_sets(sets: QuestionSets) -> list[Path]:
    questions = sets.get("questions", ())
    return [Path(each) for each in ([questions] if isinstance(questions, str | Path) else questions)]


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
