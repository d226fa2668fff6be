"""Whether bytes are text at all: what is mostly no text is refused before it becomes words."""

import codecs

from relrep.errors import RelrepError

HEAD_BYTES = 1 << 16
"""So much of the beginning of a source is looked at."""
MOST_STRANGE = 0.1
"""Of the bytes of text hardly any are invalid UTF-8 or control characters; of French in Latin-1 four in a hundred."""
_CONTROLS = bytes(set(range(32)) - set(b"\t\n\v\f\r")) + b"\x7f"
_UTF_16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)


def strange_share(data: bytes) -> float:
    r"""The share of bytes that are invalid UTF-8 or control characters.

    >>> strange_share("Où est-il ?".encode()), strange_share(b"ab\x00\xff")
    (0.0, 0.5)
    """
    kept = data.decode("utf-8", errors="ignore").encode().translate(None, _CONTROLS)
    return 1 - len(kept) / max(1, len(data))


def require_text(data: memoryview, name: str) -> None:
    """A RelrepError where the beginning of a source is mostly no text."""
    head = bytes(data[:HEAD_BYTES])
    if strange_share(head) <= MOST_STRANGE and not head.startswith(_UTF_16):
        return
    what = "looks like UTF-16" if _is_utf_16(head) else "is mostly no text (invalid UTF-8 or control characters)"
    raise RelrepError(f"{name}: {what}; convert it to UTF-8, leave it out, or read it all the same with --force-text")


def _is_utf_16(head: bytes) -> bool:
    """Whether it says so, or has zeros in every other byte, as Latin letters have in UTF-16."""
    fewer, more = sorted((head[::2].count(0), head[1::2].count(0)))
    return head.startswith(_UTF_16) or (more > len(head) / 4 and fewer < len(head) / 20)
