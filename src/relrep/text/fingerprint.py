"""The fingerprint of a text: the same however the text is cut into blocks, and whoever reads which of them."""

from dataclasses import dataclass

import numpy as np

from relrep.text._kernels.text_hash import BASES, PRIME, hash_lines


@dataclass(frozen=True)
class TextHash:
    """The hash of some lines of text; the hashes of texts in a row add up to that of the whole.

    >>> TextHash.of(b"a\\nb\\n") + TextHash.of(b"c\\n") == TextHash.of(b"a\\nb\\nc\\n")
    True
    """

    first: int = 0
    second: int = 0
    lines: int = 0

    @classmethod
    def of(cls, data: bytes | memoryview) -> "TextHash":
        """The hash of text that ends with a line break."""
        return cls(*map(int, hash_lines(np.frombuffer(data, dtype=np.uint8)))) if len(data) else cls()

    def __add__(self, other: "TextHash") -> "TextHash":
        first, second = (
            (own * pow(base, other.lines, PRIME) + following) % PRIME
            for own, following, base in zip((self.first, self.second), (other.first, other.second), BASES, strict=True)
        )
        return TextHash(first, second, self.lines + other.lines)

    def hexdigest(self) -> str:
        """32 hexadecimal digits."""
        return f"{self.first:016x}{self.second:016x}"
