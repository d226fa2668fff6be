"""The relations of the small world: word pairs that its sentences join, all lower-case single tokens."""

from collections.abc import Iterable

from relrep.datasets.smallworld.facts import (
    ADJECTIVES,
    ANIMALS,
    CITIES,
    COUNTABLE_KINDS,
    COUNTRIES,
    FAMILY,
    NEGATIVES,
    NOUNS,
    NUMBERS,
    PRODUCTS,
    PROFESSIONS,
    THINGS,
    TOOLS,
    UNCOUNTABLE_KINDS,
    VERBS,
)
from relrep.datasets.smallworld.tables import Table

Pair = tuple[str, str]

_SEMANTIC: dict[str, tuple[tuple[Table, str, str], ...]] = {
    "capital-country": ((COUNTRIES, "capital", "country"),),
    "country-currency": ((COUNTRIES, "country", "currency"),),
    "country-language": ((COUNTRIES, "country", "language"),),
    "city-in-region": ((CITIES, "city", "region"),),
    "family": ((FAMILY, "male", "female"),),
    "animal-class": ((ANIMALS, "animal", "class"),),
    "animal-young": ((ANIMALS, "animal", "young"),),
    "animal-sound": ((ANIMALS, "animal", "sound"),),
    "animal-home": ((ANIMALS, "animal", "home"),),
    "profession-workplace": ((PROFESSIONS, "profession", "workplace"),),
    "profession-tool": ((PROFESSIONS, "profession", "tool"),),
    "tool-use": ((TOOLS, "tool", "use"),),
    "thing-material": ((THINGS, "thing", "material"),),
    "part-whole": ((THINGS, "part", "thing"),),
    "product-source": ((PRODUCTS, "product", "source"),),
    "member-kind": ((COUNTABLE_KINDS, "member", "kind"), (UNCOUNTABLE_KINDS, "member", "kind")),
    "opposites": ((ADJECTIVES, "adjective", "opposite"),),
    "cardinal-ordinal": ((NUMBERS, "cardinal", "ordinal"),),
}
_SYNTACTIC: dict[str, tuple[tuple[Table, str, str], ...]] = {
    "gram1-adjective-to-adverb": ((ADJECTIVES, "adjective", "adverb"),),
    "gram2-opposite": ((NEGATIVES, "positive", "negative"),),
    "gram3-comparative": ((ADJECTIVES, "adjective", "comparative"),),
    "gram4-superlative": ((ADJECTIVES, "adjective", "superlative"),),
    "gram5-present-participle": ((VERBS, "verb", "doing"),),
    "gram6-nationality-adjective": ((COUNTRIES, "country", "adjective"),),
    "gram7-past-tense": ((VERBS, "doing", "past"),),
    "gram8-plural": ((NOUNS, "noun", "nouns"),),
    "gram9-plural-verbs": ((VERBS, "verb", "verbs"),),
    "gram10-past-participle": ((VERBS, "verb", "participle"),),
    "gram11-agent": ((VERBS, "verb", "agent"),),
}


def pairs() -> dict[str, list[Pair]]:
    """Every relation with its pairs, the frequent ones first; the syntactic relations' names begin with "gram".

    >>> pairs()["capital-country"][:2]
    [('paris', 'france'), ('tokyo', 'japan')]
    >>> pairs()["gram8-plural"][0]
    ('child', 'children')
    """
    return {name: _join(sources) for name, sources in (_SEMANTIC | _SYNTACTIC).items()}


def _join(sources: Iterable[tuple[Table, str, str]]) -> list[Pair]:
    """The pairs of several tables, each once, without those whose words are alike or have a blank in them."""
    found: dict[Pair, None] = {}
    for table, first, second in sources:
        for pair in table.pairs(first, second):
            if pair[0] != pair[1] and " " not in "".join(pair):
                found[pair] = None
    return list(found)
