"""The relations of the small world, and the analogy questions that follow from them.

Relations are word pairs that its sentences join, all lower-case single tokens; questions come in the layouts of
Google's set and of the SAT set.
"""

import os
from collections.abc import Sequence
from pathlib import Path
from random import Random as PythonRandom

from relrep.core.files import written_whole
from relrep.datasets.smallworld.facts import table
from relrep.datasets.smallworld.grammar import Random

Pair = tuple[str, str]
Question = tuple[str, str, str, str]
QUESTIONS_A_CATEGORY = 200
CHOICES_A_RELATION = 12
CHOICE_LETTERS = "abcde"
_SEED = 20150725
_SYMMETRIC = {"opposites"}
_ALIKE = (
    {"opposites", "gram2-opposite"},
    {"thing-material", "product-source"},
    {"member-kind", "animal-class"},
    {"capital-country", "city-in-region"},
    {"animal-home", "profession-workplace"},
    {"country-language", "gram6-nationality-adjective"},
    {"profession-tool", "tool-use"},
)
"""Relations so near to each other that a pair of the one would be no wrong choice for the other."""


def pairs() -> dict[str, list[Pair]]:
    """Every relation with its pairs, the frequent ones first; the syntactic relations' names begin with "gram".

    >>> pairs()["capital-country"][:2]
    [('paris', 'france'), ('tokyo', 'japan')]
    >>> pairs()["gram8-plural"][0]
    ('child', 'children')
    """
    found: dict[str, dict[Pair, None]] = {}
    for record in table("relations").records:
        relation, name, first, second = map(str, record)
        several = table(name).pairs(first, second)
        own = {pair: None for pair in several if pair[0] != pair[1] and " " not in "".join(pair)}
        found.setdefault(relation, {}).update(own)
    return {relation: list(own) for relation, own in found.items()}


def questions(per_category: int = QUESTIONS_A_CATEGORY) -> dict[str, list[Question]]:
    """Questions a : b :: c : d by category, at most so many each, and always the same ones.

    The four words of a question are all different, since an answer among the given words cannot be found.

    >>> questions()["capital-country"][0]
    ('paris', 'france', 'bucharest', 'romania')
    """
    return {
        category: _sample(members, per_category, PythonRandom(_SEED).random) for category, members in pairs().items()
    }


def write_questions(path: str | os.PathLike[str], per_category: int = QUESTIONS_A_CATEGORY) -> int:
    """Write the questions like `questions-words.txt`: a line `: category`, then four words a line. Returns how many."""
    written = 0
    with written_whole(Path(path)) as part, part.open("w", encoding="utf-8", newline="\n") as file:
        for category, asked in questions(per_category).items():
            file.write(f": {category}\n")
            file.writelines(" ".join(question) + "\n" for question in asked)
            written += len(asked)
    return written


def choices(per_relation: int = CHOICES_A_RELATION) -> list[tuple[str, Pair, list[Pair], str]]:
    """Five-choice questions: relation, stem, choices and the letter of the right one.

    The wrong choices are pairs of other relations and, unless the relation is symmetric, a pair turned round.

    >>> relation, stem, options, answer = choices()[0]
    >>> relation, len(options), options["abcde".index(answer)] in pairs()[relation]
    ('capital-country', 5, True)
    """
    random = PythonRandom(_SEED).random
    relations = pairs()
    asked = []
    for relation, members in relations.items():
        for stem, right in _distinct_couples(members, per_relation, random):
            options = _wrong_choices(relation, relations, {*stem, *right}, random)
            place = int(random() * len(CHOICE_LETTERS))
            options.insert(place, right)
            asked.append((relation, stem, options, CHOICE_LETTERS[place]))
    return asked


def write_choices(path: str | os.PathLike[str], per_relation: int = CHOICES_A_RELATION) -> int:
    """Write the five-choice questions like the SAT set: blocks of eight lines. Returns how many."""
    asked = choices(per_relation)
    with written_whole(Path(path)) as part, part.open("w", encoding="utf-8", newline="\n") as file:
        for number, (relation, stem, options, answer) in enumerate(asked):
            lines = [f"small world, {relation}", *("\t".join(pair) for pair in (stem, *options)), answer]
            file.write(("\n" if number else "") + "\n".join(lines) + "\n")
    return len(asked)


def _sample(members: Sequence[Pair], limit: int, random: Random) -> list[Question]:
    """All questions if they are few, else an even draw from them, in the order of the pairs."""
    possible = [(*one, *two) for one in members for two in members if len({*one, *two}) == 4]
    if len(possible) > limit:
        ranks = [(random(), number) for number in range(len(possible))]
        possible = [possible[number] for _, number in sorted(sorted(ranks)[:limit], key=lambda rank: rank[1])]
    return possible


def _distinct_couples(members: Sequence[Pair], limit: int, random: Random) -> list[tuple[Pair, Pair]]:
    """Couples of pairs with four different words, no pair twice as the stem."""
    order = sorted((random(), pair) for pair in members)
    couples: list[tuple[Pair, Pair]] = []
    for (_, stem), (_, right) in zip(order, order[1:] + order[:1], strict=True):
        if len({*stem, *right}) == 4 and len(couples) < limit:
            couples.append((stem, right))
    return couples


def _wrong_choices(relation: str, relations: dict[str, list[Pair]], taken: set[str], random: Random) -> list[Pair]:
    """Four wrong choices without a word of the stem, of the answer or of one another."""
    wrong: list[Pair] = []
    barred = {relation}.union(*(alike for alike in _ALIKE if relation in alike))
    names = list(relations)
    while len(wrong) < len(CHOICE_LETTERS) - 1:
        turned_round = not wrong and relation not in _SYMMETRIC
        name = relation if turned_round else names[int(random() * len(names))]
        pair = relations[name][int(random() * len(relations[name]))]
        if (name in barred and not turned_round) or taken.intersection(pair):
            continue
        barred.add(name)
        taken = taken.union(pair)
        wrong.append(pair[::-1] if turned_round else pair)
    # The pair turned round must not always come first.
    wrong.insert(int(random() * len(wrong)), wrong.pop(0))
    return wrong
