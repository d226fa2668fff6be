"""The settings of the coherence of pairs."""

from dataclasses import dataclass, field

from relrep.errors import RelrepError


@dataclass(frozen=True)
class CoherenceSettings:
    """Which pairs are held against each other, how their neighbours are found, and how far words move.

    >>> CoherenceSettings(n_neighbours=0)
    Traceback (most recent call last):
    relrep.errors.RelrepError: n_neighbours is 0; give a whole number of 1 or more
    """

    n_words: int = field(default=60_000, metadata={"help": "pairs are made of the so many most frequent words"})
    whitening: float = field(
        default=0.25,
        metadata={"help": "where the text speaks for it, principal variances λ become λ^(1 - 2 · this) (0: never)"},
    )
    min_meetings: int = field(default=15, metadata={"help": "the words of a pair must meet in so many sentences"})
    min_pmi: float = field(default=3.5, metadata={"help": "and e to this power times as often as by chance"})
    n_pairs: int = field(default=80_000, metadata={"help": "keep so many pairs, the richest in distinct patterns"})
    min_pattern_pairs: int = field(default=20, metadata={"help": "a pattern must stand between so many pairs"})
    rank: int = field(default=150, metadata={"help": "dimensions of a profile after the SVD"})
    svd_iterations: int = field(default=3, metadata={"help": "rounds of subspace iteration for the SVD"})
    n_neighbours: int = field(default=20, metadata={"help": "neighbours of a pair"})
    type_weight: float = field(
        default=0.7, metadata={"help": "weight of the likeness of words beside that of patterns, for neighbours"}
    )
    similarity_power: float = field(
        default=2.0, metadata={"help": "a neighbour's weight is the cosine of profiles to this power"}
    )
    coherence_power: float = field(default=6.0, metadata={"help": "confidence grows with coherence to this power"})
    damping: float = field(default=0.1, metadata={"help": "confidence that a word needs to move half of its way"})
    step: float = field(default=0.5, metadata={"help": "the share of its way that a word moves"})
    spelling: bool = field(
        default=True, metadata={"help": "let affix rules of the vocabulary join pairs too (walk, walked)"}
    )
    spelling_min_pairs: int = field(default=50, metadata={"help": "an affix rule must join so many pairs"})
    spelling_step: float = field(default=0.5, metadata={"help": "the share of its way that a word moves for spelling"})
    spelling_coherence_power: float = field(
        default=6.0, metadata={"help": "confidence in spelling grows with coherence to this power"}
    )
    rounds: int = field(default=1, metadata={"help": "how often text and spelling take their steps"})

    def __post_init__(self) -> None:
        for name in (
            "n_words", "min_meetings", "n_pairs", "min_pattern_pairs", "rank", "svd_iterations",
            "n_neighbours", "spelling_min_pairs", "rounds",
        ):  # fmt: skip
            if getattr(self, name) < 1:
                raise RelrepError(f"{name} is {getattr(self, name)}; give a whole number of 1 or more")
        for name in ("type_weight", "similarity_power", "coherence_power", "spelling_coherence_power"):
            if getattr(self, name) < 0:
                raise RelrepError(f"{name} is {getattr(self, name)}; give 0 or more")
        if not self.damping > 0:
            raise RelrepError(f"damping is {self.damping}; give a number above 0")
        if not 0 <= self.whitening <= 0.5:
            raise RelrepError(
                f"whitening is {self.whitening}; give a number from 0 (none) to 0.5 (all variances alike)"
            )
        for name in ("step", "spelling_step"):
            if not 0 < getattr(self, name) <= 1:
                raise RelrepError(f"{name} is {getattr(self, name)}; give a number above 0, at most 1")
