"""From text to report: what `relrep compare` and `relrep demo` call."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from relrep.analogy.evaluate import Evaluation, evaluate
from relrep.analogy.measures import ALL_MEASURES, Measure
from relrep.analogy.questions import Protocol
from relrep.baselines.word2vec import require_gensim
from relrep.compare.comparison import Comparison, run_comparison
from relrep.compare.figures import require_matplotlib
from relrep.compare.report import write_report
from relrep.compare.settings import CompareSettings
from relrep.compare.trainings import Trainings
from relrep.config import Config
from relrep.errors import RelrepError
from relrep.pipeline.stages import RunSettings
from relrep.progress import ProgressCallback, ignore
from relrep.text.settings import CorpusSettings
from relrep.vectors.word_vectors import WordVectors


@dataclass(frozen=True)
class QuestionSets:
    """Where the questions are, and under which protocol they are asked; at least one set is needed."""

    google: Path | None = None
    sat: Path | None = None
    semeval: Path | None = None
    questions: tuple[Path, ...] = ()
    candidates: str | int = "all"
    oov: str = "wrong"

    def __post_init__(self) -> None:
        places = [each for each in (self.google, self.sat, self.semeval, *self.questions) if each is not None]
        if not places:
            raise RelrepError("no question set was given; name at least one of --google, --sat, --semeval, --questions")
        missing = next((place for place in places if not place.exists()), None)
        if missing is not None:
            raise RelrepError(f"{missing}: there is no such file or folder of questions; check the name")

    def ask(
        self,
        vectors: WordVectors,
        name: str,
        threads: int,
        measures: Sequence[str] = tuple(ALL_MEASURES),
        extra: Sequence[Measure] = (),
    ) -> Evaluation:
        """Evaluates one system."""
        return evaluate(
            vectors,
            Protocol(self.candidates, self.oov, measures=tuple(measures)),
            google=self.google,
            sat=self.sat,
            semeval=self.semeval,
            questions=self.questions,
            extra_measures=extra,
            threads=threads,
            name=name,
        )


def compare_on_corpus(
    trainings: Trainings, out: Path, sets: QuestionSets, command: str = ""
) -> tuple[Comparison, dict[str, Path]]:
    """Trains and evaluates all systems on a corpus and leaves the report in `out`; returns what it is made of.

    What is mined and trained waits in `out`/work and is used again when the same settings and text come back.
    """
    threads = trainings.graph.run.threads
    require_matplotlib()
    if {"skipgram", "cbow"} & {*trainings.settings.systems, *trainings.settings.start}:
        require_gensim()

    def evaluator(vectors: WordVectors, name: str) -> Evaluation:
        return sets.ask(vectors, name, threads)

    def evidence(vectors: WordVectors, name: str) -> Evaluation:
        return sets.ask(vectors, name, threads, ("cosadd", "pairdiff"), trainings.measures(vectors))

    with trainings.graph.work.locked():  # a second comparison in the same folder is told so
        trainings.graph.warn_about_limits(trainings.needs())
        comparison = run_comparison(trainings, evaluator, evidence)
        return comparison, write_report(comparison, out, command)


def trainings_of(
    corpus: Sequence[str | Path],
    out: Path,
    settings: CompareSettings | None = None,
    reading: CorpusSettings | None = None,
    run: RunSettings | None = None,
    progress: ProgressCallback = ignore,
) -> Trainings:
    """The trainings of a comparison in `out`."""
    settings = settings if settings is not None else CompareSettings()
    config = replace(Config(), corpus=reading or CorpusSettings())
    config = config.with_values(settings.relrep_settings, "relrep's settings")
    config = config.with_values({"training": {"seed": settings.seed}}, "the seed")
    return Trainings(corpus, out / "work", config, settings, run, progress)
