"""relrep as one of the systems compared: mined once, then trained from any vectors with any number of instances."""

from dataclasses import asdict, fields, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from relrep.association import Association, AssociationSettings, associate
from relrep.corpus.encoded import EncodedCorpus
from relrep.errors import RelrepError
from relrep.instances import InstanceSettings, select_instances
from relrep.mining import MiningSettings, Pairs, mine
from relrep.progress import ProgressCallback, ignore
from relrep.training.pattern_matrix import pattern_matrix
from relrep.training.settings import TrainingSettings
from relrep.training.trainer import train
from relrep.vectors import WordVectors

KINDS: dict[str, type[Any]] = {
    "mining": MiningSettings,
    "association": AssociationSettings,
    "instances": InstanceSettings,
    "training": TrainingSettings,
}
FROM_OUTSIDE = ("dim", "init")
"""What the vectors that relrep starts from decide."""


class RelrepSystem:
    """Trains relrep on one corpus; mining and weighing are done when first needed and serve all trainings.

    `changes` has settings by their names, such as {"n_patterns": 2000, "iterations": 5}.
    """

    def __init__(
        self,
        corpus: EncodedCorpus,
        folder: Path,
        changes: dict[str, Any],
        seed: int = 1,
        threads: int = 1,
        memory: int = 4 << 30,
    ) -> None:
        self.corpus = corpus
        self.folder = folder
        self.threads = threads
        self.memory = memory
        self.progress: ProgressCallback = ignore
        known = {field.name: part for part, kind in KINDS.items() for field in fields(kind)}
        unknown = next((name for name in changes if name not in known or name in FROM_OUTSIDE), None)
        if unknown is not None:
            raise RelrepError(f"relrep has no setting {unknown!r} here; choose among {', '.join(sorted(known))}")
        chosen = {"seed": seed, **changes}
        parts = {
            part: kind(**{name: value for name, value in chosen.items() if known[name] == part})
            for part, kind in KINDS.items()
        }
        self.mining: MiningSettings = parts["mining"]
        self.association: AssociationSettings = parts["association"]
        self.instances: InstanceSettings = parts["instances"]
        self.training: TrainingSettings = parts["training"]

    def settings(self, instances: int | None) -> dict[str, Any]:
        """All settings of a training with so many instances (None: as configured)."""
        parts = (self.mining, self.association, self._instance_settings(instances), self.training)
        described = {name: value for part in parts for name, value in asdict(part).items()}
        return {name: value for name, value in described.items() if name not in FROM_OUTSIDE}

    def _instance_settings(self, instances: int | None) -> InstanceSettings:
        if instances is None:
            return self.instances
        return replace(self.instances, positives=(instances + 1) // 2, negatives=instances // 2)

    def train(self, initial: WordVectors, instances: int | None, progress: ProgressCallback) -> WordVectors:
        """The trained vectors, a row for each word of the vocabulary."""
        self.progress = progress
        pairs, association = self._mined
        chosen = select_instances(association, self._instance_settings(instances), self.threads, progress)
        used = np.unique(np.concatenate([chosen.left, chosen.right]))
        matrix = pattern_matrix(association, pairs, used, self.threads)
        start = np.asarray(initial.vectors, dtype=np.float32)
        vectors, _ = train(start, chosen, matrix, self.training, None, self.threads, progress)
        return WordVectors(initial.index_to_key, vectors)

    @cached_property
    def _mined(self) -> tuple[Pairs, Association]:
        mined = mine(self.corpus, self.mining, self.folder / "mined", self.memory, self.threads, self.progress)
        if not len(mined.patterns):
            raise RelrepError(
                f"no pattern joins any pair that co-occurs in {self.mining.min_pair_sentences} sentences; "
                "give more text or a smaller min_pair_sentences"
            )
        weights = associate(
            mined.counts,
            mined.patterns.occurrences,
            self.association,
            self.folder / "association",
            self.threads,
            self.progress,
        )
        return mined.pairs, weights
