"""The settings of mining."""

from dataclasses import dataclass, field

from relrep.errors import RelrepError

PATTERN_KINDS = ("unigram", "bigram", "midfix")
MAX_GAP = 15


@dataclass(frozen=True)
class MiningSettings:
    """Which word pairs are mined, and which lexical patterns between their words."""

    min_pair_sentences: int = field(
        default=50, metadata={"help": "a pair must co-occur in so many sentences", "metavar": "N"}
    )
    max_gap: int = field(default=5, metadata={"help": "at most so many tokens between the words of a pair"})
    n_patterns: int = field(default=10_000, metadata={"help": "keep so many patterns, the most frequent ones"})
    pattern_kinds: tuple[str, ...] = field(
        default=("unigram", "bigram"),
        metadata={"help": "what counts as a pattern: unigram, bigram, midfix (the whole text in between)"},
    )
    both_directions: bool = field(
        default=False, metadata={"help": "let v … u support (u, v) too, with a pattern marked as reversed"}
    )
    stop_words: str = field(
        default="english", metadata={"help": "english, none, or a file with one word a line; two make no pair"}
    )

    def __post_init__(self) -> None:
        object.__setattr__(self, "pattern_kinds", tuple(self.pattern_kinds))
        if self.min_pair_sentences < 1:
            raise RelrepError(f"min_pair_sentences is {self.min_pair_sentences}; give 1 or more")
        if not 1 <= self.max_gap <= MAX_GAP:
            raise RelrepError(f"max_gap is {self.max_gap}; give a number from 1 to {MAX_GAP}")
        if self.n_patterns < 2:
            raise RelrepError(f"n_patterns is {self.n_patterns}; give 2 or more")
        unknown = [kind for kind in self.pattern_kinds if kind not in PATTERN_KINDS]
        if unknown or not self.pattern_kinds:
            raise RelrepError(f"pattern_kinds is {list(self.pattern_kinds)}; choose among {', '.join(PATTERN_KINDS)}")

    @property
    def reach(self) -> int:
        """How far from its first word the second word of a pair may stand."""
        return self.max_gap + 1
