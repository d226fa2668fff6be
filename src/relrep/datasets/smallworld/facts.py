"""The facts of the small world: tables in plain text (`data/tables`), read and mended at sight.

Records stand in falling order of how often the text speaks of them; every inflected form that a sentence asks for has a
field of its own. The euro has one beside the currencies: it is nobody's own, and no analogy is built on it.
"""

from collections.abc import Iterator
from functools import cache
from importlib.resources import files
from typing import NamedTuple

Value = str | tuple[str, ...] | None
"""A field: one spelling, several equally good ones, or unknown."""
Record = tuple[Value, ...]


def read_data(*path: str) -> str:
    """The text of one file of `data`; the file's ending .txt is left out.

    >>> read_data("tables", "numbers").split()[:4]
    ['cardinal', 'ordinal', 'two', 'second']
    """
    *folders, name = path
    return files(__package__).joinpath("data", *folders, f"{name}.txt").read_text(encoding="utf-8")


class Table(NamedTuple):
    """Records under named fields.

    >>> animals = Table.parse('''
    ... animal  young   food
    ... dog     puppy   bones;meat
    ... spider  -       flies
    ... ''')
    >>> animals.records[0]
    ('dog', 'puppy', ('bones', 'meat'))
    >>> list(animals.pairs("animal", "young"))
    [('dog', 'puppy')]
    """

    fields: list[str]
    records: list[Record]

    @classmethod
    def parse(cls, text: str) -> "Table":
        """Read a table whose first line names the fields.

        Columns stand apart by blanks; `_` is a blank inside a value, `;` parts equally good values, and `-` is a
        missing one.
        """
        header, *rows = (line.split() for line in text.strip().splitlines())
        for row in rows:
            if len(row) != len(header):
                raise ValueError(f"expected {len(header)} columns ({' '.join(header)}), not {' '.join(row)!r}")
        return cls(header, [tuple(map(_value, row)) for row in rows])

    def pairs(self, first: str, second: str) -> Iterator[tuple[str, str]]:
        """Both fields of the records that have them, lower-cased; the first spelling where there are several."""
        places = self.fields.index(first), self.fields.index(second)
        for record in self.records:
            one, two = (value[0] if isinstance(value := record[place], tuple) else value for place in places)
            if one is not None and two is not None:
                yield one.lower(), two.lower()


def _value(cell: str) -> Value:
    values = tuple(cell.replace("_", " ").split(";"))
    return values if len(values) > 1 else None if cell == "-" else values[0]


@cache
def table(name: str) -> Table:
    """A table of the small world."""
    return Table.parse(read_data("tables", name))
