"""Reads SemEval-2012 Task 2: relations, their prototypes, the pairs to rate, MaxDiff questions and people's answers."""

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from relrep.analogy.reading import numbered_lines
from relrep.errors import RelrepError

PARADIGMS, TRAINING = "subcategories-paradigms.txt", "subcategories-training.txt"
_QUOTED = re.compile(r'"([^"]*)"')


@dataclass(frozen=True)
class MaxDiffQuestion:
    """Four pairs, and how often each was chosen as the least and as the most illustrative."""

    pairs: tuple[str, ...]
    least: Counter[str]
    most: Counter[str]
    place: str = ""


@dataclass(frozen=True)
class Relation:
    """One relation; pairs are written `word1:word2`, as in the files."""

    id: str
    name: str
    prototypes: tuple[str, ...]
    pairs: tuple[str, ...]
    questions: tuple[MaxDiffQuestion, ...]
    gold: dict[str, float]


@dataclass(frozen=True)
class Collection:
    """Relations with the answers of one collection: `gold` (the 69 test relations), `gold_all` (79), `platinum`."""

    name: str
    path: Path
    relations: tuple[Relation, ...]


def words_of(pair: str) -> tuple[str, str]:
    """The two words of a pair, exactly as written.

    One prototype of the task (6a, `bulwark: flimsy`) is written with a space. Read literally, its second word is
    unknown and the prototype is passed over; the reference figures come out only so (docs/evaluation.md).

    >>> words_of("flower:tulip"), words_of("bulwark: flimsy")
    (('flower', 'tulip'), ('bulwark', ' flimsy'))
    """
    first, _, second = pair.partition(":")
    return first, second


def read_semeval(folder: Path) -> list[Collection]:
    """All collections that `folder` holds."""
    if not (folder / PARADIGMS).is_file():
        raise RelrepError(f"{folder / PARADIGMS}: is missing; give the folder of SemEval-2012 Task 2 that holds it")
    paradigms = dict(_paradigms(folder / PARADIGMS))
    collections = []
    if (folder / "gold").is_dir():
        training = set(_training_ids(folder / TRAINING))
        gold = folder / "gold"
        parts = {id_: gold / ("Training" if id_ in training else "Testing") for id_ in paradigms}
        relations = {id_: _relation(id_, *paradigms[id_], parts[id_]) for id_ in paradigms}
        tested = tuple(relation for id_, relation in relations.items() if id_ not in training)
        collections.append(Collection("gold", gold, tested))
        collections.append(Collection("gold_all", gold, tuple(relations.values())))
    if (folder / "platinum").is_dir():
        platinum = folder / "platinum"
        answered = tuple(_relation(id_, *paradigms[id_], platinum) for id_ in paradigms)
        collections.append(Collection("platinum", platinum, answered))
    if not collections:
        raise RelrepError(f"{folder}: holds neither gold/ nor platinum/; give the folder of SemEval-2012 Task 2")
    return collections


def read_ratings(path: Path) -> dict[str, float]:
    """A system's ratings of a relation's pairs: `score "word1:word2"` a line."""
    ratings = {}
    for number, line in _lines(path):
        score, _, pair = line.partition(" ")
        try:
            ratings[pair.strip().strip('"')] = float(score)
        except ValueError:
            raise RelrepError(f'{path}, line {number}: {score!r} is not a number; a line is score "w1:w2"') from None
    return ratings


def _lines(path: Path) -> Iterator[tuple[int, str]]:
    if not path.is_file():
        raise RelrepError(f"{path}: this file of a relation is missing; complete the SemEval-2012 Task 2 folder")
    return ((number, line) for number, line in numbered_lines(path) if not line.startswith("#"))


def _paradigms(path: Path) -> Iterator[tuple[str, tuple[str, tuple[str, ...]]]]:
    """id → (relation's name, prototype pairs); `category, letter, CATEGORY, Relation, x:y, x:y, …`."""
    for number, line in _lines(path):
        fields = [part.strip() for part in line.split(",")]
        prototypes = tuple(fields[4:])
        if len(fields) < 5 or not all(all(words_of(pair)) for pair in prototypes):
            raise RelrepError(
                f"{path}, line {number}: a relation is `category, letter, CATEGORY, name, x:y, …`, "
                f"not {line[:60]!r}; mend the line"
            )
        yield fields[0] + fields[1], (f"{fields[2]}, {fields[3]}", prototypes)


def _training_ids(path: Path) -> Iterator[str]:
    for number, line in _lines(path):
        found = re.match(r"Relation\s+(\d+[a-z])\b", line)
        if not found:
            raise RelrepError(f"{path}, line {number}: should begin with `Relation` and its id; mend the line")
        yield found[1]


def _relation(id_: str, name: str, prototypes: tuple[str, ...], folder: Path) -> Relation:
    pairs_file = folder / "Phase1Answers" / f"Phase1Answers-{id_}.txt"
    pairs = tuple(dict.fromkeys(quoted for number, line in _lines(pairs_file) for quoted in _quoted(line)))
    questions_file = folder / "Phase2Questions" / f"Phase2Questions-{id_}.txt"
    questions: list[MaxDiffQuestion] = []
    votes: dict[frozenset[str], tuple[Counter[str], Counter[str]]] = {}
    for number, line in _lines(questions_file):
        four = tuple(_quoted(line))
        _check_four(questions_file, number, four, pairs)
        if frozenset(four) not in votes:  # two questions stand there twice; the known figures ask them once
            least_votes, most_votes = votes[frozenset(four)] = (Counter[str](), Counter[str]())
            questions.append(MaxDiffQuestion(four, least_votes, most_votes, f"{questions_file.name}:{number}"))
    shown: Counter[str] = Counter()
    points: Counter[str] = Counter()
    answers_file = folder / "Phase2Answers" / f"Phase2Answers-{id_}.txt"
    for number, line in _lines(answers_file):
        fields = _quoted(line)
        if len(fields) < 6:
            raise RelrepError(
                f"{answers_file}, line {number}: an answer has four pairs, the least and the most illustrative one, "
                f"this line has {len(fields)} fields; mend or remove it"
            )
        four, least, most = tuple(fields[:4]), fields[4], fields[5]
        if frozenset(four) not in votes or not {least, most} <= {*four, ""}:
            raise RelrepError(f"{answers_file}, line {number}: answers no question of {questions_file.name}; mend it")
        shown.update(four)
        for counter, chosen, point in zip(votes[frozenset(four)], (least, most), (-1, 1), strict=True):
            if chosen:  # some people left one of the two open
                counter[chosen] += 1
                points[chosen] += point
    answered = tuple(question for question in questions if question.least and question.most)
    if not answered:
        raise RelrepError(f"{answers_file}: answers no question of {questions_file.name}; complete the folder")
    gold = {pair: 100.0 * points[pair] / shown[pair] for pair in pairs if shown[pair]}
    return Relation(id_, name, prototypes, pairs, answered, gold)


def _quoted(line: str) -> list[str]:
    return [text.strip() for text in _QUOTED.findall(line)]


def _check_four(path: Path, number: int, four: tuple[str, ...], pairs: tuple[str, ...]) -> None:
    if len(four) != 4:
        raise RelrepError(f"{path}, line {number}: a question has four pairs, this one has {len(four)}; mend the line")
    strange = [pair for pair in four if pair not in pairs]
    if strange:
        raise RelrepError(f"{path}, line {number}: the pair {strange[0]!r} is not among the relation's pairs; mend it")
