"""`evaluate`: question sets against word vectors, under one declared protocol."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from relrep.analogy.answer import answer_choices, answer_open
from relrep.analogy.answer_semeval import answer_semeval
from relrep.analogy.measures import Measure
from relrep.analogy.outcomes import Outcome
from relrep.analogy.protocol import ALL_MEASURES, READS_CORPUS, Protocol
from relrep.analogy.reading import read_google, read_questions
from relrep.analogy.sat import read_sat
from relrep.analogy.semeval import mean_scores
from relrep.analogy.semeval_files import read_semeval
from relrep.analogy.significance import binomial_test
from relrep.analogy.terms import TermTable
from relrep.errors import RelrepError
from relrep.progress import ProgressCallback, ignore
from relrep.vectors.word_vectors import WordVectors

Place = Path | str


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
                    "p": {name: binomial(outcome, name, rate) for name in outcome.measures},
                }
            if outcome.kind == "semeval":
                result.setdefault("semeval", {})[outcome.name] = described
            elif outcome.name in ("google", "sat"):
                result[outcome.name] = described
            else:
                result.setdefault("questions", {})[outcome.name] = described
        return result


def binomial(outcome: Outcome, measure: str, rate: float) -> float:
    """The p-value of a set's total against a rate in percent."""
    total = outcome.total(measure)
    return binomial_test(total.right, total.questions, rate / 100.0)


def evaluate(
    vectors: WordVectors | Place,
    *,
    google: Place | None = None,
    sat: Place | None = None,
    semeval: Place | None = None,
    questions: Place | Sequence[Place] = (),
    candidates: str | int = "all",
    oov: str = "wrong",
    case: str = "auto",
    multiword: bool = False,
    measures: Iterable[str] = tuple(ALL_MEASURES),
    extra_measures: Sequence[Measure] = (),
    ranks: bool = False,
    threads: int | None = None,
    name: str | None = None,
    progress: ProgressCallback = ignore,
) -> Evaluation:
    """Answers analogy questions with `vectors` under CosAdd, CosMult and PairDiff, given pairs under PairBoth too.

    `google`, `sat` and `semeval` are the places of these sets, `questions` those of any others (MSR, BATS, four
    columns). The protocol (`candidates`, `oov`, `case`, `multiword`) is explained at `Protocol`. `ranks` finds the
    rank of every right answer too. Bits never depend on `threads`.
    """
    protocol = Protocol(candidates, oov, case, multiword, tuple(measures))
    several = [questions] if isinstance(questions, str | Path) else list(questions)
    asked = [
        *([read_google(Path(google))] if google is not None else []),
        *(read_questions(Path(place)) for place in several),
    ]
    choices = [read_sat(Path(sat))] if sat is not None else []
    collections = read_semeval(Path(semeval)) if semeval is not None else []
    if not (asked or choices or collections):
        raise RelrepError("no question set was given; name at least one of google, sat, semeval and questions")
    names = [each.name for each in asked]
    twice = next((each for each in names if names.count(each) > 1), None)
    if twice:
        raise RelrepError(f"two question sets are called {twice!r}; rename one of the files")
    loaded = vectors if isinstance(vectors, WordVectors) else WordVectors.load(vectors, progress=progress)
    terms = TermTable(loaded, case, multiword)
    outcomes = [
        *(answer_open(each, terms, protocol, extra_measures, ranks, threads, progress) for each in asked),
        *(answer_choices(each, terms, protocol, extra_measures) for each in choices),
        *(answer_semeval(each, terms, protocol, extra_measures) for each in collections),
    ]
    label = name or (Path(vectors).name if isinstance(vectors, str | Path) else "vectors")
    return Evaluation(label, len(loaded), loaded.vector_size, protocol, tuple(outcomes))


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
