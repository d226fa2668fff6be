"""Whether bytes are text at all: what is mostly no text is refused before it becomes words."""

import codecs

from relrep.errors import RelrepError

HEAD_BYTES = 1 << 16
"""So much of the beginning of a source is looked at."""
MOST_INVALID, MOST_CONTROLS = 0.25, 0.1
"""Such shares of bytes that are invalid UTF-8, or control characters, are no text; of French in Latin-1, 4 to 15 % are
invalid, and of random bytes half."""
_CONTROLS = bytes(set(range(32)) - set(b"\t\n\v\f\r")) + b"\x7f"
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


def _is_utf_16(head: bytes) -> bool:
    """Whether it says so, or has zeros in every other byte, as Latin letters have in UTF-16."""
    fewer, more = sorted((head[::2].count(0), head[1::2].count(0)))
    return head.startswith(_UTF_16) or (more > len(head) / 4 and fewer < len(head) / 20)
