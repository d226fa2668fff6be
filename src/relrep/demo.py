"""The demonstration: the whole chain on the embedded small world."""

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from relrep.analogy.evaluate import QuestionSets, evaluate
from relrep.compare.report import compare_on_corpus, trainings_of
from relrep.compare.settings import CompareSettings
from relrep.config import Config
from relrep.datasets.smallworld import write_choices, write_corpus, write_questions
from relrep.model.model import Model
from relrep.model.relations import MIDFIX
from relrep.pipeline.stages import RunSettings
from relrep.pipeline.train import TrainingRun
from relrep.progress import ProgressCallback, ignore
from relrep.relations.explain import Explanation, explain
from relrep.relations.patterns import ask_pattern
from relrep.relations.search import RelationSearch
from relrep.vectors.word_vectors import WordVectors

PAIRS = (("paris", "france"), ("kitten", "cat"), ("baker", "bakery"))
"""The relations shown."""
SETTINGS: dict[str, dict[str, Any]] = {
    "training": {"objective": "coherence", "init": "glove", "dim": 50},
}
COMPARED = ("ivlbl", "cbow", "glove", "relrep-coherence")
"""Of all systems those that a minute suffices for."""
_MEASURES = ("cosadd", "cosmult", "pairdiff")


@dataclass(frozen=True)
class Accuracy:
    """Right answers in percent before and after training, of one question set under one measure."""

    questions: str
    measure: str
    before: float
    after: float


@dataclass(frozen=True)
class Demonstration:
    """What there is to show."""

    model: Model
    patterns: list[tuple[str, int, list[str]]]  # a pattern, how often it occurs, the pairs it stands for most
    relations: list[Explanation]
    accuracies: list[Accuracy]
    report: Path | None


def demonstrate(
    folder: Path, tokens: int, threads: int, with_report: bool = True, progress: ProgressCallback = ignore
) -> Demonstration:
    """Writes the small world's text and questions into `folder`, learns from it, and asks the questions."""
    folder.mkdir(parents=True, exist_ok=True)
    text, questions, choices = folder / "world.txt", folder / "questions.txt", folder / "choices.txt"
    write_corpus(text, tokens)
    write_questions(questions)
    write_choices(choices)
    config = Config().with_values(SETTINGS, "demonstration")
    run = RunSettings(threads)
    training = TrainingRun([text], folder / "model.work", config, run, progress)
    model = training.make(folder / "model")
    report = None
    if with_report:
        sets = QuestionSets(google=questions, sat=choices)
        settings = replace(CompareSettings.quick(), systems=COMPARED, instances=(), dims=())
        trainings = trainings_of([text], folder / "comparison", settings, run, progress)
        _, files = compare_on_corpus(trainings, folder / "comparison", sets)
        report = files["report.html"]
    before = WordVectors(list(training.initial[0].words), training.initial[1])
    search = RelationSearch(model, threads)
    return Demonstration(
        model,
        frequent_patterns(model, 8),
        [explain(search, first, second, n=4, n_examples=1) for first, second in PAIRS],
        _accuracies(before, model.vectors, questions, choices, threads),
        report,
    )


def frequent_patterns(model: Model, n: int) -> list[tuple[str, int, list[str]]]:
    """The most frequent patterns of at least two words, with the pairs they are most telling of."""
    table = model.require_relations()
    shown: list[tuple[str, int, list[str]]] = []
    for pattern in (-table.patterns.occurrences).argsort(kind="stable").tolist():
        if " " in table.texts[pattern] and len(shown) < n:
            is_whole = bool(table.patterns.kinds[pattern] == MIDFIX)
            answer = ask_pattern(model, table.texts[pattern], 3, is_whole)
            examples = [f"{pair.first}–{pair.second}" for pair in answer.pairs]
            shown.append((answer.pattern.label, answer.pattern.occurrences, examples))
    return shown


def _accuracies(
    before: WordVectors, after: WordVectors, questions: Path, choices: Path, threads: int
) -> list[Accuracy]:
    """Right answers of the vectors that training started from, and of the trained ones."""
    evaluations = [evaluate(vectors, google=questions, sat=choices, threads=threads) for vectors in (before, after)]
    accuracies = []
    for old, new in zip(*(each.outcomes for each in evaluations), strict=True):
        for measure in _MEASURES:
            rates = [100 * outcome.total(measure).right / outcome.total(measure).questions for outcome in (old, new)]
            accuracies.append(Accuracy(old.name, measure, *rates))
    return accuracies
