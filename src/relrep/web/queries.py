"""What a line typed into the search box asks for: an analogy, a pair, a word, or a pattern."""

import re
from dataclasses import dataclass
from typing import Literal

from relrep.errors import RelrepError
from relrep.mining.stop_words import ENGLISH
from relrep.relations.store import Relations

Kind = Literal["analogy", "pair", "word", "pattern"]
LONGEST_QUERY = 200
_QUOTED = re.compile(r"^[\"“”„«»'‘](.+)[\"“”«»'’]$")
_LABEL = re.compile(r"^([XY]) +(…|\.\.\.)? *(.+?) *(…|\.\.\.)? +([XY])$")
_SIGNS = re.compile(r"(?:^|\s)(?:::?|\?|->|→|…)(?=\s|$)|(?<=\w)(?:::?|\?)(?=\s|$)")
_SENTENCE = re.compile(r"^(\S+) is to (\S+) as (\S+) is to\b", re.IGNORECASE)


@dataclass(frozen=True)
class PatternReading:
    """A pattern's text and which of its readings is meant; None where any will do."""

    text: str
    kind: str | None = None
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


def interpret(query: str, relations: Relations | None = None) -> Interpretation:
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
    known = relations is not None and line in relations.ids_by_text
    if len(words) == 1:
        return Interpretation("word", tuple(words), also=f'"{line}"' if known else None)
    if len(words) == 2:
        return Interpretation("pair", tuple(words), also=f'"{line}"' if known else None)
    if len(words) in (3, 4):
        return Interpretation("analogy", tuple(words[:3]), answer=words[3] if len(words) == 4 else None)
    raise RelrepError(
        "ask with one word, two for their relation, three for an analogy (man woman king ?), or a pattern in quotes"
    )


def _is_pattern(line: str, relations: Relations | None) -> bool:
    """Whether several words are meant as a pattern: a known one, with a small word in it."""
    return relations is not None and line in relations.ids_by_text and not ENGLISH.isdisjoint(line.split())


def _labelled(label: re.Match[str]) -> Interpretation:
    """A pattern written as it is shown: “X … such as … Y”, “Y is a X”."""
    left, dots, text, _, right = label.groups()
    if left == right:
        raise RelrepError("a pattern is written X … such as … Y, with one X and one Y")
    parts = "bigram" if " " in text else "unigram"
    return Interpretation("pattern", pattern=PatternReading(text, parts if dots else "midfix", left == "Y"))
