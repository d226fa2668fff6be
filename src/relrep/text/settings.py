"""The settings of reading a corpus."""

from dataclasses import dataclass, field

from relrep.errors import RelrepError


@dataclass(frozen=True)
class CorpusSettings:
    """How text becomes tokens, and which of them are words of the vocabulary."""

    lowercase: bool = field(default=True, metadata={"help": "lower-case all words"})
    punctuation: bool = field(
        default=False,
        metadata={"help": "keep punctuation as tokens: they may stand in patterns, never in pairs"},
    )
    min_count: int = field(default=5, metadata={"help": "words seen less often are unknown"})
    max_words: int = field(default=0, metadata={"help": "keep only the most frequent words (0: all)"})

    def __post_init__(self) -> None:
        if self.min_count < 1:
            raise RelrepError(f"min_count is {self.min_count}; give a whole number of 1 or more")
        if self.max_words < 0:
            raise RelrepError(f"max_words is {self.max_words}; give 0 for all words, or how many to keep")
