"""Whether bytes are text at all: what is mostly no text is refused before it becomes words."""

import codecs
import re
from collections.abc import Iterable

from relrep.errors import RelrepError

LEAST_TOKENS = 500
"""Fewer tokens do not tell of a script that spaces are missing."""
HEAD_BYTES = 1 << 16
"""So much of the beginning of a source is looked at."""
MOST_INVALID, MOST_CONTROLS = 0.25, 0.1
"""Such shares of bytes that are invalid UTF-8, or control characters, are no text; of French in Latin-1, 4 to 15 % are
invalid, and of random bytes half."""
_CONTROLS = bytes(set(range(32)) - set(b"\t\n\v\f\r")) + b"\x7f"
_NO_SPACES = re.compile(
    "[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]"
)
"""Thai and Lao, Burmese, Khmer, kana and ideographs."""
_UTF_16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)


def require_text(data: memoryview, name: str) -> None:
    """A RelrepError where the beginning of a source is mostly no text.

    >>> require_text(memoryview(b"One bad byte: \\xff."), "notes.txt")
    """
    head = bytes(data[:HEAD_BYTES])
    invalid = len(head) - len(head.decode("utf-8", errors="ignore").encode())
    controls = len(head) - len(head.translate(None, _CONTROLS))
    too_many = invalid > MOST_INVALID * len(head) or controls > MOST_CONTROLS * len(head)
    if not too_many and not head.startswith(_UTF_16):
        return
    what = "looks like UTF-16" if _is_utf_16(head) else "is mostly no text (invalid UTF-8 or control characters)"
    raise RelrepError(f"{name}: {what}; convert it to UTF-8, leave it out, or read it all the same with --force-text")


def require_spaces(words: Iterable[tuple[str, int]], name: str) -> None:
    """A RelrepError where most of the tokens (words with their counts) are of scripts that put no spaces between words.

    >>> require_spaces([("東京都", 1), ("tokyo", 2)], "notes.txt")
    """
    without = total = 0
    for word, count in words:
        total += count
        without += count * bool(_NO_SPACES.match(word))
    if 2 * without > total >= LEAST_TOKENS:
        raise RelrepError(
            f"{name}: this script (Chinese, Japanese, Thai …) puts no spaces between words; segment the text "
            "first (with jieba, fugashi, PyThaiNLP …) and read it with --tokens whitespace"
        )


def _is_utf_16(head: bytes) -> bool:
    """Whether it says so, or has zeros in every other byte, as Latin letters have in UTF-16."""
    fewer, more = sorted((head[::2].count(0), head[1::2].count(0)))
    return head.startswith(_UTF_16) or (more > len(head) / 4 and fewer < len(head) / 20)
