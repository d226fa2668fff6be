"""The development sets that settings are chosen on: MSR, BATS, SemEval's ten training relations, BLESS.

Google, SAT and SemEval's test relations are never read here.
"""

from pathlib import Path

import numpy as np

from relrep.analogy.questions import ChoiceQuestion, ChoiceSet, OpenSet, read_questions
from relrep.analogy.semeval import Collection, read_semeval, words_of

TRAINING_RELATIONS = frozenset(["1a", "2c", "2h", "3a", "3c", "4c", "5d", "5i", "7a", "10a"])
BLESS_QUESTIONS = 2000
NOUN_RELATIONS = ("coord", "hyper", "mero")
"""The relations of BLESS between nouns."""
GOOD_EXAMPLE = 10.0
"""People's rating, -100 to 100, from which a pair is a good example of its relation."""


def open_sets(sets: Path, msr_every: int, bats_every: int) -> list[OpenSet]:
    """MSR and BATS, every n-th question: the same ones each time."""
    return [
        thinned(read_questions(sets / "msr" / "msr.csv"), msr_every),
        thinned(read_questions(sets / "bats"), bats_every),
    ]


def thinned(asked: OpenSet, every: int) -> OpenSet:
    """Every n-th question."""
    return OpenSet(asked.name, asked.path, list(asked.questions)[:: max(1, every)], asked.section_of)


def semeval_training(sets: Path) -> Collection:
    """The ten training relations, with the platinum ratings."""
    platinum = next(each for each in read_semeval(sets / "semeval") if each.name == "platinum")
    kept = tuple(relation for relation in platinum.relations if relation.id in TRAINING_RELATIONS)
    return Collection(platinum.name, platinum.path, kept)


def bats_choices(bats: OpenSet, seed: int = 1, a_stem: int = 4) -> ChoiceSet:
    """BATS as multiple choice, like SAT: one pair of the stem's relation, four of other relations of its section."""
    pairs: dict[str, dict[tuple[str, str], None]] = {}
    for question in bats.questions:
        pairs.setdefault(question.category, {})[question.c, question.answers[0]] = None
    lists = {name: list(found) for name, found in pairs.items()}
    semantic = [name for name in lists if bats.section_of.get(name, "")[:1] in "34"]
    generator = np.random.default_rng(seed)
    questions = []
    for name in semantic:
        others = [o for o in semantic if o != name and bats.section_of[o] == bats.section_of[name]]
        for stem in lists[name]:
            for _ in range(a_stem):
                right = lists[name][int(generator.integers(len(lists[name])))]
                wrong = [
                    lists[others[int(o)]][int(generator.integers(len(lists[others[int(o)]])))]
                    for o in generator.choice(len(others), 4, replace=False)
                ]
                place = int(generator.integers(5))
                if right != stem:
                    questions.append(_question(stem, right, wrong, place, name))
    return ChoiceSet("bats-choice", bats.path, questions)


def bless_choices(folder: Path, n: int = BLESS_QUESTIONS, seed: int = 1) -> ChoiceSet:
    """BLESS as multiple choice: one pair of the stem's relation and other words, four of other relations or none."""
    pairs = _bless_pairs(folder)
    generator = np.random.default_rng(seed)
    relations = sorted(relation for relation in pairs if relation != "random")

    def one(relation: str) -> tuple[str, str]:
        return _drawn(pairs[relation], generator)

    questions: list[ChoiceQuestion] = []
    while len(questions) < n:
        relation = relations[int(generator.integers(len(relations)))]
        stem, right = one(relation), one(relation)
        others = [other for other in sorted(pairs) if other != relation]
        wrong = [one(others[int(o)]) for o in generator.choice(len(others), 4, replace=False)]
        place = int(generator.integers(5))
        if not set(stem) & set(right):
            questions.append(_question(stem, right, wrong, place, relation))
    return ChoiceSet("bless-choice", folder, questions)


def hard_choices(sets: Path) -> list[ChoiceSet]:
    """Given pairs whose wrong choices are made of the same kinds of words as the right one, as SAT's are.

    The training relations of SemEval, drawn up for such tests; the lexicographic relations of BATS; nouns of BLESS.
    """
    bats = read_questions(sets / "bats")
    choices = bats_choices(bats)
    lexicographic = [q for q in choices.questions if bats.section_of[q.category].startswith("4")]
    return [
        semeval_choices(semeval_training(sets)),
        ChoiceSet("bats-4-choice", choices.path, lexicographic),
        noun_choices(sets / "bless"),
    ]


def semeval_choices(relations: Collection, a_stem: int = 12, seed: int = 5) -> ChoiceSet:
    """Good examples of a relation, four of others beside each: people wrote and rated them for tests like SAT."""
    good = {
        relation.id: [
            words_of(pair)
            for pair in sorted({*relation.prototypes, *(p for p, x in relation.gold.items() if x > GOOD_EXAMPLE)})
        ]
        for relation in relations.relations
    }
    generator = np.random.default_rng(seed)
    questions = []
    for relation in sorted(good):
        others = [other for other in sorted(good) if other != relation]
        for stem in good[relation]:
            for _ in range(a_stem):
                right = _drawn(good[relation], generator)
                wrong = [
                    _drawn(good[others[int(o)]], generator) for o in generator.choice(len(others), 4, replace=False)
                ]
                place = int(generator.integers(5))
                if not set(stem) & set(right):
                    questions.append(_question(stem, right, wrong, place, relation))
    return ChoiceSet("semeval-choice", relations.path, questions)


def noun_choices(folder: Path, n: int = 3000, seed: int = 5) -> ChoiceSet:
    """BLESS between nouns: one pair of the stem's relation and other words, two of each other relation."""
    pairs = _bless_pairs(folder)
    generator = np.random.default_rng(seed)
    questions: list[ChoiceQuestion] = []
    while len(questions) < n:
        relation = NOUN_RELATIONS[int(generator.integers(len(NOUN_RELATIONS)))]
        stem, right = (_drawn(pairs[relation], generator) for _ in range(2))
        wrong = [_drawn(pairs[other], generator) for other in NOUN_RELATIONS if other != relation for _ in range(2)]
        place = int(generator.integers(5))
        if not set(stem) & set(right):
            questions.append(_question(stem, right, wrong, place, relation))
    return ChoiceSet("nouns-choice", folder, questions)


def _bless_pairs(folder: Path) -> dict[str, list[tuple[str, str]]]:
    """The pairs of each relation, in the order of the files."""
    pairs: dict[str, list[tuple[str, str]]] = {}
    for part in ("train", "val", "test"):
        for line in (folder / f"{part}.tsv").read_text(encoding="utf-8").splitlines():
            first, second, relation = line.split("\t")
            pairs.setdefault(relation, []).append((first, second))
    return pairs


def _question(
    stem: tuple[str, str], right: tuple[str, str], wrong: list[tuple[str, str]], place: int, relation: str
) -> ChoiceQuestion:
    """The right choice stands at `place` among the wrong ones."""
    return ChoiceQuestion(stem, (*wrong[:place], right, *wrong[place:]), place, relation)


def _drawn(pairs: list[tuple[str, str]], generator: np.random.Generator) -> tuple[str, str]:
    return pairs[int(generator.integers(len(pairs)))]
