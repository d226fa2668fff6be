"""What the paragraphs of the small world are about."""

from dataclasses import dataclass

from relrep.datasets.smallworld import facts
from relrep.datasets.smallworld.data import read_data
from relrep.datasets.smallworld.tables import Table


@dataclass(frozen=True)
class Topic:
    """A table of facts, the file with the sentences that speak of them, and the topic's share of the paragraphs."""

    name: str
    table: Table
    weight: int

    @property
    def sentences(self) -> list[str]:
        """The templates, one a line."""
        return read_data("sentences", self.name).splitlines()


TOPICS = (
    Topic("countries", facts.COUNTRIES, 28),
    Topic("cities", facts.CITIES, 8),
    Topic("animals", facts.ANIMALS, 18),
    Topic("roles", facts.ROLES, 9),
    Topic("professions", facts.PROFESSIONS, 10),
    Topic("tools", facts.TOOLS, 8),
    Topic("things", facts.THINGS, 9),
    Topic("products", facts.PRODUCTS, 5),
    Topic("countable_kinds", facts.COUNTABLE_KINDS, 8),
    Topic("uncountable_kinds", facts.UNCOUNTABLE_KINDS, 4),
    Topic("verbs", facts.VERBS, 24),
    Topic("adjectives", facts.ADJECTIVES, 19),
    Topic("negatives", facts.NEGATIVES, 6),
    Topic("numbers", facts.NUMBERS, 2),
    Topic("nouns", facts.NOUNS, 11),
)
