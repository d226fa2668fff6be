"""From text to report: what `relrep compare` and `relrep demo` call."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from relrep.analogy.evaluation import Evaluation, evaluate
from relrep.analogy.measures import Measure
from relrep.analogy.protocol import ALL_MEASURES
from relrep.baselines.settings import systems_of
from relrep.baselines.word2vec import require_gensim
from relrep.config import Config
from relrep.corpus.settings import CorpusSettings
from relrep.errors import RelrepError
from relrep.experiments.comparison import Comparison, run_comparison
from relrep.experiments.figures import require_matplotlib
from relrep.experiments.planning import ComparisonPlan
from relrep.experiments.relrep_system import RelrepSystem
from relrep.experiments.report import write_report
from relrep.experiments.settings import CompareSettings
from relrep.files import remove_leftovers
from relrep.progress import ProgressCallback, ignore
from relrep.run_settings import RunSettings
from relrep.vectors import WordVectors


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
            google=self.google,
            sat=self.sat,
            semeval=self.semeval,
            questions=self.questions,
            candidates=self.candidates,
            oov=self.oov,
            measures=measures,
            extra_measures=extra,
            threads=threads,
            name=name,
        )


def compare_on_corpus(
    corpus: Sequence[str | Path],
    out: Path,
    sets: QuestionSets,
    settings: CompareSettings | None = None,
    reading: CorpusSettings | None = None,
    threads: int = 1,
    memory: int = 4 << 30,
    progress: ProgressCallback = ignore,
    command: str = "",
    force: bool = False,
) -> tuple[Comparison, dict[str, Path]]:
    """Trains and evaluates all systems on a corpus and leaves the report in `out`; returns what it is made of.

    Trained vectors stay in `out`/vectors and are used again when the same settings and text come back, unless `force`
    has all done again.
    """
    settings = settings if settings is not None else CompareSettings()
    require_matplotlib()
    if {"skipgram", "cbow"} & {*settings.systems, *systems_of(settings.init)}:
        require_gensim()
    relrep = relrep_system(corpus, out, settings, reading, RunSettings(threads, memory, force=force), progress)

    def evaluator(vectors: WordVectors, name: str) -> Evaluation:
        return sets.ask(vectors, name, threads)

    def evidence(vectors: WordVectors, name: str) -> Evaluation:
        return sets.ask(vectors, name, threads, ("cosadd", "pairdiff"), relrep.measures(vectors))

    with relrep.mining.work.locked():  # a second comparison in the same place is told so
        remove_leftovers(out / "vectors")
        relrep.mining.tell_limits(ComparisonPlan(relrep, out, settings, force).needs())
        encoded, facts = relrep.encoded
        comparison = run_comparison(
            encoded, facts, out, relrep, evaluator, settings, threads, memory, progress, force, evidence
        )
        return comparison, write_report(comparison, out, command)


def relrep_system(
    corpus: Sequence[str | Path],
    out: Path,
    settings: CompareSettings,
    reading: CorpusSettings | None,
    run: RunSettings,
    progress: ProgressCallback = ignore,
) -> RelrepSystem:
    """relrep with the settings of a comparison; what it mines waits in `out`/relrep."""
    config = replace(Config(), corpus=reading or CorpusSettings())
    config = config.with_values(settings.relrep_settings, "relrep's settings")
    config = config.with_values({"training": {"seed": settings.seed}, "pairs": {"seed": settings.seed}}, "the seed")
    return RelrepSystem(corpus, out / "relrep", config, run, progress)
