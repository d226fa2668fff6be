"""What a line typed into the search box asks for (an analogy, a pair, a word, a pattern), and how words are spelled."""

import re
from bisect import bisect_left
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from relrep.core.arrays import Longs
from relrep.errors import RelrepError
from relrep.mining.stop_words import load_stop_words
from relrep.model.relations import RelationTable
from relrep.vectors.word_vectors import closest_spellings

Kind = Literal["analogy", "pair", "word", "pattern"]
LONGEST_QUERY = 200
_QUOTED = re.compile(r"^[\"“”„«»'‘](.+)[\"“”«»'’]$")
_LABEL = re.compile(r"^([XY]) +(…|\.\.\.)? *(.+?) *(…|\.\.\.)? +([XY])$")
_SIGNS = re.compile(r"(?:^|\s)(?:::?|\?|->|→|…)(?=\s|$)|(?<=\w)(?:::?|\?)(?=\s|$)")
_SENTENCE = re.compile(r"^(\S+) is to (\S+) as (\S+) is to\b", re.IGNORECASE)
_SUGGESTIONS = 4


@dataclass(frozen=True)
class PatternReading:
    """A pattern's text and which of its readings is meant; None where any will do."""

    text: str
    is_whole: bool | None = None
    is_reversed: bool | None = None


@dataclass(frozen=True)
class Interpretation:
    """What a query asks for.

    `words` are those of an analogy (a, b, c), a pair, or a word; `answer` is a fourth word of an analogy, whose
    place is of interest. `also` is another query that asks for the other thing the line could have meant.
    """

    kind: Kind
    words: tuple[str, ...] = ()
    answer: str | None = None
    pattern: PatternReading | None = None
    also: str | None = None


def interpret(query: str, relations: RelationTable | None = None) -> Interpretation:
    """Reads a query.

    >>> interpret("man woman king ?").words, interpret("ostrich : bird").kind, interpret("“such as”").pattern.text
    (('man', 'woman', 'king'), 'pair', 'such as')
    """
    line = " ".join(query.split())
    if not line or len(line) > LONGEST_QUERY:
        raise RelrepError(f"a question has between 1 and {LONGEST_QUERY} characters; this one has {len(line)}")
    if quoted := _QUOTED.match(line):
        return Interpretation("pattern", pattern=PatternReading(" ".join(quoted[1].split())))
    if label := _LABEL.match(line):
        return _labelled(label)
    if sentence := _SENTENCE.match(line):
        return Interpretation("analogy", sentence.groups())
    words = _SIGNS.sub(" ", line).split()
    is_marked = words != line.split()
    if not is_marked and len(words) > 1 and _is_pattern(line, relations):
        also = " : ".join(words) if len(words) == 2 else None
        return Interpretation("pattern", pattern=PatternReading(line), also=also)
    known = relations is not None and bool(relations.written(line))
    if len(words) == 1:
        return Interpretation("word", tuple(words), also=f'"{line}"' if known else None)
    if len(words) == 2:
        return Interpretation("pair", tuple(words), also=f'"{line}"' if known else None)
    if len(words) in (3, 4):
        return Interpretation("analogy", tuple(words[:3]), answer=words[3] if len(words) == 4 else None)
    raise RelrepError(
        "ask with one word, two for their relation, three for an analogy (man woman king ?), or a pattern in quotes"
    )


def _is_pattern(line: str, relations: RelationTable | None) -> bool:
    """Whether several words are meant as a pattern: a known one, with a small word in it."""
    return (
        relations is not None
        and bool(relations.written(line))
        and not load_stop_words("english").isdisjoint(line.lower().split())
    )


def _labelled(label: re.Match[str]) -> Interpretation:
    """A pattern written as it is shown: “X … such as … Y”, “Y is a X”."""
    left, dots, text, _, right = label.groups()
    if left == right:
        raise RelrepError("a pattern is written X … such as … Y, with one X and one Y")
    return Interpretation("pattern", pattern=PatternReading(text, not dots, left == "Y"))


class UnknownWordsError(RelrepError):
    """Words without a vector, each with the closest spellings."""

    def __init__(self, suggestions: Mapping[str, Sequence[str]]) -> None:
        self.suggestions = {word: tuple(close) for word, close in suggestions.items()}
        named = " and ".join(f"“{word[:40]}”" for word in self.suggestions)
        verb = "is" if len(self.suggestions) == 1 else "are"
        super().__init__(f"{named} {verb} not in the model's vocabulary; try another spelling or a more frequent word")


class Spellings:
    """The words of a vocabulary sorted by spelling: for completing what is typed, and for what may have been meant.

    >>> spellings = Spellings(["the", "ostrich", "ostriches", "osier"])
    >>> spellings.completions("ost", 2), spellings.closest("ostritsch")
    (['ostrich', 'ostriches'], ['ostrich'])
    """

    def __init__(self, words: Sequence[str]) -> None:
        self._row_of = {word: at for at, word in enumerate(words)}
        order = sorted(range(len(words)), key=words.__getitem__)
        self._sorted = [words[at] for at in order]
        self._ids: Longs = np.array(order, dtype=np.int64)
        self._words = words

    def completions(self, prefix: str, n: int) -> list[str]:
        """The `n` most frequent words that begin with `prefix`; the word itself comes first if it is one."""
        ids = self._ids[bisect_left(self._sorted, prefix) : bisect_left(self._sorted, prefix + "\U0010ffff")]
        if len(ids) > n:
            ids = np.partition(ids, n - 1)[:n]
        found = [self._words[at] for at in np.sort(ids).tolist()]
        if prefix in self._row_of:
            found = [prefix, *(word for word in found if word != prefix)][:n]
        return found

    def closest(self, word: str) -> list[str]:
        """The closest spellings of an unknown word, the likeliest first."""
        return closest_spellings(word, self._row_of, _SUGGESTIONS)
