"""One baseline trained on a corpus: what `relrep baseline` runs."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from relrep.baselines.settings import BaselineSettings
from relrep.config import Config
from relrep.core.files import recover
from relrep.pipeline.estimates import Estimate, baseline_estimate
from relrep.pipeline.graph import Graph
from relrep.pipeline.stages import Planned, RunSettings
from relrep.progress import ProgressCallback, ignore
from relrep.text.encode import CorpusFacts
from relrep.text.settings import CorpusSettings
from relrep.vectors.word_vectors import WordVectors


class BaselineRun:
    """Trains one system on a corpus; what is done waits in the work folder, as it does for `relrep train`."""

    def __init__(
        self,
        system: str,
        corpus: Sequence[str | Path],
        work: Path,
        settings: BaselineSettings,
        reading: CorpusSettings | None = None,
        run: RunSettings | None = None,
        progress: ProgressCallback = ignore,
    ) -> None:
        self.system, self.settings, self.progress = system, settings, progress
        self.graph = Graph(corpus, work, replace(Config(), corpus=reading or CorpusSettings()), run, progress)
        self.graph.stages[system] = self.graph.baseline_stage(system, settings, system)

    def plan(self) -> list[Planned]:
        """Which of the two stages will run, and why."""
        return self.graph.plan(["ids", self.system])

    def needs(self) -> dict[str, Estimate]:
        """About what the stages that will run need."""
        graph, run = self.graph, self.graph.run
        needs = {name: need for name, need in graph.needs(["ids"]).items() if name == "ids"}
        if self.plan()[1].runs:
            limit = graph.config.corpus.max_words
            needs[self.system] = baseline_estimate(self.system, self.settings, graph.text_bytes, run.memory, limit)
        return needs

    def make(self, out: Path, format: str | None = None) -> tuple[WordVectors, CorpusFacts]:
        """Does what is not done, and writes the vectors to `out`."""
        graph = self.graph
        with graph.work.locked():
            recover(out)
            graph.warn_about_limits(self.needs())
            corpus, facts = graph.ids()
            vectors = WordVectors(
                list(corpus.vocabulary.words), graph.baseline(self.system, self.settings, self.system)
            )
            vectors.save(out, format, self.progress)
            return vectors, facts
