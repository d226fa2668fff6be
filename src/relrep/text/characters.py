"""Which characters make words, end sentences or count as punctuation, and how they are lower-cased."""

import unicodedata
from functools import cache

import numpy as np
from numpy.typing import NDArray

from relrep.text._kernels import tokenise as kernel

_HYPHENS = "-\u2010\u2011"
_APOSTROPHES = "'\u2019"
_LINE_BREAKS = "\n\r\x0b\x0c\x85\u2028\u2029"
_EXCLAMATIONS = "!?\u2026\u203d\u2047\u2048\u2049"
_HARD_STOPS = "\u3002\uff01\uff1f\uff61\u0964\u0965\u06d4"
_JOINERS = "\u200c\u200d"  # part of the spelling in Persian and the scripts of India
_PLANES_WITH_DETAILS = 0x20000  # above: ideographs (letters without case), tags and private use


def class_of(character: str) -> int:
    """The class of one character, as the tokeniser sees it.

    >>> class_of("é") == kernel.LOWER, class_of("7") == kernel.DIGIT, class_of(",") == kernel.PUNCTUATION
    (True, True, True)
    """
    for characters, kind in (
        (_HYPHENS, kernel.HYPHEN),
        (_APOSTROPHES, kernel.APOSTROPHE),
        (_LINE_BREAKS, kernel.LINE_BREAK),
        (".", kernel.FULL_STOP),
        (_EXCLAMATIONS, kernel.EXCLAMATION),
        (_HARD_STOPS, kernel.HARD_STOP),
        (_JOINERS, kernel.LETTER),
    ):
        if character in characters:
            return kind
    category = unicodedata.category(character)
    if category == "Ll":
        return kernel.LOWER
    if category in ("Lu", "Lt"):
        return kernel.UPPER
    if category[0] in "LM":
        return kernel.LETTER
    if category[0] == "N":
        return kernel.DIGIT
    if category[0] in "PS":
        return kernel.PUNCTUATION
    if category == "Cf":
        return kernel.INVISIBLE
    return kernel.SPACE


def lower_of(character: str) -> str:
    """One character lower-cased; characters whose lower case is longer than one stay as they are."""
    lowered = character.lower()
    return lowered if len(lowered) == 1 else character


@cache
def class_table() -> NDArray[np.uint8]:
    """The class of every code point."""
    table = np.full(0x110000, kernel.SPACE, dtype=np.uint8)
    for code in range(_PLANES_WITH_DETAILS):
        table[code] = class_of(chr(code))
    table[_PLANES_WITH_DETAILS:0x40000] = kernel.LETTER
    return table


@cache
def lower_table(lowercase: bool) -> NDArray[np.int32]:
    """What every code point becomes in a token."""
    table = np.arange(0x110000, dtype=np.int32)
    if lowercase:
        for code in range(_PLANES_WITH_DETAILS):
            table[code] = ord(lower_of(chr(code)))
    return table
