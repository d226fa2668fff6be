"""The demonstration: the whole chain on the embedded small world."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from relrep.analogy.evaluation import evaluate
from relrep.config import Config
from relrep.experiments.run import QuestionSets, compare_on_corpus
from relrep.experiments.settings import CompareSettings
from relrep.mining.stop_words import ENGLISH
from relrep.model import Model
from relrep.progress import ProgressCallback, ignore
from relrep.relations.explanation import Explanation, explain
from relrep.relations.pattern_neighbours import entries_of
from relrep.relrep import RelRep
from relrep.smallworld import write_choices, write_corpus, write_questions

PAIRS = (("paris", "france"), ("kitten", "cat"), ("baker", "bakery"))
"""The relations shown."""
SETTINGS: dict[str, dict[str, Any]] = {
    "mining": {"n_patterns": 500, "min_pair_sentences": 20},
    "training": {"objective": "pairs", "init": "glove", "dim": 50},
}
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
    model = RelRep(config).fit(text, folder / "model", threads=threads, progress=progress)
    report = None
    if with_report:
        sets = QuestionSets(google=questions, sat=choices)
        settings = CompareSettings.quick()
        _, files = compare_on_corpus([text], folder / "comparison", sets, settings, threads=threads, progress=progress)
        report = files["report.html"]
    return Demonstration(
        model,
        strongest_patterns(model, 8),
        [explain(model, first, second, n=3, n_examples=1) for first, second in PAIRS],
        _accuracies(model, questions, choices, threads),
        report,
    )


def strongest_patterns(model: Model, n: int) -> list[tuple[str, int, list[str]]]:
    """The most frequent patterns of at least two words, with the content words they are most telling of."""
    relations = model.relations
    assert relations is not None
    words = model.vocabulary.words
    shown = []
    for pattern, text in enumerate(relations.texts):
        if " " not in text:
            continue
        pairs, entries = entries_of(relations, pattern)
        content = np.array([not {words[relations.u[p]], words[relations.v[p]]} & ENGLISH for p in pairs], dtype=bool)
        pairs, entries = pairs[content], entries[content]
        telling = relations.weight[entries] * relations.count[entries]
        best = pairs[np.argsort(-telling, kind="stable")[:3]]
        examples = [f"{words[relations.u[pair]]}–{words[relations.v[pair]]}" for pair in best]
        shown.append((relations.label(pattern), int(relations.occurrences[pattern]), examples))
        if len(shown) == n:
            break
    return shown


def _accuracies(model: Model, questions: Path, choices: Path, threads: int) -> list[Accuracy]:
    assert model.initial is not None
    before = evaluate(model.initial, google=questions, sat=choices, threads=threads)
    after = evaluate(model.vectors, google=questions, sat=choices, threads=threads)
    found = []
    for old, new in zip(before.outcomes, after.outcomes, strict=True):
        for measure in _MEASURES:
            rates = [100 * outcome.total(measure).right / outcome.total(measure).questions for outcome in (old, new)]
            found.append(Accuracy(old.name, measure, *rates))
    return found
