"""From text to model: what training starts from, training under one of the two objectives, and writing the model.

And from text to the vectors of one baseline: what `relrep baseline` runs.
"""

import dataclasses
import hashlib
import json
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from relrep.baselines import require_extras
from relrep.baselines.init import Start, given_vectors, meta_embedding, random_vectors
from relrep.baselines.settings import BaselineSettings
from relrep.coherence.training import train_coherence
from relrep.config import Config
from relrep.core.files import recover, remove, written_whole
from relrep.core.tensors import map_tensors, write_tensors
from relrep.errors import RelrepError
from relrep.mining.engines import Engine, file_facts
from relrep.mining.stop_words import load_stop_words
from relrep.model.model import Model, check_target, write_model
from relrep.paper.pattern_matrix import pattern_matrix
from relrep.paper.training import train
from relrep.pipeline.estimates import START, Estimate, baseline_estimate
from relrep.pipeline.graph import PAPER, Graph
from relrep.pipeline.stages import Planned, RunSettings, Stage, plain
from relrep.progress import Progress, ProgressCallback, ignore
from relrep.text.encode import CorpusFacts
from relrep.text.store import TEXT_FILE
from relrep.text.vocabulary import Vocabulary
from relrep.vectors.word_vectors import WordVectors

Trained = tuple[NDArray[np.float32], list[dict[str, Any]]]


class TrainingRun:
    """One training in one work folder: the shared graph, and the stages that only it has."""

    def __init__(
        self,
        corpus: Sequence[str | Path],
        work: Path,
        config: Config,
        run: RunSettings | None = None,
        progress: ProgressCallback = ignore,
        engine: Engine | None = None,
    ) -> None:
        self.graph = Graph(corpus, work, config, run, progress, engine)
        self.config, self.run, self.progress = config, self.graph.run, progress
        self.start = Start.named(config.training.init)
        require_extras(self.start.systems)
        self.graph.stages |= {stage.name: stage for stage in self._starts()}
        self.graph.stages["training"] = self._training_stage()

    @property
    def is_paper(self) -> bool:
        """Whether the paper's objective is fitted."""
        return self.config.training.objective == "paper"

    @property
    def stage_names(self) -> list[str]:
        """The stages of this run in order: those of one objective only."""
        paper = [f"{PAPER}pairs", f"{PAPER}patterns", f"{PAPER}counts", "association", "instances"]
        starts = [START + name for name in self.start.systems]
        index = ["index"] if self.run.keep_index else []
        mined = ["pairs", "patterns", "counts", "relations"]
        return ["ids", *mined, *(paper if self.is_paper else []), *index, *starts, "training"]

    def _baseline_settings(self, system: str) -> BaselineSettings:
        training = self.config.training
        return self.config.baselines.of(system, training.dim, training.seed)

    def _starts(self) -> list[Stage]:
        return [
            self.graph.baseline_stage(name, self._baseline_settings(name), START + name) for name in self.start.systems
        ]

    def _training_stage(self) -> Stage:
        files = file_facts(self.start.files) if self.start.files else []
        depends = {"files": files, **plain(self.config.training)}
        if not self.is_paper:
            depends |= plain(self.config.coherence)
        mined = self.graph.stages["instances" if self.is_paper else "relations"]
        return Stage("training", depends, (mined, *self._starts()))

    def plan(self) -> list[Planned]:
        """Which stages will run, and why."""
        return self.graph.plan(self.stage_names)

    def needs(self) -> dict[str, Estimate]:
        """About what the stages that will run need, and the model."""
        return self.graph.needs(self.stage_names)

    @cached_property
    def initial(self) -> tuple[Vocabulary, NDArray[np.float32]]:
        """The model's vocabulary, and the vectors that training starts from."""
        vocabulary, training = self.graph.corpus.vocabulary, self.config.training
        if not self.start.parts:
            return vocabulary, random_vectors(len(vocabulary), training.dim, training.seed)
        several = []
        for part in self.start.parts:
            if part in self.start.systems:
                several.append(self.graph.baseline(part, self._baseline_settings(part), START + part))
            else:
                given = WordVectors.load(part)
                vocabulary, vectors = given_vectors(vocabulary, list(given.index_to_key), given.vectors, part)
                several.append(vectors)
        return vocabulary, several[0] if len(several) == 1 else meta_embedding(several, training.dim, len(vocabulary))

    def initial_facts(self) -> dict[str, str] | None:
        """Of vectors given as a file: their place, and a fingerprint of what training sees of them."""
        if not self.start.files:
            return None
        vocabulary, vectors = self.initial
        digest = hashlib.blake2b("\n".join(vocabulary.words).encode(), digest_size=16)
        digest.update(np.ascontiguousarray(vectors).data)
        return {"source": self.config.training.init, "fingerprint": digest.hexdigest()}

    def trained(self) -> Trained:
        """The trained vectors and the record of each iteration."""
        folder = self.graph.folder / "training"
        train_objective = self._train_paper if self.is_paper else self._train_coherence

        def build() -> Trained:
            vectors, history = train_objective()
            with written_whole(folder) as part:
                part.mkdir()
                write_tensors(part / "vectors.safetensors", {"vectors": vectors})
                (part / "history.json").write_text(json.dumps(history), encoding="utf-8")
            for old in self.graph.folder.glob("checkpoint-*.safetensors"):  # those of other settings too
                remove(old)
            return vectors, history

        def load() -> Trained:
            history = json.loads((folder / "history.json").read_text(encoding="utf-8"))
            return np.asarray(map_tensors(folder / "vectors.safetensors")["vectors"]), history

        return self.graph.done(self.graph.stages["training"], build, load, folder)

    def _train_paper(self) -> Trained:
        graph, run = self.graph, self.run
        instances = graph.instances()
        used = np.unique(np.concatenate([instances.left, instances.right])).astype(np.int32)
        matrix = pattern_matrix(graph.association(), graph.pairs(PAPER), used, run.threads, self.progress)
        checkpoint = graph.folder / f"checkpoint-{graph.stages['training'].fingerprint}.safetensors"
        vectors, history = train(
            self.initial[1], instances, matrix, self.config.training, checkpoint, run.threads, self.progress
        )
        return vectors, [dataclasses.asdict(iteration) for iteration in history]

    def _train_coherence(self) -> Trained:
        vocabulary, initial = self.initial
        bound, settings = self.graph.relations().bound, self.config.coherence
        learnt_here = bool(self.start.systems) and not self.start.files
        return train_coherence(vocabulary, initial, bound, settings, self.run.threads, self.progress, learnt_here)

    def _check_ids(self) -> None:
        """Says at once what cannot be made of counts alone."""
        if self.graph.engine.keeps_ids:
            return
        wanting = {
            f"init {self.config.training.init}": bool(self.start.systems),
            "the corpus index": self.run.keep_index,
        }
        if needy := [name for name, needs in wanting.items() if needs]:
            raise RelrepError(
                f"{' and '.join(needy)} cannot be had of counts without token ids; mine with --keep-ids, or train "
                "with --init random (or a file of vectors) --no-index"
            )

    def _text_folder(self) -> Path | None:
        """Where the text as written is, if the model is to keep it and the engine has left it."""
        folder = self.graph.folder / "ids"
        return folder if self.run.keep_text and (folder / TEXT_FILE).exists() else None

    def make(self, out: Path) -> Model:
        """Runs what is not done and writes the model."""
        check_target(out)
        self._check_ids()
        graph = self.graph
        with graph.work.locked():
            recover(out)
            graph.warn_about_limits(self.needs())
            _, facts = graph.ids()
            if self.is_paper:  # first, as it tells of numbers that cannot be met
                graph.counts(PAPER)
            graph.relations()
            graph.engine.release()
            for name in ("pairs", "patterns", "counts"):
                graph.forget(name)
            if self.is_paper:
                graph.instances()
            index = graph.index() if self.run.keep_index else None
            vocabulary, _ = self.initial
            vectors, history = self.trained()
            self.progress(Progress("writing the model", 0, 1))
            config = {
                "settings": self.config.as_dict(),
                "corpus": dataclasses.asdict(facts),
                "history": history,
                "initial": self.initial_facts(),
                "stop_words": sorted(load_stop_words(graph.stop_words, graph.corpus.vocabulary.words)),
                "language": graph.stop_words,
                "seconds": graph.work.seconds([graph.stages[name] for name in self.stage_names]),
            }
            model = write_model(
                out,
                vocabulary=vocabulary,
                vectors=vectors,
                relations=graph.relations(),
                index=index,
                text=self._text_folder(),
                config=config,
            )
            self.progress(Progress("writing the model", 1, 1))
            return model


class BaselineRun:
    """Trains one system on a corpus; what is done waits in the work folder, as it does for `relrep train`."""

    def __init__(self, graph: Graph, system: str, settings: BaselineSettings) -> None:
        require_extras([system])
        self.graph, self.system, self.settings = graph, system, settings
        graph.stages[system] = graph.baseline_stage(system, settings, system)

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
            trained = graph.baseline(self.system, self.settings, self.system)
            vectors = WordVectors(list(corpus.vocabulary.words), trained)
            vectors.save(out, format, graph.progress)
            return vectors, facts
