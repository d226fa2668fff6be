"""relrep as one of the systems compared: mined once, then trained from any vectors with any number of instances."""

from collections.abc import Sequence
from dataclasses import asdict, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from relrep.analogy.evidence import measures_of
from relrep.analogy.evidence_space import CorpusEvidence
from relrep.analogy.measures import Measure
from relrep.analogy.pattern_space import PatternSpace
from relrep.config import Config
from relrep.corpus import CorpusFacts, EncodedCorpus
from relrep.instances import InstanceSettings, select_instances
from relrep.mining_stages import MiningStages
from relrep.progress import ProgressCallback, ignore
from relrep.relations.index import CorpusIndex
from relrep.relations.profiles import ProfileMiner
from relrep.run_settings import RunSettings
from relrep.training.pairs import train_pairs
from relrep.training.pattern_matrix import pattern_matrix
from relrep.training.trainer import train
from relrep.vectors import WordVectors

FROM_OUTSIDE = ("objective", "dim", "init")
"""Settings of training that a comparison decides for itself."""


class RelrepSystem:
    """Trains relrep on one corpus; what is mined waits in `folder` and serves all trainings, also later ones."""

    def __init__(
        self,
        corpus: Sequence[str | Path],
        folder: Path,
        config: Config,
        run: RunSettings | None = None,
        progress: ProgressCallback = ignore,
    ) -> None:
        self.config = config
        self.mining = MiningStages(corpus, folder, config, run, progress)
        self.threads = self.mining.run_settings.threads

    @property
    def encoded(self) -> tuple[EncodedCorpus, CorpusFacts]:
        """The token ids that all systems learn from."""
        return self.mining.encoded

    def settings(self, objective: str, instances: int | None) -> dict[str, Any]:
        """All settings of a training under an objective with so many instances (None: as configured)."""
        if objective == "pairs":
            return {"objective": objective, **asdict(self.config.pairs)}
        parts = (self.config.mining, self.config.association, self._instance_settings(instances), self.config.training)
        described = {name: value for part in parts for name, value in asdict(part).items()}
        return {"objective": objective, **{k: v for k, v in described.items() if k not in FROM_OUTSIDE}}

    def _instance_settings(self, instances: int | None) -> InstanceSettings:
        if instances is None:
            return self.config.instances
        return replace(self.config.instances, positives=(instances + 1) // 2, negatives=instances // 2)

    @cached_property
    def _evidence(self) -> CorpusEvidence:
        corpus = self.encoded[0]
        miner = ProfileMiner(CorpusIndex.of(corpus, self.threads), threads=self.threads)
        pairs = self.mining.pairs
        space = PatternSpace.learn(miner, np.column_stack([pairs.u, pairs.v]))
        known = corpus.vocabulary.id_of
        return CorpusEvidence(miner, space, lambda word: known.get(word, -1))

    def measures(self, vectors: WordVectors) -> list[Measure]:
        """The measures that read the corpus at query time; near words by `vectors`."""
        return measures_of(self._evidence, vectors)

    def train(
        self, initial: WordVectors, objective: str, instances: int | None, work: Path, progress: ProgressCallback
    ) -> WordVectors:
        """The trained vectors, a row for each word of the vocabulary; checkpoints wait in `work`."""
        start = np.array(initial.vectors, dtype=np.float32)
        if objective == "pairs":
            vectors, _ = train_pairs(self.encoded[0], start, self.config.pairs, self.threads, progress)
            return WordVectors(initial.index_to_key, vectors)
        association = self.mining.association
        chosen = select_instances(association, self._instance_settings(instances), self.threads, progress)
        used = np.unique(np.concatenate([chosen.left, chosen.right])).astype(np.int32)
        matrix = pattern_matrix(association, self.mining.pairs, used, self.threads, progress)
        checkpoint = work / "checkpoint.safetensors"
        vectors, _ = train(start, chosen, matrix, self.config.training, checkpoint, self.threads, progress)
        return WordVectors(initial.index_to_key, vectors)
