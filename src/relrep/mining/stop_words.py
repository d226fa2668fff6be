"""Stop words: of a language, from a file, or the most frequent words of the text itself."""

from collections.abc import Sequence
from functools import cache
from importlib.resources import files
from pathlib import Path

from relrep.errors import RelrepError

LANGUAGES = ("english", "dutch", "french", "german", "italian", "portuguese", "spanish", "turkish")
"""Languages whose stop words come with relrep, as data/<language>.txt."""
AUTO, FREQUENT, NONE = "auto", "frequent", "none"
N_FREQUENT = 100
"""So many words of a text whose language is not known stand in for its stop words."""
_LOOKED_AT, _LEAST_SHARE, _LEAST_MATCHES = 50, 0.2, 3
"""A language is taken for the text's if its stop words are such a share of so many most frequent words."""


def load_stop_words(name: str, words: Sequence[str] = ()) -> frozenset[str]:
    """The stop words of this name: a language, `none`, a file with one word a line, or `frequent`.

    `words` are those of the text by falling frequency; "frequent" are the first hundred of them, at most a twentieth.

    >>> "the" in load_stop_words("english"), len(load_stop_words("none"))
    (True, 0)
    """
    if name == NONE:
        return frozenset()
    if name == FREQUENT:
        return frozenset(_spelt(words, min(N_FREQUENT, len(words) // 20)))
    if name in LANGUAGES:
        return _of_language(name)
    try:
        return _lines(Path(name).read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError) as error:
        known = ", ".join((AUTO, FREQUENT, NONE, *LANGUAGES))
        sentence = f"{name}: the stop words cannot be read ({error}); give {known}, or a text file"
        raise RelrepError(sentence) from error


def resolve_stop_words(name: str, words: Sequence[str]) -> str:
    """What "auto" stands for in a text with these words, by falling frequency: its language, or "frequent".

    >>> resolve_stop_words("auto", ["der", "die", "und", "katze"]), resolve_stop_words("auto", ["ku", "ta", "mi"])
    ('german', 'frequent')
    """
    if name != AUTO:
        return name
    first = _spelt(words, _LOOKED_AT)
    shares = {language: len(_of_language(language) & set(first)) for language in LANGUAGES}
    best = max(shares, key=lambda language: shares[language])
    return best if shares[best] >= max(_LEAST_MATCHES, _LEAST_SHARE * len(first)) else FREQUENT


def _spelt(words: Sequence[str], n: int) -> list[str]:
    """The first `n` that are spelt with letters alone."""
    spelt = (word for word in words if word.isalpha())
    return [word for word, _ in zip(spelt, range(n), strict=False)]


@cache
def _of_language(language: str) -> frozenset[str]:
    return _lines((files("relrep.mining") / "data" / f"{language}.txt").read_text(encoding="utf-8"))


def _lines(text: str) -> frozenset[str]:
    return frozenset(line.strip() for line in text.splitlines() if line.strip())
