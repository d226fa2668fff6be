"""Unknown words: the closest spellings in the vocabulary."""

import difflib
from collections.abc import Sequence

from relrep.corpus.vocabulary import Vocabulary
from relrep.errors import RelrepError

_LETTERS = "abcdefghijklmnopqrstuvwxyz'-"


def suggestions(vocabulary: Vocabulary, word: str, n: int = 3) -> list[str]:
    """Up to `n` known words spelt like `word`: one letter away, else much alike; the frequent ones first.

    >>> import numpy as np
    >>> suggestions(Vocabulary(["bird", "bard", "birch"], np.array([9, 5, 1])), "birdd")
    ['bird']
    """
    known = vocabulary.id_of
    variants = dict.fromkeys([word.lower(), word.capitalize(), word.upper(), *_one_edit_away(word.lower())])
    near = sorted({known[variant] for variant in variants if variant in known})
    if near:
        return [vocabulary.words[index] for index in near[:n]]
    alike = [w for w in vocabulary.words if w[:1] == word[:1] and abs(len(w) - len(word)) <= 2]
    return difflib.get_close_matches(word, alike[:_MOST_COMPARED], n, cutoff=0.75)


_MOST_COMPARED = 5_000
"""The most frequent words of that beginning and length: comparing them takes some tens of milliseconds."""


def _one_edit_away(word: str) -> Sequence[str]:
    cuts = [(word[:at], word[at:]) for at in range(len(word) + 1)]
    letters = sorted({*_LETTERS, *word})
    found = [left + right[1:] for left, right in cuts if right]
    found += [left + right[1] + right[0] + right[2:] for left, right in cuts if len(right) > 1]
    found += [left + letter + right[1:] for left, right in cuts if right for letter in letters]
    found += [left + letter + right for left, right in cuts for letter in letters]
    return found


def known_id(vocabulary: Vocabulary, word: str) -> int:
    """A word's id; where it is unknown, a RelrepError that names words spelt alike."""
    index = vocabulary.id_of.get(word)
    if index is None:
        alike = suggestions(vocabulary, word)
        hint = f"did you mean {' or '.join(alike)}?" if alike else "try another word"
        raise RelrepError(f"the word {word!r} is not in the model's vocabulary; {hint}")
    return index
