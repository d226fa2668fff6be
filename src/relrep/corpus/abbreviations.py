"""Abbreviations: a full stop behind one of these does not end the sentence.

Single letters (initials, and so "U.S.", "e.g.", "Ph.D.") need no entry: they never end one.
"""

from functools import cache

import numpy as np
from numpy.typing import NDArray

from relrep.kernels import tokenise as kernel

NEVER_ENDS = frozenset(
    [
        "mr",
        "mrs",
        "ms",
        "messrs",
        "mme",
        "mlle",
        "dr",
        "prof",
        "rev",
        "hon",
        "st",
        "ste",
        "sr",
        "jr",
        "gen",
        "col",
        "maj",
        "capt",
        "cpt",
        "lt",
        "cmdr",
        "adm",
        "sgt",
        "cpl",
        "pvt",
        "gov",
        "sen",
        "rep",
        "pres",
        "supt",
        "det",
        "insp",
        "fr",
        "br",
        "msgr",
        "bp",
        "abp",
        "esq",
        "mt",
        "ft",
        "vs",
        "cf",
        "viz",
        "ca",
        "approx",
        "est",
        "dept",
        "univ",
        "assn",
        "bros",
        "corp",
        "inc",
        "ltd",
        "co",
        "bldg",
        "ave",
        "blvd",
        "rd",
        "hwy",
        "jan",
        "feb",
        "mar",
        "apr",
        "jun",
        "jul",
        "aug",
        "sept",
        "sep",
        "oct",
        "nov",
        "dec",
        "al",
        "ed",
        "eds",
        "trans",
        "repr",
        "ibid",
        "op",
        "cit",
        "ph",
        "phd",
        "dr-ing",
        "bzw",
        "usw",
        "herr",
        "sra",
        "srta",
    ]
)
"""Titles, months, company forms and the like."""

NOT_BEFORE_DIGIT = frozenset(
    [
        "no",
        "nos",
        "nr",
        "vol",
        "vols",
        "pp",
        "pg",
        "fig",
        "figs",
        "ch",
        "chap",
        "sec",
        "sect",
        "art",
        "par",
        "para",
        "eq",
        "eqs",
        "tab",
        "op",
        "opp",
        "bk",
        "pt",
        "ser",
    ]
)
"""These end a sentence as any word does, but not where a number follows: "No. 5"."""


@cache
def abbreviation_table() -> tuple[NDArray[np.uint64], NDArray[np.int64]]:
    """Sorted keys of the abbreviations (lower case and capitalised) and what each does."""
    entries: dict[int, int] = {}
    for words, kind in (
        (NOT_BEFORE_DIGIT, kernel.NOT_BEFORE_DIGIT),
        (NEVER_ENDS, kernel.NEVER_ENDS),
    ):
        for word in words:
            for spelling in (word, word.capitalize(), word.upper()):
                data = np.frombuffer(spelling.encode(), dtype=np.uint8)
                entries[int(kernel.word_key(data))] = kind
    keys = np.array(sorted(entries), dtype=np.uint64)
    kinds = np.array([entries[int(key)] for key in keys], dtype=np.int64)
    return keys, kinds
