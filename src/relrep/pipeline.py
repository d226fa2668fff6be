"""From text to model: after mining, what training starts from, training, and writing the model."""

import dataclasses
import hashlib
import json
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from safetensors import safe_open
from safetensors.numpy import save_file

from relrep.analogy.pattern_space import SPACE_FILE, PatternSpace
from relrep.baselines import BaselineSettings, train_baseline
from relrep.corpus import EncodedCorpus, Vocabulary
from relrep.engines import file_facts
from relrep.errors import RelrepError
from relrep.estimates import START
from relrep.files import recover, remove, written_whole
from relrep.instances import Instances, select_instances
from relrep.mining_stages import MiningStages
from relrep.model import Model, check_target, write_model
from relrep.progress import Progress
from relrep.stages import Stage, plain
from relrep.starts import Start
from relrep.training.initial import given_vectors, random_vectors, united_vectors
from relrep.training.pairs import train_pairs
from relrep.training.pattern_matrix import pattern_matrix
from relrep.training.trainer import train
from relrep.vectors import WordVectors


class Pipeline(MiningStages):
    """The stages of one training run in one work folder."""

    @cached_property
    def stages(self) -> dict[str, Stage]:
        """All stages with what they depend on, in order."""
        config, association = self.config, self.mining_stages["association"]
        ids = self.mining_stages["ids"]
        starts = [Stage(START + name, plain(self._baseline_settings(name)), ids) for name in self.start.systems]
        initial = [start.fingerprint for start in starts]
        files = file_facts(self.start.files) if self.start.files else []
        depends = {"initial": initial, "files": files, **plain(config.training)}
        if config.training.objective == "pairs":
            found = [*starts, Stage("training", {**depends, **plain(config.pairs)}, association)]
        else:
            instances = Stage("instances", plain(config.instances), association)
            found = [instances, *starts, Stage("training", depends, instances)]
        return {**self.mining_stages, **{stage.name: stage for stage in found}}

    @cached_property
    def start(self) -> Start:
        """What training starts from."""
        return Start.named(self.config.training.init)

    def _baseline_settings(self, system: str) -> BaselineSettings:
        training = self.config.training
        return self.config.baselines.of(system, training.dim, training.seed)

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
