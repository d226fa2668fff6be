"""Abbreviations: what a full stop behind one of these words means; and the words that begin a sentence even so.

Single letters (initials, and so "U.S.", "Ph.D.", "World War I.") need no entry: they are as UNLESS_STARTER.
"""

from functools import cache

import numpy as np
from numpy.typing import NDArray

from relrep.text._kernels import tokenise as kernel
from relrep.text._kernels.word_keys import word_key


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


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


def spellings(word: str) -> tuple[str, str, str]:
    """How a word may be written.

    >>> spellings("inc")
    ('inc', 'Inc', 'INC')
    """
    return word, word.capitalize(), word.upper()


@cache
def abbreviation_table() -> tuple[NDArray[np.uint64], NDArray[np.int64]]:
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
