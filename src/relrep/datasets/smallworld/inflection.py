"""Just enough English inflection for the small world's words; irregular forms are listed, the rest follow rules."""

import re

_PLURALS = """
man men, woman women, child children, foot feet, tooth teeth, goose geese, mouse mice, ox oxen, sheep sheep, deer deer,
salmon salmon, trout trout, fish fish, fry fry, larva larvae, aircraft aircraft, wolf wolves, calf calves,
knife knives, wife wives, leaf leaves, loaf loaves, shelf shelves, thief thieves, scarf scarves, potato potatoes,
tomato tomatoes, mango mangoes, hero heroes, mosquito mosquitoes
"""
_IRREGULAR = dict(pair.split() for pair in _PLURALS.split(","))
_PARTICIPLE_DOUBLING = {"forget", "begin", "travel", "quarrel", "prefer"}
_VOWELS = "aeiou"
_ONE_SYLLABLE_CLOSED = re.compile(r"[^aeiou]*(?:qu)?[aeiouy][bdgklmnprt]")
_SILENT_H = ("hour", "honest", "honour", "heir")
_CONSONANT_SOUND = (
    "univ",
    "unif",
    "uniq",
    "union",
    "use",
    "usual",
    "ukr",
    "uru",
    "uganda",
    "utensil",
    "eu",
    "one",
    "once",
)


def plural(noun: str) -> str:
    """The plural of a noun; of a phrase, that of its last word.

    >>> [plural(noun) for noun in ("puppy", "fox", "goose", "day", "fisherman")]
    ['puppies', 'foxes', 'geese', 'days', 'fishermen']
    """
    if noun in _IRREGULAR:
        return _IRREGULAR[noun]
    return noun[:-2] + "en" if noun.endswith("man") else third_person(noun)


def third_person(verb: str) -> str:
    """The form after "she"; most plurals are made alike.

    >>> [third_person(verb) for verb in ("carry", "teach", "play", "write")]
    ['carries', 'teaches', 'plays', 'writes']
    """
    if verb.endswith("y") and verb[-2] not in _VOWELS:
        return verb[:-1] + "ies"
    return verb + ("es" if verb.endswith(("s", "x", "z", "ch", "sh")) else "s")


def past_tense(verb: str) -> str:
    """The regular past tense, which is the past participle too.

    >>> [past_tense(verb) for verb in ("carry", "bake", "hum", "visit", "play")]
    ['carried', 'baked', 'hummed', 'visited', 'played']
    """
    if verb.endswith("e"):
        return verb + "d"
    if verb.endswith("y") and verb[-2] not in _VOWELS:
        return verb[:-1] + "ied"
    return _double_final(verb) + "ed"


def gerund(verb: str) -> str:
    """The form in -ing.

    >>> [gerund(verb) for verb in ("write", "run", "tie", "see", "begin", "open")]
    ['writing', 'running', 'tying', 'seeing', 'beginning', 'opening']
    """
    if verb.endswith("ie"):
        return verb[:-2] + "ying"
    if verb.endswith("e") and not verb.endswith("ee"):
        return verb[:-1] + "ing"
    return _double_final(verb) + "ing"


def comparative(adjective: str) -> str:
    """The form before "than"."""
    irregular = {"good": "better", "bad": "worse", "far": "farther"}
    return irregular.get(adjective) or _grade(adjective, "r")


def superlative(adjective: str) -> str:
    """The form after "the".

    >>> [superlative(adjective) for adjective in ("big", "happy", "wide", "good", "deep")]
    ['biggest', 'happiest', 'widest', 'best', 'deepest']
    """
    irregular = {"good": "best", "bad": "worst", "far": "farthest"}
    return irregular.get(adjective) or _grade(adjective, "st")


def adverb(adjective: str) -> str:
    """The adverb in -ly.

    >>> [adverb(adjective) for adjective in ("happy", "gentle", "quick", "full")]
    ['happily', 'gently', 'quickly', 'fully']
    """
    if adjective.endswith("le"):
        return adjective[:-1] + "y"
    if adjective.endswith("ll"):
        return adjective + "y"
    if adjective.endswith("y") and len(adjective) > 3:
        return adjective[:-1] + "ily"
    return adjective + "ly"


def takes_an(word: str) -> bool:
    """Whether the indefinite article before the word is "an".

    >>> [takes_an(word) for word in ("owl", "university", "hour", "dog", "Estonian")]
    [True, False, True, False, True]
    """
    word = word.lower()
    if word.startswith(_SILENT_H):
        return True
    return word[:1] in _VOWELS and not word.startswith(_CONSONANT_SOUND)


def _double_final(word: str) -> str:
    doubled = _ONE_SYLLABLE_CLOSED.fullmatch(word) or word in _PARTICIPLE_DOUBLING
    return word + word[-1] if doubled else word


def _grade(adjective: str, ending: str) -> str:
    if adjective.endswith("e"):
        return adjective + ending
    if adjective.endswith("y") and adjective[-2] not in _VOWELS:
        return adjective[:-1] + "ie" + ending
    return _double_final(adjective) + "e" + ending
