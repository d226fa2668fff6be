"""Sentences and tokens, slowly and readably: what the kernel `relrep.text._kernels.tokenise` must agree with.

Every character has a class (relrep.text.tokenizer), written here as one sign; the rules are then regular expressions
over the signs of a text, and one decision about each gap between two words.
"""

import re
from dataclasses import dataclass
from itertools import pairwise

from relrep.text._kernels import tokenise as kernel
from relrep.text.tokenizer import (
    MAX_WORD_BYTES,
    NEVER,
    NOT_BEFORE_DIGIT,
    STARTERS,
    UNLESS_STARTER,
    class_table,
    lower_of,
    spellings,
)

_SIGNS = {
    kernel.SPACE: " ",
    kernel.LOWER: "a",
    kernel.UPPER: "A",
    kernel.LETTER: "x",
    kernel.DIGIT: "0",
    kernel.HYPHEN: "-",
    kernel.APOSTROPHE: "'",
    kernel.LINE_BREAK: "\n",
    kernel.FULL_STOP: ".",
    kernel.EXCLAMATION: "!",
    kernel.HARD_STOP: "|",
    kernel.PUNCTUATION: ",",
    kernel.INVISIBLE: "_",
}
_PIECE = re.compile(r"[^\n|]*[\n|]?")  # what a line break or a hard stop closes
_TOKEN = re.compile(r"[aAx0]+(?:[-'][aAx0]+)*|[-'.!,|]")
_NEVER, _UNLESS_STARTER, _NOT_BEFORE_DIGIT, _STARTERS = (
    {spelling for word in words for spelling in spellings(word)}
    for words in (NEVER, UNLESS_STARTER, NOT_BEFORE_DIGIT, STARTERS)
)


@dataclass(frozen=True)
class _Token:
    """A token: its spelling, the signs of its characters, and where it stands."""

    spelling: str
    signs: str
    start: int
    stop: int

    @property
    def is_word(self) -> bool:
        return self.signs[0] in "aAx0"


def given_tokens(text: str) -> list[list[str]]:
    """The sentences of a text whose tokens are given: a line each, cut at white space; a too long token is empty.

    >>> given_tokens("New_York|NP ,|P l'été!\\n\\nb")
    [['New_York|NP', ',|P', "l'été!"], ['b']]
    """
    lines = [line.split() for line in text.splitlines()]
    return [[token if len(token.encode()) <= MAX_WORD_BYTES else "" for token in line] for line in lines if line]


def sentences(text: str, lowercase: bool = True, punctuation: bool = False) -> list[list[str]]:
    """The sentences of a text as lists of tokens; a token too long to be a word is an empty string.

    >>> sentences("Mr. Fox met J. R. Hare. He ran 3.5 km in the U.S. The end.")
    [['mr', 'fox', 'met', 'j', 'r', 'hare'], ['he', 'ran', '3', '5', 'km', 'in', 'the', 'u', 's'], ['the', 'end']]
    """
    classes = class_table()
    text = "".join(character for character in text if classes[ord(character)] != kernel.INVISIBLE)
    signs = "".join(_SIGNS[int(classes[ord(character)])] for character in text)
    result: list[list[_Token]] = []
    for piece in _PIECE.finditer(signs):
        tokens = [
            _Token(_folded(text[match.start() : match.end()], lowercase), match.group(), match.start(), match.end())
            for match in _TOKEN.finditer(signs, piece.start(), piece.end())
        ]
        result.extend(_cut(text, signs, tokens, piece.start()))
    shown = [[token.spelling for token in sentence if token.is_word or punctuation] for sentence in result]
    return [sentence for sentence in shown if sentence]


def _folded(token: str, lowercase: bool) -> str:
    classes = class_table()
    token = "".join(
        {kernel.HYPHEN: "-", kernel.APOSTROPHE: "'"}.get(
            int(classes[ord(character)]), lower_of(character) if lowercase else character
        )
        for character in token
    )
    return token if len(token.encode()) <= MAX_WORD_BYTES else ""


def _cut(text: str, signs: str, tokens: list[_Token], start: int) -> list[list[_Token]]:
    """Cuts the tokens of a piece at the spaces where sentences end."""
    nothing = _Token("", "", start, start)
    words = [nothing, *(token for token in tokens if token.is_word)]
    cuts: list[int] = []
    ending = ""  # what a stop before a reference mark ("so it was.[1] Then") means
    for word, following in pairwise(words):
        gap = signs[word.stop : following.start]
        stop = max(gap.rfind("."), gap.rfind("!"))
        if stop >= 0:
            ending = _meaning(word, gap, stop)
            rest = word.stop + stop + 1
        else:
            rest = word.stop
        space = signs.find(" ", rest, following.start)
        if ending and space >= 0 and _begins(following, ending, signs):
            cuts.append(space)
        brackets = re.findall(r"[\[\]]", ("[" if ending and stop < 0 else "") + text[rest : following.start])
        in_reference = space < 0 and following.signs[0] == "0" and brackets[-1:] == ["["]
        if not in_reference:
            ending = ""
    edges = [-1, *cuts, len(text)]
    return [[token for token in tokens if after < token.start < before] for after, before in pairwise(edges)]


def _meaning(word: _Token, gap: str, stop: int) -> str:
    """What the last stop of the gap behind a word means for the sentence."""
    if gap[stop] == "!" or stop > 0:
        return "ends"
    if word.signs in ("a", "A", "x"):
        return "" if word.signs == "a" and word.spelling in _NEVER else "ends before a starter"
    if word.spelling in _NEVER:
        return ""
    if word.spelling in _UNLESS_STARTER:
        return "ends before a starter"
    return "ends, but not before a digit" if word.spelling in _NOT_BEFORE_DIGIT else "ends"


def _begins(word: _Token, ending: str, signs: str) -> bool:
    """Whether a sentence begins with this word, after a stop of that meaning and a space."""
    if ending == "ends before a starter":
        initial = signs[word.stop : word.stop + 1] == "."
        return word.signs[0] == "A" and word.spelling in _STARTERS and not initial
    return word.signs[0] != "a" and not (word.signs[0] == "0" and ending == "ends, but not before a digit")
