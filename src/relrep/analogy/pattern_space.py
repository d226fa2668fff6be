"""The patterns that say something about how two words are related, and how much each of them says.

It is learnt once from pairs of the model, so that an answer never depends on what else is asked, and kept in the
model's folder.
"""

import contextlib
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from relrep.errors import RelrepError
from relrep.files import written_whole
from relrep.mapped import let_go
from relrep.model import Model
from relrep.progress import Progress, ProgressCallback, ignore
from relrep.relations.profiles import PairProfiles, ProfileMiner
from relrep.tensors import map_tensors, write_tensors
from relrep.training.pairs_profiles import (
    Basis,
    DirectedCounts,
    importance,
    learn_basis,
    number_as,
    number_patterns,
    unit_weights,
    weigh,
)

SPACE_FILE = "evidence.safetensors"
STEP = "what patterns say"
BACKGROUND_PAIRS = 10_000
"""The weights of patterns are learnt from about so many mined pairs of the model, evenly spread."""
MIN_PATTERN_PAIRS = 40
"""A pattern counts if it stands between so many of them (fewer, down to 3, where there are few pairs)."""
RANK, SVD_ITERATIONS, SEED = 150, 3, 1
"""Directions that profiles can be folded to, and how they are found."""
_VERSION = 1


@dataclass(frozen=True, eq=False)
class PatternSpace:
    """The patterns that count (codes, rising), what each says, how often each was seen, and the folding directions.

    `importance` is 1 − entropy over the background pairs, `totals` the sum of a pattern's counts over them.
    """

    codes: NDArray[np.int64]
    importance: NDArray[np.float64]
    totals: NDArray[np.float64]
    basis: Basis | None = None

    @classmethod
    def of(cls, model: Model, threads: int = 1, progress: ProgressCallback = ignore) -> "PatternSpace":
        """The space in the model's folder; it is learnt, and kept there if that is allowed, where there is none.

        A model is replaced as a whole folder, so a space that is there belongs to its text.
        """
        path = model.folder / SPACE_FILE
        kept = cls.open(path) if path.exists() else None
        if kept is not None:
            return kept
        learnt = cls.of_model(model, threads, progress)
        with contextlib.suppress(OSError, RelrepError):  # somebody else's model: the space serves this time
            learnt.write(path)
        return learnt

    @classmethod
    def of_model(cls, model: Model, threads: int = 1, progress: ProgressCallback = ignore) -> "PatternSpace":
        """The space learnt from a model's mined pairs."""
        relations, index = model.require_relations(), model.require_index()
        progress(Progress(STEP, 0, 1))
        pairs = np.column_stack([relations.u, relations.v])
        learnt = cls.learn(ProfileMiner(index, threads=threads, remembered=0), pairs)
        progress(Progress(STEP, 1, 1))
        return learnt

    @classmethod
    def learn(cls, miner: ProfileMiner, pairs: NDArray[np.integer], rank: int = RANK) -> "PatternSpace":
        """From background pairs, (u, v) rows: what a pattern says is judged by how unevenly it is spread over them."""
        stride = max(1, len(pairs) // BACKGROUND_PAIRS)
        mined = miner.mine(pairs[::stride])
        let_go(miner.index.tokens, miner.index.positions)
        least = min(MIN_PATTERN_PAIRS, max(3, len(mined) // 250))
        counts = number_patterns(mined.indptr, mined.keys, mined.counts, least)
        del mined  # it holds all patterns, most of them seen once
        totals = np.bincount(counts.keys >> 1, counts.counts, counts.n_patterns).astype(np.float64)
        space = cls(counts.codes, importance(counts), totals)
        if not (rank and counts.n_patterns):
            return space
        basis = learn_basis(counts, space.weigh(counts, "ppmi"), rank, SVD_ITERATIONS, SEED, miner.threads)
        return cls(space.codes, space.importance, space.totals, basis)

    def counts_of(self, profiles: PairProfiles) -> DirectedCounts:
        """Profiles in terms of the patterns that count."""
        return number_as(profiles.indptr, profiles.keys, profiles.counts, self.codes)

    def weigh(self, counts: DirectedCounts, weighting: Literal["entropy", "ppmi"]) -> NDArray[np.float32]:
        """Counts g as weights, rows at unit length.

        "entropy": log(1 + g) · (1 − entropy of the pattern); "ppmi": max(0, log(g N / (g_pair g_pattern))), where
        g_pair sums over the pair's patterns, and N and g_pattern over the background pairs.
        """
        if weighting == "entropy":
            return weigh(counts, self.importance)
        g = np.asarray(counts.counts, dtype=np.float64)
        n_rows = len(counts.ends) - 1
        row_of = np.repeat(np.arange(n_rows), np.diff(counts.ends))
        of_row = np.bincount(row_of, weights=g, minlength=n_rows)[row_of]
        ratio = g * float(self.totals.sum()) / (of_row * self.totals[counts.keys >> 1])
        return unit_weights(counts, np.log(np.maximum(ratio, 1)))

    def write(self, path: Path) -> None:
        """Keeps the space in a file."""
        tensors = {"version": np.array([_VERSION]), "codes": self.codes, "importance": self.importance}
        tensors["totals"] = self.totals
        if self.basis is not None:
            tensors |= {"even": self.basis.even, "odd": self.basis.odd}
        with written_whole(path) as part:
            write_tensors(part, tensors)

    @classmethod
    def open(cls, path: Path) -> "PatternSpace | None":
        """The space that `write` left; None where another version of relrep wrote it."""
        tensors = map_tensors(path)
        version = tensors.get("version")
        if version is None or version.tolist() != [_VERSION]:
            return None
        kinds = {"codes": np.int64, "importance": np.float64, "totals": np.float64}
        given = {name: tensors.get(name) for name in kinds}
        n = len(tensors["codes"]) if given["codes"] is not None and given["codes"].ndim == 1 else -1
        sound = all(
            each is not None and each.shape == (n,) and each.dtype == kinds[name] for name, each in given.items()
        )
        basis = Basis(tensors["even"], tensors["odd"]) if {"even", "odd"} <= tensors.keys() else None
        if basis is not None:
            sound &= all(
                part.ndim == 2 and len(part) == n and part.dtype == np.float32 for part in (basis.even, basis.odd)
            )
        if not sound or (np.diff(tensors["codes"]) <= 0).any():
            raise RelrepError(f"{path}: it does not hold what it should; remove it, and it is made anew")
        return cls(tensors["codes"], tensors["importance"], tensors["totals"], basis)
