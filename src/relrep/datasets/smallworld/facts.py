"""The facts of the small world: tables in plain text (`data/tables`), with inflected forms and other fields added.

A table has one record a line, so that it can be read and mended at sight. Records stand in falling order of how often
the text speaks of them.
"""

from collections.abc import Callable, Iterator, Sequence
from importlib.resources import files
from itertools import zip_longest

from relrep.datasets.smallworld.inflection import (
    adverb,
    comparative,
    gerund,
    past_tense,
    plural,
    superlative,
    third_person,
)

Value = str | tuple[str, ...] | None
"""A field: one spelling, several equally good ones, or unknown."""
Record = tuple[Value, ...]
_HE = ("he", "him", "his", "himself", "man", "boy")
_SHE = ("she", "her", "her", "herself", "woman", "girl")
_NOT_GROWN_UP = {"boy", "son", "brother", "nephew", "grandson", "prince"}
_PLACES_ON = {"farm", "hillside", "moor", "savannah"}


def read_data(*path: str) -> str:
    """The text of one file of `data`; the file's ending .txt is left out.

    >>> read_data("tables", "numbers").split()[:4]
    ['cardinal', 'ordinal', 'two', 'second']
    """
    *folders, name = path
    return files(__package__).joinpath("data", *folders, f"{name}.txt").read_text(encoding="utf-8")


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


def _read(name: str) -> Table:
    return Table.parse(read_data("tables", name))


def _persons() -> list[Record]:
    """Women and men by turns: name, then the pronouns and nouns in the order of `grammar.PERSON_FIELDS`."""
    persons: list[Record] = []
    for her, him in _read("names").records:
        persons += [(her, *_SHE), (him, *_HE)]
    return persons


def _countries() -> Table:
    """The euro is nobody's own currency: it gets a field of its own, and no analogy is built on it."""
    table = _read("countries")
    currencies = table.column("currency")
    euro = [currency if currency == "euro" else None for currency in currencies]
    own = [None if currency == "euro" else currency for currency in currencies]
    return table.replace("currency", own).add("euro", euro)


def _where(haunt: str) -> str:
    return f"{'on' if haunt in _PLACES_ON else 'in'} the {haunt}"


def _roles(family: Table) -> Table:
    """One record for him and one for her, so that pronouns agree."""
    records: list[Record] = []
    for record in family.records:
        male, female, scene = str(record[0]), str(record[1]), record[2]
        for role, counterpart, (he, him, his, himself, man, _) in ((male, female, _HE), (female, male, _SHE)):
            # Nobody says: the girl was a tall woman.
            person = None if male in _NOT_GROWN_UP or role == man else man
            records.append((role, counterpart, male, female, he, him, his, himself, person, plural(role), scene))
    fields = "role counterpart male female he him his himself person roles scene"
    return Table(fields.split(), records)


def _agree(noun: str) -> str:
    return "are" if noun.endswith("s") and not noun.endswith("ss") else "is"


def _kinds(name: str) -> Table:
    """Members with their kinds, from lists that begin with the kind."""
    lists = [line.split() for line in read_data("tables", name).strip().splitlines()]
    # Column by column, so that every kind has frequent and rare members.
    columns = zip_longest(*(line[1:] for line in lists))
    records = [
        (member, kind[0], plural(kind[0]))
        for column in columns
        for member, kind in zip(column, lists, strict=True)
        if member is not None
    ]
    return Table(["member", "kind", "kinds"], records)


def _adjectives() -> Table:
    """Adjectives have an adverb where there is something that one can do in that manner."""
    table = (
        _read("adjectives")
        .derive("comparative", comparative, "adjective")
        .derive("superlative", superlative, "adjective")
        .derive("nouns", plural, "noun")
        .derive("adverb", adverb, "adjective")
    )
    manners = zip(table.column("adverb"), table.column("did"), strict=True)
    return table.replace("adverb", [manner if did is not None else None for manner, did in manners])


def _nouns(*tables: Table) -> Table:
    """Every countable noun with its plural: a few that are there for their own sake, then the other tables' ones."""
    table = _read("nouns")
    found = {record[0]: record for record in table.records}
    # Row by row, so that every table has frequent and rare nouns.
    for row in zip_longest(*(other.records for other in tables)):
        for record in row:
            if record is not None:
                found.setdefault(record[0], (record[0], None))
    return Table(table.fields, list(found.values())).derive("nouns", plural, "noun")


PERSONS = _persons()
COUNTRIES = _countries()
CITIES = _read("cities")
ANIMALS = (
    _read("animals")
    .derive("animals", plural, "animal")
    .derive("classes", plural, "class")
    .derive("youngs", plural, "young")
    .derive("where", _where, "haunt")
    .derive("sounds", third_person, "sound")
    .derive("sounded", past_tense, "sound")
    .derive("sounding", gerund, "sound")
    .derive("homes", plural, "home")
)
FAMILY = _read("family")
ROLES = _roles(FAMILY)
PROFESSIONS = _read("professions").derive("professions", plural, "profession")
TOOLS = (
    _read("tools")
    .fill("used", past_tense, "use")
    .derive("uses", third_person, "use")
    .derive("using", gerund, "use")
    .derive("tools", plural, "tool")
)
THINGS = _read("things").derive("things", plural, "thing").derive("parts", plural, "part")
PRODUCTS = _read("products").derive("is", _agree, "product").derive("are", _agree, "source")
COUNTABLE_KINDS = _kinds("countable").derive("members", plural, "member")
UNCOUNTABLE_KINDS = _kinds("uncountable")
VERBS = (
    _read("verbs")
    .fill("past", past_tense, "verb")
    .fill("participle", past_tense, "verb")
    .derive("verbs", third_person, "verb")
    .derive("doing", gerund, "verb")
    .blank("doing", "know", "hear")  # nobody is knowing anything
    .derive("agents", plural, "agent")
)
ADJECTIVES = _adjectives()
NEGATIVES = _read("negatives")
NUMBERS = _read("numbers")
NOUNS = _nouns(ANIMALS, THINGS)
