"""The settings of mining, and what the miner selects by them: bound pairs, or the paper's frequent ones."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from relrep.errors import RelrepError
from relrep.mining.stop_words import resolve_stop_words

PATTERN_KINDS = ("unigram", "bigram", "midfix")
MAX_GAP = 15
PAPER = {"objective": "paper"}
"""Marks the settings that only the paper's objective has."""
PairRule = Literal["bound", "sentences"]
"""Which pairs are mined: content words that meet more often than by chance, or any that meet often (the paper's)."""

LEAST_MEETINGS = 5
"""Fewer, and chance has its say (benchmarks/relation_search.py)."""


@dataclass(frozen=True)
class Selection:
    """Which word pairs the miner keeps, and which lexical patterns between their words.

    "sentences": ordered pairs in at least `min_sentences` sentences, not both stop words (§ 3.1). "bound": both orders
    of the pairs of content words that meet in so many sentences and e^min_pmi times as often as by chance.
    """

    pairs: PairRule
    min_sentences: int
    min_pmi: float
    max_gap: int
    n_patterns: int
    pattern_kinds: tuple[str, ...]
    both_directions: bool
    stop_words: str

    @property
    def reach(self) -> int:
        """How far from its first word the second word of a pair may stand."""
        return self.max_gap + 1

    def for_text(self, n_tokens: int, words: Sequence[str]) -> "Selection":
        """This, with the stop words that "auto" stands for, and as many meetings as the text asks for if 0.

        With the cube root of the text, so that 129 M tokens ask for 8 and 2 billion for 20: little text keeps the pairs
        it has, much text does not keep those of chance.

        >>> [MiningSettings().bound.for_text(n, ["the"]).min_sentences for n in (10**6, 129 * 10**6, 2 * 10**9)]
        [5, 8, 20]
        """
        meetings = self.min_sentences or max(LEAST_MEETINGS, round(8 * (n_tokens / 129e6) ** (1 / 3)))
        return replace(self, min_sentences=meetings, stop_words=resolve_stop_words(self.stop_words, words))


@dataclass(frozen=True)
class MiningSettings:
    """Which word pairs are mined, and which lexical patterns between their words.

    >>> MiningSettings().bound.n_patterns, MiningSettings().paper.min_sentences
    (30000, 50)
    """

    max_gap: int = field(default=5, metadata={"help": "at most so many tokens between the words of a pair"})
    stop_words: str = field(
        default="auto",
        metadata={
            "help": "words of grammar: auto (those of the language, guessed from the most frequent words), a language "
            "(english, french …), frequent (the 100 most frequent words), none, or a file with one word a line"
        },
    )
    min_meetings: int = field(
        default=0,
        metadata={"help": "the words of a bound pair meet in so many sentences (0: 5, and more in over 40 M tokens)"},
    )
    min_pmi: float = field(default=2.5, metadata={"help": "and e to this power times as often as by chance"})
    bound_patterns: int = field(
        default=30_000, metadata={"help": "keep so many patterns of bound pairs, the most frequent ones"}
    )
    min_pair_sentences: int = field(
        default=50, metadata={**PAPER, "help": "paper: a pair must co-occur in so many sentences", "metavar": "N"}
    )
    n_patterns: int = field(
        default=10_000, metadata={**PAPER, "help": "paper: keep so many patterns, the most frequent ones"}
    )
    pattern_kinds: tuple[str, ...] = field(
        default=("unigram", "bigram"),
        metadata={
            **PAPER,
            "help": "paper: what counts as a pattern: unigram, bigram, midfix (the whole text in between)",
        },
    )
    both_directions: bool = field(
        default=False,
        metadata={**PAPER, "help": "paper: let v … u support (u, v) too, with a pattern marked as reversed"},
    )

    def __post_init__(self) -> None:
        object.__setattr__(self, "pattern_kinds", tuple(self.pattern_kinds))
        least = {"min_meetings": 0, "min_pair_sentences": 1, "bound_patterns": 2, "n_patterns": 2}
        for name, number in least.items():
            if getattr(self, name) < number:
                raise RelrepError(f"{name} is {getattr(self, name)}; give {number} or more")
        if not 1 <= self.max_gap <= MAX_GAP:
            raise RelrepError(f"max_gap is {self.max_gap}; give a number from 1 to {MAX_GAP}")
        unknown = [kind for kind in self.pattern_kinds if kind not in PATTERN_KINDS]
        if unknown or not self.pattern_kinds:
            raise RelrepError(f"pattern_kinds is {list(self.pattern_kinds)}; choose among {', '.join(PATTERN_KINDS)}")

    @property
    def bound(self) -> Selection:
        """Bound pairs in both orders, with all kinds of patterns between them: what the relation table holds."""
        return Selection(
            "bound", self.min_meetings, self.min_pmi, self.max_gap, self.bound_patterns, PATTERN_KINDS, False,
            self.stop_words,
        )  # fmt: skip

    @property
    def paper(self) -> Selection:
        """The paper's pairs and patterns (§ 3.1)."""
        return Selection(
            "sentences", self.min_pair_sentences, 0.0, self.max_gap, self.n_patterns, self.pattern_kinds,
            self.both_directions, self.stop_words,
        )  # fmt: skip
