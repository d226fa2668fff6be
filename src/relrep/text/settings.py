"""The settings of reading a corpus."""

from dataclasses import dataclass

from relrep.core.settings import Settings, one_of, setting, whole


@dataclass(frozen=True)
class CorpusSettings(Settings):
    """How text becomes tokens, and which of them are words of the vocabulary."""

    tokens: str = setting(
        "words",
        "words (by relrep's rules) or whitespace (of text that has been tokenised: as it is, a sentence a line)",
        one_of(("words", "whitespace")),
    )
    elisions: bool = setting(False, "an apostrophe ends a word, as in French and Italian (l'homme is l and homme)")
    lowercase: bool = setting(True, "lower-case all words (--tokens whitespace: never)")
    punctuation: bool = setting(
        False,
        "keep punctuation as tokens: they may stand in patterns, never in pairs (--tokens whitespace: always)",
    )
    min_count: int = setting(5, "words seen less often are unknown", whole(1))
    max_words: int = setting(0, "keep only the most frequent words (0: all)", whole(0))
    force_text: bool = setting(False, "read also what is mostly no text (invalid UTF-8, control characters)")
