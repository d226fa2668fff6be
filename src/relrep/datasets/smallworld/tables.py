"""Tables of facts: plain text with one record a line, so that they can be read and mended at sight."""

from collections.abc import Callable, Iterator, Sequence

Value = str | tuple[str, ...] | None
"""A field: one spelling, several equally good ones, or unknown."""
Record = tuple[Value, ...]


class Table:
    """Records under named fields; its methods return new tables.

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

    def __init__(self, fields: Sequence[str], records: Sequence[Record]) -> None:
        self.fields = list(fields)
        self.records = list(records)

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

    def column(self, name: str) -> list[Value]:
        """One field of all records."""
        place = self.fields.index(name)
        return [record[place] for record in self.records]

    def add(self, name: str, values: Sequence[Value]) -> "Table":
        """With one more field."""
        records = [(*record, value) for record, value in zip(self.records, values, strict=True)]
        return Table([*self.fields, name], records)

    def replace(self, name: str, values: Sequence[Value]) -> "Table":
        """With other values of a field."""
        place = self.fields.index(name)
        return Table(
            self.fields,
            [
                (*record[:place], value, *record[place + 1 :])
                for record, value in zip(self.records, values, strict=True)
            ],
        )

    def derive(self, name: str, function: Callable[[str], str], source: str) -> "Table":
        """With a field computed from another one, and missing where that one is."""
        return self.add(name, [_map(function, value) for value in self.column(source)])

    def fill(self, name: str, function: Callable[[str], str], source: str) -> "Table":
        """With the gaps of a field filled by values computed from another one."""
        computed = [_map(function, value) for value in self.column(source)]
        return self.replace(name, [old or new for old, new in zip(self.column(name), computed, strict=True)])

    def blank(self, name: str, *keys: str) -> "Table":
        """Without the field in the records whose first field is one of the keys."""
        kept = zip(self.records, self.column(name), strict=True)
        return self.replace(name, [None if record[0] in keys else value for record, value in kept])

    def pairs(self, first: str, second: str) -> Iterator[tuple[str, str]]:
        """Both fields of the records that have them, lower-cased; the first spelling where there are several."""
        for one, two in zip(self.column(first), self.column(second), strict=True):
            if one is not None and two is not None:
                yield _first(one).lower(), _first(two).lower()


def _value(cell: str) -> Value:
    if cell == "-":
        return None
    values = tuple(cell.replace("_", " ").split(";"))
    return values if len(values) > 1 else values[0]


def _map(function: Callable[[str], str], value: Value) -> Value:
    if isinstance(value, tuple):
        return tuple(map(function, value))
    return None if value is None else function(value)


def _first(value: str | tuple[str, ...]) -> str:
    return value if isinstance(value, str) else value[0]
