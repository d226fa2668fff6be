"""Words that the model does not know, and what may have been meant."""

import difflib
from bisect import bisect_left
from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from relrep.errors import RelrepError
from relrep.vectors.spellings import closest_spellings

_SUGGESTIONS = 4
_SHORT = 6
"""All that is two edits away from a longer word is too much to try while somebody waits."""
_COMPARED = 1500


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
    (['ostrich', 'ostriches'], ['ostrich', 'ostriches'])
    """

    def __init__(self, words: Sequence[str]) -> None:
        self._place_of = {word: at for at, word in enumerate(words)}
        order = sorted(range(len(words)), key=words.__getitem__)
        self._sorted = [words[at] for at in order]
        self._ids: NDArray[np.int64] = np.array(order, dtype=np.int64)
        self._words = words

    def completions(self, prefix: str, n: int) -> list[str]:
        """The `n` most frequent words that begin with `prefix`; the word itself comes first if it is one."""
        ids = self._beginning_with(prefix)
        if len(ids) > n:
            ids = np.partition(ids, n - 1)[:n]
        found = [self._words[at] for at in np.sort(ids).tolist()]
        if prefix in self._place_of:
            found = [prefix, *(word for word in found if word != prefix)][:n]
        return found

    def closest(self, word: str) -> list[str]:
        """The closest spellings of an unknown word, the likeliest first."""
        low = word.lower()
        if len(low) <= _SHORT:
            return closest_spellings(low, self._place_of, _SUGGESTIONS)
        ids = np.sort(self._beginning_with(low[:2]))
        near = [w for w in map(self._words.__getitem__, ids.tolist()) if abs(len(w) - len(low)) <= 2]
        return difflib.get_close_matches(low, near[:_COMPARED], _SUGGESTIONS, cutoff=0.7)

    def _beginning_with(self, prefix: str) -> NDArray[np.int64]:
        first = bisect_left(self._sorted, prefix)
        last = bisect_left(self._sorted, prefix + "\U0010ffff")
        return self._ids[first:last]
