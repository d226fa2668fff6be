"""The graph of stages in one work folder: what depends on what, how each is made, and where it is kept.

    ids ─▶ index                                                                    the text, word by word
     ├──▶ pairs ─▶ patterns ─▶ counts ─▶ relations                                  bound pairs and what joins them
     ├──▶ paper-pairs ─▶ paper-patterns ─▶ paper-counts ─▶ association ─▶ instances the paper's, for its objective only
     └──▶ baselines to start from

A stage runs when its result is first asked for, and never again unless its settings or inputs have changed.
"""

import contextlib
import logging
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from relrep.baselines import train_baseline
from relrep.baselines.settings import BaselineSettings
from relrep.config import Config
from relrep.core.checkpoints import LearningCurve
from relrep.core.files import remove, written_whole
from relrep.core.tensors import map_tensors, write_tensors
from relrep.errors import RelrepError
from relrep.mining.bound import bound_pairs
from relrep.mining.engines import Engine, LocalEngine
from relrep.mining.pairs import Pairs
from relrep.mining.patterns import Patterns
from relrep.mining.runs import Run
from relrep.mining.settings import Selection
from relrep.mining.stop_words import load_stop_words, resolve_stop_words
from relrep.model.relations import RelationTable
from relrep.paper.association import Association, associate
from relrep.paper.instances import Instances, InstanceSettings, select_instances
from relrep.pipeline.estimates import Estimate, check_limits, estimates
from relrep.pipeline.stages import Planned, RunSettings, Stage, WorkFolder, plain
from relrep.progress import ProgressCallback, ignore
from relrep.text.encode import VERSION, CorpusFacts
from relrep.text.encoded import EncodedCorpus, open_ids
from relrep.text.index import CorpusIndex

VECTORS_FILE = "vectors.safetensors"
PAPER = "paper-"
"""Before the names of the stages that mine for the paper's objective."""
Result = TypeVar("Result")
logger = logging.getLogger(__name__)


class Graph:
    """The stages that every run shares, in one work folder."""

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
        load_stop_words(resolve_stop_words(config.mining.stop_words, ()))  # an unreadable file is told before any work
        self.run = run or RunSettings()
        self.work = WorkFolder(work)
        self.engine = engine or LocalEngine(corpus, config.corpus, self.run.threads, self.run.memory, progress)
        self.stages = self._declared()
        self._results: dict[str, Any] = {}

    @property
    def folder(self) -> Path:
        """Where the stages leave their results."""
        return self.work.folder

    def _declared(self) -> dict[str, Stage]:
        """Every shared stage by its name, with all that it depends on."""
        config, mining = self.config, plain(self.config.mining)
        ids = Stage("ids", {**self.engine.depends(), "rules": VERSION, **plain(config.corpus)})
        stages = [ids, Stage("index", {}, (ids,))]
        shared = ("max_gap", "stop_words")
        wanted: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
            "": (("min_meetings", "min_pmi"), ("bound_patterns",)),
            PAPER: (("min_pair_sentences",), ("n_patterns", "pattern_kinds", "both_directions")),
        }
        for prefix, (of_pairs, of_patterns) in wanted.items():
            pairs = Stage(f"{prefix}pairs", {key: mining[key] for key in (*of_pairs, *shared)}, (ids,))
            patterns = Stage(f"{prefix}patterns", {key: mining[key] for key in of_patterns}, (pairs,))
            stages += [pairs, patterns, Stage(f"{prefix}counts", {}, (patterns,))]
        by_name = {stage.name: stage for stage in stages}
        by_name["relations"] = Stage("relations", {}, (by_name["counts"],))
        by_name["association"] = Stage("association", plain(config.association), (by_name[f"{PAPER}counts"],))
        by_name["instances"] = Stage("instances", plain(config.instances), (by_name["association"],))
        return by_name

    def plan(self, names: Sequence[str]) -> list[Planned]:
        """Which of these stages will run, and why."""
        return self.work.plan([self.stages[name] for name in names], self.run.force)

    @property
    def text_bytes(self) -> int:
        """About how much text there is."""
        return self.engine.text_bytes()

    def needs(self, names: Sequence[str]) -> dict[str, Estimate]:
        """About what those of these stages that will run need, and the model."""
        needed = estimates(self.config, self.text_bytes, self.run.threads, self.run.memory, names)
        skipped = {stage.name for stage in self.plan(names) if not stage.runs}
        return {name: need for name, need in needed.items() if name not in skipped}

    def warn_about_limits(self, needs: Mapping[str, Estimate]) -> None:
        """Compares what a run needs with what there is, before any work."""
        for sentence in check_limits(needs, self.text_bytes, self.run.memory, self.folder):
            logger.warning("%s", sentence)

    def done(self, stage: Stage, build: Callable[[], Result], load: Callable[[], Result], result: Path) -> Result:
        """The result of a stage: remembered, loaded where it is done, else built."""
        if stage.fingerprint not in self._results:
            self._results[stage.fingerprint] = self.work.run(stage, build, load, self.run.force, [result])
        kept: Result = self._results[stage.fingerprint]
        return kept

    def _stored(self, name: str, read: Callable[[Path], Result], make: Callable[[], Result]) -> Result:
        """The result of a stage that is one file, which it writes itself."""
        path = self.folder / f"{name}.npz"

        def build() -> Result:
            made = make()
            made.write(path)  # type: ignore[attr-defined]
            return made

        return self.done(self.stages[name], build, lambda: read(path), path)

    def forget(self, name: str) -> None:
        """Lets a result go from memory; it stays in the work folder."""
        self._results.pop(self.stages[name].fingerprint, None)

    # The text

    def ids(self) -> tuple[EncodedCorpus, CorpusFacts]:
        """Token ids, vocabulary, and what is known of the text."""
        folder = self.folder / "ids"
        return self.done(
            self.stages["ids"],
            lambda: self.engine.encode(folder),
            lambda: (open_ids(folder), CorpusFacts.read(folder)),
            folder,
        )

    @property
    def corpus(self) -> EncodedCorpus:
        """Token ids and vocabulary."""
        return self.ids()[0]

    def index(self) -> CorpusIndex:
        """Where every word stands in the text."""
        corpus, folder = self.corpus, self.folder / "index"

        def build() -> CorpusIndex:
            with written_whole(folder) as part:
                CorpusIndex.build(corpus, part, self.run.threads)
            return CorpusIndex.open(folder)

        return self.done(self.stages["index"], build, lambda: CorpusIndex.open(folder), folder)

    # Mining

    def _selection(self, prefix: str) -> Selection:
        chosen = self.config.mining.paper if prefix == PAPER else self.config.mining.bound
        vocabulary = self.corpus.vocabulary
        return chosen.for_text(int(vocabulary.counts.sum()), vocabulary.words)

    @property
    def stop_words(self) -> str:
        """The name of the stop words of this text."""
        return self._selection("").stop_words

    @contextlib.contextmanager
    def _parts(self, name: str) -> Iterator[Path]:
        """A folder for the shards of one stage, which an interrupted run leaves to the next of the same kind."""
        key = self.engine.sharding_key(self.corpus)
        folder = self.folder / f"{name}-{self.stages[name].fingerprint}-{key}.parts"
        yield folder
        for old in self.folder.glob(f"{name}-*.parts"):  # those of other settings too
            remove(old)

    def pairs(self, prefix: str = "") -> Pairs:
        """The selected word pairs."""
        name, corpus = f"{prefix}pairs", self.corpus

        def make() -> Pairs:
            with self._parts(name) as parts:
                return self.engine.pairs(corpus, self._selection(prefix), parts)

        return self._stored(name, Pairs.read, make)

    def patterns(self, prefix: str = "") -> Patterns:
        """The kept patterns."""
        name, pairs, selection = f"{prefix}patterns", self.pairs(prefix), self._selection(prefix)

        def make() -> Patterns:
            if not len(pairs):  # little text: a table without pairs
                return Patterns([], [], np.zeros(0, dtype=np.bool_), np.zeros(0, dtype=np.int64))
            with self._parts(name) as parts:
                found = self.engine.patterns(self.corpus, pairs, selection, parts)
            if prefix == PAPER:
                _check_met("patterns", len(found), "n_patterns", self.config.mining)
                if len(found) < selection.n_patterns:
                    logger.warning("there are only %s patterns, not %s", f"{len(found):,}", f"{selection.n_patterns:,}")
            return found

        return self._stored(name, Patterns.read, make)

    def counts(self, prefix: str = "") -> Run:
        """g(p, u, v)."""
        name = f"{prefix}counts"
        folder, pairs, patterns = self.folder / name, self.pairs(prefix), self.patterns(prefix)

        def build() -> Run:
            if not len(pairs) or not len(patterns):
                nothing = np.zeros(0, dtype=np.int32)
                return Run(np.zeros(len(pairs) + 1, dtype=np.int64), nothing, nothing).write(folder)
            with self._parts(name) as parts:
                return self.engine.counts(self.corpus, pairs, patterns, self._selection(prefix), folder, parts)

        return self.done(self.stages[name], build, lambda: Run.open(folder), folder)

    def relations(self) -> RelationTable:
        """Bound pairs, patterns, counts and folded profiles, as the model keeps them."""
        folder, words = self.folder / "relations", self.corpus.vocabulary.words

        def build() -> RelationTable:
            reach = self._selection("").reach
            bound, patterns = bound_pairs(self.pairs(), self.counts(), self.patterns(), reach)
            with written_whole(folder) as part:
                RelationTable.of(bound, patterns, words, self.run.threads).write(part)
            return RelationTable.open(folder, words)

        return self.done(self.stages["relations"], build, lambda: RelationTable.open(folder, words), folder)

    def association(self) -> Association:
        """f(p, u, v), Eq. 1."""
        folder, counts, patterns = self.folder / "association", self.counts(PAPER), self.patterns(PAPER)

        def build() -> Association:
            settings, run = self.config.association, self.run
            return associate(counts, patterns.occurrences, settings, folder, run.threads, self.progress)

        return self.done(self.stages["association"], build, lambda: Association.open(folder), folder)

    def instances(self, settings: InstanceSettings | None = None) -> Instances:
        """Similar and dissimilar pairs of patterns (§ 3.1); with other settings than the run's, not kept."""

        def select(settings: InstanceSettings) -> Instances:
            return select_instances(self.association(), settings, self.run.threads, self.progress)

        def make() -> Instances:
            found = select(self.config.instances)
            positives = int(found.target.sum())
            _check_met("similar pattern pairs", positives, "positives", self.config.instances)
            _check_met("dissimilar pattern pairs", len(found) - positives, "negatives", self.config.instances)
            return found

        return select(settings) if settings is not None else self._stored("instances", Instances.read, make)

    # Vectors

    def vectors(
        self, stage: Stage, train: Callable[[Path, ProgressCallback], NDArray[np.float32]]
    ) -> NDArray[np.float32]:
        """The word vectors of a stage; `train` gets a folder for its checkpoints, which an interrupted run leaves."""
        folder, parts = self.folder / stage.name, self.folder / f"{stage.name}.parts"

        def build() -> NDArray[np.float32]:
            if self.run.force:
                remove(parts)
            parts.mkdir(parents=True, exist_ok=True)
            curve = LearningCurve(parts, self.progress)
            trained = train(parts, curve.report)
            with written_whole(folder) as part:
                part.mkdir()
                write_tensors(part / VECTORS_FILE, {"vectors": trained})
                curve.write(part)
            remove(parts)
            return trained

        return self.done(stage, build, lambda: np.asarray(map_tensors(folder / VECTORS_FILE)["vectors"]), folder)

    def baseline_stage(self, system: str, settings: BaselineSettings, name: str) -> Stage:
        """The stage of one baseline under these settings."""
        return Stage(name, {"system": system, **plain(settings)}, (self.stages["ids"],))

    def baseline(self, system: str, settings: BaselineSettings, name: str) -> NDArray[np.float32]:
        """The vectors of a baseline, a row for each word of the vocabulary."""
        corpus, run = self.corpus, self.run

        def train(parts: Path, progress: ProgressCallback) -> NDArray[np.float32]:
            return train_baseline(system, corpus, settings, parts, run.threads, run.memory, progress)

        return self.vectors(self.baseline_stage(system, settings, name), train)


def _check_met(what: str, n_found: int, name: str, settings: Any) -> None:
    """Fewer than a setting asks for is a RelrepError where a number was given; the default takes what there is."""
    asked, default = getattr(settings, name), getattr(type(settings)(), name)
    if n_found < asked != default:
        raise RelrepError(
            f"the corpus holds only {n_found:,} {what} and {name} asks for {asked:,}; "
            f"set --{name.replace('_', '-')} {n_found} or less, give more text, or lower min_pair_sentences"
        )
