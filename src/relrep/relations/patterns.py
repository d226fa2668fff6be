"""Finding patterns by their text, and pairs by their patterns."""

import difflib
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from relrep.errors import RelrepError
from relrep.relations.store import Relations


def matching_patterns(
    relations: Relations, text: str, kind: str | None = None, is_reversed: bool | None = None
) -> list[int]:
    """The ids of the patterns written `text`, the most frequent first; a RelrepError where there is none."""
    wanted = " ".join(text.split())
    found = [
        pattern
        for (p_kind, p_reversed), pattern in relations.ids_by_text.get(wanted, {}).items()
        if kind in (None, p_kind) and is_reversed in (None, p_reversed)
    ]
    if not found:
        alike = similar_texts(relations, wanted)
        hint = f"did you mean {' or '.join(repr(t) for t in alike)}?" if alike else "try a more frequent one"
        raise RelrepError(f"the pattern {wanted!r} is not among the model's patterns; {hint}")
    return sorted(found, key=lambda pattern: (-int(relations.occurrences[pattern]), pattern))


def similar_texts(relations: Relations, text: str, n: int = 3) -> list[str]:
    """Up to `n` patterns with words of `text` in them, the most alike first."""
    words = set(text.split())
    sharing = [known for known in relations.ids_by_text if words & set(known.split())]
    close = difflib.get_close_matches(text, sharing[:2000], n, cutoff=0.5)
    return close or difflib.get_close_matches(text, list(relations.ids_by_text)[:2000], n, cutoff=0.7)


def pairs_with_patterns(relations: Relations, patterns: Sequence[int]) -> NDArray[np.int64]:
    """The ids of the pairs with f > 0 for any of the patterns, rising."""
    held = relations.by_pattern
    found = [np.zeros(0, np.int32), *(held.pair[held.entries(pattern)] for pattern in patterns)]
    pairs = np.unique(np.concatenate(found)).astype(np.int64)
    return pairs[(pairs >= 0) & (pairs < relations.n_pairs)]  # a damaged file may name others
