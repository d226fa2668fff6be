"""Which known words look like an unknown one."""

from collections.abc import Iterator, Mapping

_LONGEST, _LONGEST_FOR_TWO_EDITS = 40, 14
_LETTERS = "abcdefghijklmnopqrstuvwxyz-'"


def closest_spellings(word: str, place_of: Mapping[str, int], count: int = 3) -> list[str]:
    """Up to `count` known words close in spelling, the likeliest first.

    Other cases come first, then words one edit away, then those two edits away; within each, the vocabulary's
    order, which is by frequency.

    >>> closest_spellings("quen", {"king": 0, "queen": 1, "Paris": 2})
    ['queen']
    """
    if not word or len(word) > _LONGEST:
        return []
    found: dict[str, None] = {}
    for near in (_other_cases, _one_edit_away, _two_edits_away):
        known = {other for other in near(word) if other in place_of} - {word, ""}
        found.update(dict.fromkeys(sorted(known, key=place_of.__getitem__)))
        if len(found) >= count:
            break
    return list(found)[:count]


def _other_cases(word: str) -> set[str]:
    return {word.lower(), word.capitalize(), word.upper(), word.title()}


def _one_edit_away(word: str) -> set[str]:
    """All strings that one letter less, more, changed or swapped makes of `word`."""
    letters = {*_LETTERS, *word}
    splits = [(word[:at], word[at:]) for at in range(len(word) + 1)]
    edits = {left + right[1:] for left, right in splits if right}
    edits |= {left + right[1] + right[0] + right[2:] for left, right in splits if len(right) > 1}
    edits |= {left + letter + right[1:] for left, right in splits if right for letter in letters}
    edits |= {left + letter + right for left, right in splits for letter in letters}
    return edits


def _two_edits_away(word: str) -> Iterator[str]:
    """Most of a short word is two edits from anything, and a long word has too many edits: neither is tried."""
    if 4 <= len(word) <= _LONGEST_FOR_TWO_EDITS:
        for other in _one_edit_away(word):
            yield from _one_edit_away(other)
