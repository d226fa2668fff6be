"""A baseline as a run of two stages in a work folder: token ids, and the training of the system."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from relrep.baselines import BaselineSettings, train_baseline
from relrep.config import Config
from relrep.corpus import CorpusFacts
from relrep.corpus.settings import CorpusSettings
from relrep.estimates import Estimate, baseline_estimate
from relrep.files import recover, remove
from relrep.mining_stages import MiningStages
from relrep.progress import ProgressCallback, ignore
from relrep.run_settings import RunSettings
from relrep.stages import Planned, Stage, plain
from relrep.vectors import WordVectors


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
        config = replace(Config(), corpus=reading or CorpusSettings())
        self.mining = MiningStages(corpus, work, config, run, progress)

    @property
    def _stages(self) -> list[Stage]:
        ids = self.mining.stages["ids"]
        return [ids, Stage(self.system, plain(self.settings), ids)]

    def plan(self) -> list[Planned]:
        """Which of the two stages will run, and why."""
        return self.mining.work.plan(self._stages, self.mining.run_settings.force)

    def needs(self) -> dict[str, Estimate]:
        """About what the stages that will run need."""
        mining, run = self.mining, self.mining.run_settings
        found = {name: need for name, need in mining.needs().items() if name == "ids"}
        if self.plan()[1].runs:
            limit = mining.config.corpus.max_words
            found[self.system] = baseline_estimate(
                self.system, self.settings, mining.text_bytes, run.threads, run.memory, limit
            )
        return found

    def make(self, out: Path, format: str | None = None) -> tuple[WordVectors, CorpusFacts]:
        """Does what is not done, and writes the vectors to `out`."""
        mining, run = self.mining, self.mining.run_settings
        path, parts = mining.folder / f"{self.system}.safetensors", mining.folder / f"{self.system}.parts"
        with mining.work.locked():
            recover(out)
            mining.tell_limits(self.needs())
            corpus, facts = mining.encoded

            def build() -> WordVectors:
                if run.force:
                    remove(parts)
                vectors = train_baseline(
                    self.system, corpus, self.settings, parts, run.threads, run.memory, self.progress
                )
                vectors.save(path)
                remove(parts)
                return vectors

            vectors = mining.work.run(self._stages[1], build, lambda: WordVectors.load(path), run.force, results=[path])
            vectors.save(out, format, self.progress)
            return vectors, facts
