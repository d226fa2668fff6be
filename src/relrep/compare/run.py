"""From text to report: what `relrep compare` and `relrep demo` call."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from relrep.analogy.evaluate import Evaluation, QuestionSets, check_sets, evaluate
from relrep.analogy.questions import Protocol
from relrep.baselines.word2vec import require_gensim
from relrep.compare.figures import require_matplotlib
from relrep.compare.report import write_report
from relrep.compare.settings import CompareSettings
from relrep.compare.trainings import Comparison, Trainings, run_comparison
from relrep.config import Config
from relrep.pipeline.stages import RunSettings
from relrep.progress import ProgressCallback, ignore
from relrep.vectors.word_vectors import WordVectors


def compare_on_corpus(
    trainings: Trainings, out: Path, sets: QuestionSets, protocol: Protocol | None = None, command: str = ""
) -> tuple[Comparison, dict[str, Path]]:
    """Trains and evaluates all systems on a corpus and leaves the report in `out`; returns what it is made of.

    What is mined and trained waits in `out`/work and is used again when the same settings and text come back.
    """
    check_sets(sets)
    require_matplotlib()
    if {"skipgram", "cbow"} & {*trainings.settings.systems, *trainings.settings.start}:
        require_gensim()
    rules, threads = protocol or Protocol(), trainings.graph.run.threads
    with_text = replace(rules, measures=("cosadd", "pairdiff"))

    def evaluator(vectors: WordVectors, name: str) -> Evaluation:
        return evaluate(vectors, rules, threads=threads, name=name, **sets)

    def evidence(vectors: WordVectors, name: str) -> Evaluation:
        measures = trainings.measures(vectors)
        return evaluate(vectors, with_text, extra_measures=measures, threads=threads, name=name, **sets)

    with trainings.graph.work.locked():  # a second comparison in the same folder is told so
        trainings.graph.warn_about_limits(trainings.needs())
        comparison = run_comparison(trainings, evaluator, evidence)
        return comparison, write_report(comparison, out, command)


def trainings_of(
    corpus: Sequence[str | Path],
    out: Path,
    settings: CompareSettings | None = None,
    run: RunSettings | None = None,
    progress: ProgressCallback = ignore,
) -> Trainings:
    """The trainings of a comparison in `out`."""
    settings = settings if settings is not None else CompareSettings()
    config = Config().with_values(settings.relrep_settings, "relrep's settings")
    config = config.with_values({"training": {"seed": settings.seed}}, "the seed")
    return Trainings(corpus, out / "work", config, settings, run, progress)
