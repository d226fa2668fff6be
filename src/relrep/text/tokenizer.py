"""Text to tokens: sentences of words, as numbers local to one block of text; what characters and abbreviations mean."""

import unicodedata
from functools import cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from relrep.core.arrays import Ints, Longs
from relrep.text._kernels import tokenise as kernel
from relrep.text._kernels.words import word_key
from relrep.text.encoded import SENTENCE_END
from relrep.text.settings import CorpusSettings

MAX_WORD_BYTES = 200
"""A longer token is noise (encoded data, a missing space a page long): it keeps its place but is no word."""
_FIRST_SLOTS = 1 << 19
"""A block of usual text has about a hundred thousand different words."""
NO_PAGES: Longs = np.zeros((0, 2), dtype=np.int64)
_HYPHENS = "-\u2010\u2011"
_APOSTROPHES = "'\u2019"
_LINE_BREAKS = "\n\r\x0b\x0c\x85\u2028\u2029"
_SEPARATORS = "\x1c\x1d\x1e"  # end lines, too, as Python sees it
_EXCLAMATIONS = "!?\u2026\u203d\u2047\u2048\u2049"
_HARD_STOPS = "\u3002\uff01\uff1f\uff61\u0964\u0965\u06d4"
_JOINERS = "\u200c\u200d"  # part of the spelling in Persian and the scripts of India
_PLANES_WITH_DETAILS, _PLANES_OF_LETTERS = 0x20000, 0x40000
"""Below the first as Unicode tells; then ideographs (letters without case); above the second tags and private use."""
_CATEGORIES = {
    **{"Ll": kernel.LOWER, "Lu": kernel.UPPER, "Lt": kernel.UPPER, "L": kernel.LETTER, "M": kernel.LETTER},
    **{"N": kernel.DIGIT, "P": kernel.PUNCTUATION, "S": kernel.PUNCTUATION, "Cf": kernel.INVISIBLE},
}
"""The classes of Unicode's categories, or of their first letters."""


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


# Abbreviations: what a full stop behind one of these words means; and the words that begin a sentence even so. Single
# letters (initials, and so "U.S.", "Ph.D.", "World War I.") need no entry: they are as UNLESS_STARTER.
NEVER = _words("vs cf viz ca e g v")
"""The sentence goes on, whatever follows: "Reds vs. The Rest". Of the letters only the small ones: "e.g.", "i.e."."""

UNLESS_STARTER = _words(
    """
    mr mrs ms messrs mme mlle dr drs prof rev fr br msgr hon st ste sr jr snr jnr esq ven bp abp herr sra srta
    gen brig col maj capt cpt cmdr comdr adm lt lieut sgt cpl pvt supt det insp gov sen sens rep reps pres amb atty asst
    jan feb mar apr jun jul aug sep sept oct nov dec
    bros co corp inc ltd dept univ assn assoc inst mfg
    mt ft ave blvd rd hwy bldg sq
    ed eds trans repr al ibid op cit approx est lit pl sp spp subsp
    vol vols fig figs pp nos rs
    ph phd dr-ing bzw usw
    """
)
"""The sentence goes on, unless a starter follows: "Apple Inc. The company", but "Apple Inc. Chairman"."""

NOT_BEFORE_DIGIT = _words("no nr pg ch chap sec sect art par para eq eqs tab opp bk pt ser tel ext")
"""These end a sentence as any word does, but not where a number follows: "No. 5"."""

STARTERS = _words(
    """
    a an the this that these those he she it they we you his her its their our my
    in on at by for from with to as of after before during since until under upon over through throughout between within
    without despite unlike due
    when while where if because although though however but and also thus therefore then there here
    some many most several such each another both all one two what how why
    according following later today once meanwhile instead
    """
)
"""Words that begin sentences, and are no one's name."""


class TokenBlock(NamedTuple):
    """One block of text as local ids: `ids` numbers the words of this block; sentences are closed by SENTENCE_END.

    The spelling of word i is `text[starts[i]:starts[i + 1]]`; it occurs `counts[i]` times; `keys[i]` is its hash.
    """

    ids: Ints
    text: NDArray[np.uint8]
    starts: Longs
    counts: Longs
    keys: NDArray[np.uint64]

    def words(self) -> list[str]:
        """The spellings, by local id."""
        data = self.text.tobytes()
        return [data[a:b].decode() for a, b in zip(self.starts[:-1], self.starts[1:], strict=True)]

    def sentences(self) -> list[list[str]]:
        """The sentences as words; a token too long to be a word is an empty string."""
        words = self.words()
        result: list[list[str]] = [[]]
        for local in self.ids.tolist():
            if local == SENTENCE_END:
                result.append([])
            else:
                result[-1].append(words[local] if local >= 0 else "")
        return result[:-1]


class Tokeniser:
    """Tokenises blocks one after the other in the same memory: a result holds until the next call."""

    def __init__(self, settings: CorpusSettings) -> None:
        keys, flags = abbreviation_table()
        classes, lower = class_table(settings.tokens, settings.elisions), lower_table(lowers(settings))
        self._rules = kernel.Rules(classes, lower, keys, flags, settings.punctuation, MAX_WORD_BYTES)
        self._table = np.zeros(0, dtype=np.uint64)
        self._allocate(1 << 10)

    def _allocate(self, size: int) -> None:
        # For the worst case (a letter may be longer in lower case); what is not written to takes no memory.
        self._size = size
        self._out = TokenBlock(
            ids=np.empty(2 * size + 2, dtype=np.int32),
            text=np.empty(2 * size + 16, dtype=np.uint8),
            starts=np.empty(size + 2, dtype=np.int64),
            counts=np.empty(size + 2, dtype=np.int64),
            keys=np.empty(size + 2, dtype=np.uint64),
        )

    def __call__(self, data: bytes | memoryview, pages: Longs = NO_PAGES) -> TokenBlock:
        """The tokens of a block of valid UTF-8 text that ends with a line break.

        The first column of `pages` tells where pages of it end; the second is filled with the ids up to there.
        """
        block = np.frombuffer(data, dtype=np.uint8)
        if len(block) > self._size:
            self._allocate(len(block))
        slots = min(_FIRST_SLOTS, 1 << (2 * len(block)).bit_length())
        while True:
            if len(self._table) < 2 * slots:
                self._table = np.zeros(2 * slots, dtype=np.uint64)
            table = self._table[: 2 * slots]
            table[:] = 0
            n_ids, n_words = kernel.tokenise(block, self._rules, self._out, table, pages)
            if n_words >= 0:
                break
            slots *= 4
        ids, text, starts, counts, keys = self._out
        return TokenBlock(ids[:n_ids], text[: starts[n_words]], starts[: n_words + 1], counts[:n_words], keys[:n_words])


def tokenise(text: str, settings: CorpusSettings) -> TokenBlock:
    """The tokens of a piece of text.

    >>> tokenise("Dr. Ó Briain's well-known cat sat. It left.", CorpusSettings()).sentences()
    [['dr', 'ó', "briain's", 'well-known', 'cat', 'sat'], ['it', 'left']]
    """
    return Tokeniser(settings)(text.encode("utf-8", errors="replace") + b"\n")


def class_of(character: str, tokens: str = "words", elisions: bool = False) -> int:
    """The class of one character, as the tokeniser sees it under these settings.

    Where tokens are given ("whitespace"), all is a letter but white space and line breaks, as Python tells them.

    >>> class_of("é") == kernel.LOWER, class_of("7") == kernel.DIGIT, class_of(",") == kernel.PUNCTUATION
    (True, True, True)
    """
    if tokens == "whitespace":
        if character in _LINE_BREAKS + _SEPARATORS:
            return kernel.LINE_BREAK
        return kernel.SPACE if character.isspace() else kernel.LETTER
    if elisions and character in _APOSTROPHES:
        return kernel.PUNCTUATION
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
    if ord(character) >= _PLANES_WITH_DETAILS:
        return kernel.LETTER if ord(character) < _PLANES_OF_LETTERS else kernel.SPACE
    category = unicodedata.category(character)
    return _CATEGORIES.get(category, _CATEGORIES.get(category[0], kernel.SPACE))


def lower_of(character: str) -> str:
    """One character lower-cased, by Unicode's simple mapping: İ is i, without the second dot of the full one.

    >>> lower_of("Ó"), lower_of("İ")
    ('ó', 'i')
    """
    return character.lower()[0]


def lowers(settings: CorpusSettings) -> bool:
    """Whether words are lower-cased: tokens that are given stay as they are."""
    return settings.lowercase and settings.tokens == "words"


@cache
def class_table(tokens: str = "words", elisions: bool = False) -> NDArray[np.uint8]:
    """The class of every code point."""
    table = np.full(0x110000, class_of(chr(0x10FFFF), tokens), dtype=np.uint8)
    for code in range(_PLANES_WITH_DETAILS):
        table[code] = class_of(chr(code), tokens, elisions)
    table[_PLANES_WITH_DETAILS:_PLANES_OF_LETTERS] = kernel.LETTER
    return table


def classes_of(text: str, settings: CorpusSettings) -> NDArray[np.uint8]:
    """The class of each character of a text: of the few that occur in it, without the table of all."""
    codes, where = np.unique(np.frombuffer(text.encode("utf-32-le"), dtype=np.uint32), return_inverse=True)
    classes = [class_of(chr(code), settings.tokens, settings.elisions) for code in codes.tolist()]
    return np.array(classes, dtype=np.uint8)[where]


@cache
def lower_table(lowercase: bool) -> Ints:
    """What every code point becomes in a token."""
    table = np.arange(0x110000, dtype=np.int32)
    if lowercase:
        for code in range(_PLANES_WITH_DETAILS):
            table[code] = ord(lower_of(chr(code)))
    return table


def spellings(word: str) -> tuple[str, str, str]:
    """How a word may be written."""
    return word, word.capitalize(), word.upper()


@cache
def abbreviation_table() -> tuple[NDArray[np.uint64], Longs]:
    """Sorted keys of all these words in all spellings, and what each does: flags that the kernel knows."""
    entries: dict[int, int] = {}
    for words, flag in (
        (NEVER, kernel.NEVER),
        (UNLESS_STARTER, kernel.UNLESS_STARTER),
        (NOT_BEFORE_DIGIT, kernel.NOT_BEFORE_DIGIT),
        (STARTERS, kernel.STARTER),
    ):
        for word in words:
            for spelling in spellings(word):
                data = np.frombuffer(spelling.encode(), dtype=np.uint8)
                key = int(word_key(data))
                entries[key] = entries.get(key, 0) | flag
    keys = np.array(sorted(entries), dtype=np.uint64)
    return keys, np.array([entries[int(key)] for key in keys], dtype=np.int64)
