"""The first stages of every run: text to token ids, pairs, patterns, their counts and weights."""

import contextlib
import logging
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

from relrep.association import Association, associate
from relrep.config import Config
from relrep.corpus import CorpusFacts, EncodedCorpus, Vocabulary
from relrep.corpus.encoded import open_ids
from relrep.corpus.parts import VERSION
from relrep.engines import Engine, LocalEngine
from relrep.errors import RelrepError
from relrep.estimates import Estimate, check_limits, estimates
from relrep.files import remove
from relrep.mining.pairs import Pairs
from relrep.mining.patterns import Patterns
from relrep.mining.runs import Run
from relrep.progress import ProgressCallback, ignore
from relrep.relations.store import Relations
from relrep.run_settings import RunSettings
from relrep.stages import Planned, Stage, WorkFolder, plain

logger = logging.getLogger(__name__)


class MiningStages:
    """What an engine reads and counts, in one work folder; each stage runs when it is first asked for."""

    def __init__(
        self,
        corpus: Sequence[str | Path],
        work: Path,
        config: Config,
        run: RunSettings | None = None,
        progress: ProgressCallback = ignore,
        engine: Engine | None = None,
    ) -> None:
        self.config, self.progress = config, progress
        self.run_settings = run = run or RunSettings()
        self.work = WorkFolder(work)
        self.engine = engine or LocalEngine(corpus, config.corpus, run.threads, run.memory, progress)

    @property
    def folder(self) -> Path:
        """Where the stages leave their results."""
        return self.work.folder

    @cached_property
    def mining_stages(self) -> dict[str, Stage]:
        """The stages of mining with what they depend on, in order."""
        config = self.config
        ids = Stage("ids", {**self.engine.depends(), "rules": VERSION, **plain(config.corpus)})
        mining = plain(config.mining)
        pair_keys = ("min_pair_sentences", "max_gap", "stop_words")
        pairs = Stage("pairs", {key: mining[key] for key in pair_keys}, ids)
        patterns = Stage("patterns", {k: v for k, v in mining.items() if k not in pair_keys}, pairs)
        counts = Stage("counts", {}, patterns)
        association = Stage("association", plain(config.association), counts)
        return {stage.name: stage for stage in (ids, pairs, patterns, counts, association)}

    @property
    def stages(self) -> Mapping[str, Stage]:
        """All stages of the run."""
        return self.mining_stages

    def plan(self) -> list[Planned]:
        """Which stages will run, and why."""
        return self.work.plan(list(self.stages.values()), self.run_settings.force)

    @property
    def text_bytes(self) -> int:
        """About how much text there is."""
        return self.engine.text_bytes()

    def needs(self) -> dict[str, Estimate]:
        """About what the stages that will run need, and the model."""
        run = self.run_settings
        found = estimates(self.config, self.text_bytes, run.threads, run.memory, list(self.stages))
        skipped = {stage.name for stage in self.plan() if not stage.runs}
        return {name: need for name, need in found.items() if name not in skipped}

    def tell_limits(self, needs: Mapping[str, Estimate]) -> None:
        """Compares what a run needs with what there is, before any work."""
        for sentence in check_limits(needs, self.text_bytes, self.run_settings.memory, self.folder):
            logger.warning("%s", sentence)

    def _stage(self, name: str, build: Any, load: Any, result: Path) -> Any:
        return self.work.run(self.stages[name], build, load, self.run_settings.force, [result])

    @cached_property
    def encoded(self) -> tuple[EncodedCorpus, CorpusFacts]:
        """Token ids and vocabulary."""
        folder = self.folder / "ids"

        def build() -> tuple[EncodedCorpus, CorpusFacts]:
            return self.engine.encode(folder)

        result: tuple[EncodedCorpus, CorpusFacts] = self._stage(
            "ids", build, lambda: (open_ids(folder), CorpusFacts.read(folder)), folder
        )
        return result

    @contextlib.contextmanager
    def _parts(self, name: str) -> Iterator[Path]:
        """A folder for the shards of one stage, which an interrupted run leaves to the next of the same kind."""
        cut = self.engine.cut(self.encoded[0])
        folder = self.folder / f"{name}-{self.stages[name].fingerprint}-{cut}.parts"
        yield folder
        for old in self.folder.glob(f"{name}-*.parts"):  # those of other settings too
            remove(old)

    @cached_property
    def pairs(self) -> Pairs:
        """The selected word pairs."""
        path = self.folder / "pairs.npz"

        def build() -> Pairs:
            with self._parts("pairs") as parts:
                found = self.engine.pairs(self.encoded[0], self.config.mining, parts)
                found.write(path)
            return found

        result: Pairs = self._stage("pairs", build, lambda: Pairs.read(path), path)
        return result

    @cached_property
    def patterns(self) -> Patterns:
        """The kept patterns."""
        path = self.folder / "patterns.npz"
        pairs = self.pairs

        def build() -> Patterns:
            with self._parts("patterns") as parts:
                found = self.engine.patterns(self.encoded[0], pairs, self.config.mining, parts)
            wanted = self.config.mining.n_patterns
            if len(found) < wanted:
                raise RelrepError(
                    f"the corpus holds only {len(found)} patterns and n_patterns asks for {wanted}; "
                    f"set --n-patterns {len(found)} or less, give more text, or lower min_pair_sentences"
                )
            found.write(path)
            return found

        result: Patterns = self._stage("patterns", build, lambda: Patterns.read(path), path)
        return result

    @cached_property
    def counts(self) -> Run:
        """g(p, u, v)."""
        folder = self.folder / "counts"
        pairs, patterns = self.pairs, self.patterns

        def build() -> Run:
            with self._parts("counts") as parts:
                return self.engine.counts(self.encoded[0], pairs, patterns, self.config.mining, folder, parts)

        result: Run = self._stage("counts", build, lambda: Run.open(folder), folder)
        self.engine.release()
        return result

    @cached_property
    def association(self) -> Association:
        """f(p, u, v)."""
        folder = self.folder / "association"
        counts, patterns = self.counts, self.patterns

        def build() -> Association:
            return associate(
                counts, patterns.occurrences, self.config.association, folder, self.run_settings.threads, self.progress
            )  # fmt: skip

        result: Association = self._stage("association", build, lambda: Association.open(folder), folder)
        return result

    def relations(self, vocabulary: Vocabulary) -> Relations:
        """What the model keeps of mining."""
        pairs, patterns, association = self.pairs, self.patterns, self.association
        return Relations(
            u=pairs.u,
            v=pairs.v,
            sentences=pairs.sentences,
            texts=patterns.texts(vocabulary),
            kinds=patterns.kinds,
            reversed=patterns.reversed,
            occurrences=patterns.occurrences,
            weights=association.sizes,
            indptr=association.starts,
            pattern=association.pattern,
            weight=association.weight,
            count=association.count,
        )
