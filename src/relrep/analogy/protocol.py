"""The protocol: every choice that changes a score and must therefore stand beside it."""

from dataclasses import dataclass
from typing import Any

from relrep.errors import RelrepError

MEASURES = {"cosadd": "CosAdd", "cosmult": "CosMult", "pairdiff": "PairDiff"}
"""The measures that read nothing but the vectors, and how they are written."""
GIVEN_MEASURES = {"pairboth": "PairBoth"}
"""Those that read nothing but the vectors, too, but are for given pairs only (SAT, SemEval)."""
ALL_MEASURES = {**MEASURES, **GIVEN_MEASURES}
READS_CORPUS = "†"
"""Marks the titles of measures that read a corpus at query time."""
OOV_RULES = ("wrong", "skip")
CASE_RULES = ("auto", "lower", "keep")


@dataclass(frozen=True)
class Protocol:
    """How questions are put and counted.

    `candidates`: where open questions look for d: "all" words, the distinct "answers" of the set, or the first n words.
    `oov`: a question that cannot be answered for an unknown word is "wrong" (the paper's rule) or left out ("skip").
    `case`: words are looked up as written and else in lower case ("auto"), in "lower" case, or as written ("keep").
    `multiword`: an unknown term of several words is the mean of its words' unit vectors.

    >>> Protocol(candidates=30_000).candidates_in_words
    'the first 30,000 words'
    """

    candidates: str | int = "all"
    oov: str = "wrong"
    case: str = "auto"
    multiword: bool = False
    measures: tuple[str, ...] = tuple(ALL_MEASURES)

    def __post_init__(self) -> None:
        if isinstance(self.candidates, int):
            if self.candidates < 1:
                raise RelrepError(f"candidates is {self.candidates}; the first n words need n of at least 1")
        elif self.candidates not in ("all", "answers"):
            raise RelrepError(f"candidates is {self.candidates!r}; it must be 'all', 'answers' or a number of words")
        if self.oov not in OOV_RULES:
            raise RelrepError(f"oov is {self.oov!r}; it must be one of {', '.join(OOV_RULES)}")
        if self.case not in CASE_RULES:
            raise RelrepError(f"case is {self.case!r}; it must be one of {', '.join(CASE_RULES)}")
        unknown = [name for name in self.measures if name not in ALL_MEASURES]
        if unknown or not self.measures:
            raise RelrepError(f"measures are {', '.join(unknown) or 'none'}; choose from {', '.join(ALL_MEASURES)}")

    @property
    def open_measures(self) -> tuple[str, ...]:
        """The measures that can look for d among candidates."""
        return tuple(name for name in self.measures if name in MEASURES)

    @property
    def candidates_in_words(self) -> str:
        """The candidate set as a table's caption says it."""
        if isinstance(self.candidates, int):
            return f"the first {self.candidates:,} words"
        return {"all": "all words", "answers": "the answer words of the set"}[self.candidates]

    @property
    def rules(self) -> dict[str, Any]:
        """The rules that hold for every set."""
        return {"oov": self.oov, "case": self.case, "multiword": "mean" if self.multiword else "unknown"}

    @property
    def rules_in_words(self) -> str:
        """The same for a table's caption."""
        several = "; terms of several words: mean" if self.multiword else ""
        return f"unknown words: {'wrong' if self.oov == 'wrong' else 'skipped'}; case: {self.case}{several}"
