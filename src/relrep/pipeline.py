"""From text to model: the stages, their order, and what each depends on."""

import contextlib
import dataclasses
import hashlib
import json
import logging
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from safetensors import safe_open
from safetensors.numpy import save_file

from relrep.analogy.pattern_space import SPACE_FILE, PatternSpace
from relrep.association import Association, associate
from relrep.baselines import BaselineSettings, train_baseline
from relrep.config import Config
from relrep.corpus import CorpusFacts, EncodedCorpus, Vocabulary
from relrep.corpus.encoded import open_ids
from relrep.corpus.parts import VERSION
from relrep.engines import Engine, LocalEngine, file_facts
from relrep.errors import RelrepError
from relrep.estimates import START, Estimate, check_limits, estimates
from relrep.files import recover, remove, written_whole
from relrep.instances import Instances, select_instances
from relrep.mining.pairs import Pairs
from relrep.mining.patterns import Patterns
from relrep.mining.runs import Run
from relrep.model import Model, check_target, write_model
from relrep.progress import Progress, ProgressCallback, ignore
from relrep.relations.store import Relations
from relrep.stages import Planned, Stage, WorkFolder
from relrep.starts import Start
from relrep.training.initial import given_vectors, random_vectors, united_vectors
from relrep.training.pairs import train_pairs
from relrep.training.pattern_matrix import pattern_matrix
from relrep.training.trainer import train
from relrep.vectors import WordVectors

DEFAULT_MEMORY = 4 << 30
logger = logging.getLogger(__name__)


@dataclass(frozen=True)
class RunSettings:
    """What changes how a model is made but never its bits."""

    threads: int = 1
    memory: int = DEFAULT_MEMORY
    keep_index: bool = True
    force: bool = False


class Pipeline:
    """The stages of one training run in one work folder."""

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
    def stages(self) -> dict[str, Stage]:
        """All stages with what they depend on, in order."""
        config = self.config
        ids = Stage("ids", {**self.engine.depends(), "rules": VERSION, **_plain(config.corpus)})
        mining = _plain(config.mining)
        pair_keys = ("min_pair_sentences", "max_gap", "stop_words")
        pairs = Stage("pairs", {key: mining[key] for key in pair_keys}, ids)
        patterns = Stage("patterns", {k: v for k, v in mining.items() if k not in pair_keys}, pairs)
        counts = Stage("counts", {}, patterns)
        association = Stage("association", _plain(config.association), counts)
        instances = Stage("instances", _plain(config.instances), association)
        starts = [Stage(START + name, _plain(self._baseline_settings(name)), ids) for name in self.start.systems]
        initial = [start.fingerprint for start in starts]
        files = file_facts(self.start.files) if self.start.files else []
        depends = {"initial": initial, "files": files, **_plain(config.training)}
        if config.training.objective == "pairs":
            training = Stage("training", {**depends, **_plain(config.pairs)}, association)
        else:
            training = Stage("training", depends, instances)
        found = [ids, pairs, patterns, counts, association, instances, *starts, training]
        if config.training.objective == "pairs":
            found.remove(instances)
        return {stage.name: stage for stage in found}

    @cached_property
    def start(self) -> Start:
        """What training starts from."""
        return Start.named(self.config.training.init)

    def _baseline_settings(self, system: str) -> BaselineSettings:
        training = self.config.training
        return self.config.baselines.of(system, training.dim, training.seed)

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

    @cached_property
    def instances(self) -> Instances:
        """Similar and dissimilar pairs of patterns."""
        path = self.folder / "instances.npz"
        association = self.association

        def build() -> Instances:
            found = select_instances(association, self.config.instances, self.run_settings.threads, self.progress)
            found.write(path)
            return found

        result: Instances = self._stage("instances", build, lambda: Instances.read(path), path)
        return result

    @cached_property
    def initial(self) -> tuple[Vocabulary, NDArray[np.float32]]:
        """The model's vocabulary, and the vectors that training starts from."""
        corpus = self.encoded[0]
        training = self.config.training
        if not self.start.parts:
            return corpus.vocabulary, random_vectors(len(corpus.vocabulary), training.dim, training.seed)
        vocabulary, several = corpus.vocabulary, []
        for part in self.start.parts:
            if part in self.start.systems:
                several.append(self._baseline(part))
            else:
                vocabulary, vectors = given_vectors(vocabulary, WordVectors.load(part), part)
                several.append(vectors)
        return vocabulary, several[0] if len(several) == 1 else united_vectors(several, training.dim, len(vocabulary))

    def _baseline(self, system: str) -> NDArray[np.float32]:
        """The vectors of a baseline that training starts from."""
        stage, run = START + system, self.run_settings
        path, work = self.folder / f"{stage}.safetensors", self.folder / f"{stage}.parts"

        def build() -> WordVectors:
            settings = self._baseline_settings(system)
            vectors = train_baseline(system, self.encoded[0], settings, work, run.threads, run.memory, self.progress)
            vectors.save(path)
            remove(work)
            return vectors

        vectors: WordVectors = self._stage(stage, build, lambda: WordVectors.load(path), path)
        return np.asarray(vectors.vectors)

    @cached_property
    def initial_facts(self) -> dict[str, str] | None:
        """Of vectors given as a file: their place, and a fingerprint of what training sees of them."""
        if not self.start.files:
            return None
        vocabulary, vectors = self.initial
        digest = hashlib.blake2b("\n".join(vocabulary.words).encode(), digest_size=16)
        digest.update(np.ascontiguousarray(vectors).data)
        return {"source": self.config.training.init, "fingerprint": digest.hexdigest()}

    @cached_property
    def trained(self) -> tuple[NDArray[np.float32], list[dict[str, Any]]]:
        """The trained vectors and the record of each iteration."""
        path = self.folder / "trained.safetensors"
        train_objective = {"paper": self._train_paper, "pairs": self._train_pairs}[self.config.training.objective]
        self._inputs_of_training()

        def build() -> tuple[NDArray[np.float32], list[dict[str, Any]]]:
            vectors, history = train_objective()
            with written_whole(path) as part:
                save_file({"vectors": vectors}, part, metadata={"history": json.dumps(history)})
            for old in self.folder.glob("checkpoint-*.safetensors"):  # those of other settings too
                remove(old)
            return vectors, history

        def load() -> tuple[NDArray[np.float32], list[dict[str, Any]]]:
            with safe_open(path, framework="numpy") as file:
                return file.get_tensor("vectors"), json.loads(file.metadata()["history"])

        result: tuple[NDArray[np.float32], list[dict[str, Any]]] = self._stage("training", build, load, path)
        return result

    def _inputs_of_training(self) -> None:
        """Runs the stages before training, so that its time is its own."""
        _ = self.initial, self.association, self.instances if self.config.training.objective == "paper" else None

    def _train_paper(self) -> tuple[NDArray[np.float32], list[dict[str, Any]]]:
        instances, association, pairs = self.instances, self.association, self.pairs
        used = np.unique(np.concatenate([instances.left, instances.right])).astype(np.int32)
        matrix = pattern_matrix(association, pairs, used, self.run_settings.threads, self.progress)
        checkpoint = self.folder / f"checkpoint-{self.stages['training'].fingerprint}.safetensors"
        vectors, history = train(
            self.initial[1],
            instances,
            matrix,
            self.config.training,
            checkpoint,
            self.run_settings.threads,
            self.progress,
        )
        return vectors, [dataclasses.asdict(iteration) for iteration in history]

    def _train_pairs(self) -> tuple[NDArray[np.float32], list[dict[str, Any]]]:
        vocabulary, initial = self.initial
        corpus = EncodedCorpus(self.encoded[0].tokens, vocabulary)
        return train_pairs(corpus, initial, self.config.pairs, self.run_settings.threads, self.progress)

    def _check_ids(self) -> None:
        """Says at once what cannot be made of counts alone."""
        if self.engine.keeps_ids:
            return
        training = self.config.training
        wanting = {
            f"the objective {training.objective}": training.objective == "pairs",
            f"init {training.init}": bool(self.start.systems),
            "the corpus index": self.run_settings.keep_index,
        }
        if needy := [name for name, needs in wanting.items() if needs]:
            raise RelrepError(
                f"{' and '.join(needy)} cannot be had of counts without token ids; mine with --keep-ids, or train "
                "with --objective paper --init random (or a file of vectors) --no-index"
            )

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

    def make(self, out: Path) -> Model:
        """Runs what is not done and writes the model."""
        check_target(out)
        self._check_ids()
        with self.work.locked():
            recover(out)
            self.tell_limits(self.needs())
            corpus, facts = self.encoded
            vectors, history = self.trained
            vocabulary, initial = self.initial
            self.progress(Progress("writing the model", 0, 1))
            config = {
                "settings": self.config.as_dict(),
                "corpus": dataclasses.asdict(facts),
                "history": history,
                "initial": self.initial_facts,
                "seconds": self.work.seconds(list(self.stages.values())),
            }
            model = write_model(
                out,
                vocabulary=vocabulary,
                vectors=vectors,
                initial=initial,
                relations=self.relations(vocabulary),
                corpus_for_index=EncodedCorpus(corpus.tokens, vocabulary) if self.run_settings.keep_index else None,
                config=config,
                threads=self.run_settings.threads,
                finish=self._learn_what_patterns_say,
            )
            self.progress(Progress("writing the model", 1, 1))
            return model

    def _learn_what_patterns_say(self, model: Model) -> None:
        """Leaves in a model that is being written what the measures that read the corpus need."""
        if model.index is not None and model.relations is not None and model.relations.n_pairs:
            learnt = PatternSpace.of_model(model, self.run_settings.threads, self.progress)
            learnt.write(model.folder / SPACE_FILE)


def _plain(settings: Any) -> dict[str, Any]:
    values = dataclasses.asdict(settings)
    return {key: list(value) if isinstance(value, tuple) else value for key, value in values.items()}
