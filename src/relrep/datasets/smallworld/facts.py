"""The facts of the small world: the tables of `data/tables`, with inflected forms and other fields added.

Records stand in falling order of how often the text speaks of them.
"""

from itertools import zip_longest

from relrep.datasets.smallworld.data import read_data
from relrep.datasets.smallworld.inflection import (
    adverb,
    comparative,
    gerund,
    past_tense,
    plural,
    superlative,
    third_person,
)
from relrep.datasets.smallworld.tables import Record, Table

_HE = ("he", "him", "his", "himself", "man", "boy")
_SHE = ("she", "her", "her", "herself", "woman", "girl")
_NOT_GROWN_UP = {"boy", "son", "brother", "nephew", "grandson", "prince"}
_PLACES_ON = {"farm", "hillside", "moor", "savannah"}


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
