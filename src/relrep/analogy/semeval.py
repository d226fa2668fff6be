"""SemEval-2012 Task 2: its relations, pairs, MaxDiff questions and people's answers, read and scored."""

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from relrep.analogy.measures import Measure
from relrep.analogy.questions import bad_line, numbered_lines
from relrep.analogy.terms import NO_ROW, TermTable
from relrep.errors import RelrepError

PARADIGMS, TRAINING = "subcategories-paradigms.txt", "subcategories-training.txt"
_QUOTED = re.compile(r'"([^"]*)"')
Ratings = Mapping[str, float]


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
            raise bad_line(path, number, "not a relation as `category, letter, CATEGORY, name, x:y, …`", line)
        yield fields[0] + fields[1], (f"{fields[2]}, {fields[3]}", prototypes)


def _training_ids(path: Path) -> Iterator[str]:
    for number, line in _lines(path):
        found = re.match(r"Relation\s+(\d+[a-z])\b", line)
        if not found:
            raise bad_line(path, number, "should begin with `Relation` and its id", line)
        yield found[1]


def _relation(id_: str, name: str, prototypes: tuple[str, ...], folder: Path) -> Relation:
    pairs_file = folder / "Phase1Answers" / f"Phase1Answers-{id_}.txt"
    pairs = tuple(dict.fromkeys(quoted for number, line in _lines(pairs_file) for quoted in _quoted(line)))
    questions_file = folder / "Phase2Questions" / f"Phase2Questions-{id_}.txt"
    known = set(pairs)
    questions: list[MaxDiffQuestion] = []
    votes: dict[frozenset[str], tuple[Counter[str], Counter[str]]] = {}
    for number, line in _lines(questions_file):
        four = tuple(_quoted(line))
        if len(four) != 4 or not known.issuperset(four):
            raise bad_line(questions_file, number, "not four of the relation's pairs", line)
        if frozenset(four) not in votes:  # two questions stand there twice; the known figures ask them once
            least_votes, most_votes = votes[frozenset(four)] = (Counter[str](), Counter[str]())
            questions.append(MaxDiffQuestion(four, least_votes, most_votes, f"{questions_file.name}:{number}"))
    shown: Counter[str] = Counter()
    points: Counter[str] = Counter()
    answers_file = folder / "Phase2Answers" / f"Phase2Answers-{id_}.txt"
    for number, line in _lines(answers_file):
        fields = _quoted(line)
        if len(fields) < 6:
            has = f"this line has {len(fields)} fields"
            raise bad_line(answers_file, number, f"an answer has four pairs, the least and the most of them, {has}")
        four, least, most = tuple(fields[:4]), fields[4], fields[5]
        if frozenset(four) not in votes or not {least, most} <= {*four, ""}:
            raise bad_line(answers_file, number, f"answers no question of {questions_file.name}")
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


@dataclass(frozen=True)
class Guess:
    """Which pair was taken for the least (or most) illustrative of a question, and which pairs were right."""

    question: MaxDiffQuestion
    kind: str
    guessed: str
    expected: tuple[str, ...]

    @property
    def right(self) -> bool:
        """Whether the guess has as many votes as any."""
        return self.guessed in self.expected


@dataclass(frozen=True)
class RelationScore:
    """A system's result for one relation."""

    guesses: tuple[Guess, ...]
    spearman: float

    @property
    def maxdiff(self) -> float:
        return 100.0 * sum(guess.right for guess in self.guesses) / len(self.guesses) if self.guesses else 0.0


def score_relation(relation: Relation, ratings: Ratings) -> RelationScore:
    """MaxDiff over the questions whose pairs are all rated, Spearman over the rated pairs.

    In each question the lowest-rated pair is the least illustrative, the highest the most; ties: the first.
    """
    guesses = []
    for question in relation.questions:
        if not all(pair in ratings for pair in question.pairs):
            continue
        least = min(question.pairs, key=ratings.__getitem__)
        most = max(question.pairs, key=ratings.__getitem__)
        guesses.append(Guess(question, "least", least, _favourites(question.least)))
        guesses.append(Guess(question, "most", most, _favourites(question.most)))
    pairs = [pair for pair in relation.gold if pair in ratings]
    rho = spearman([relation.gold[pair] for pair in pairs], [ratings[pair] for pair in pairs])
    return RelationScore(tuple(guesses), rho)


def _favourites(votes: Mapping[str, int]) -> tuple[str, ...]:
    most = max(votes.values())
    return tuple(sorted(pair for pair, count in votes.items() if count == most))


def spearman(first: list[float], second: list[float]) -> float:
    """Spearman's rank correlation, corrected for ties; 0 where one side is constant.

    >>> spearman([1, 2, 3], [10, 20, 15])
    0.5
    """
    from scipy.stats import spearmanr  # half a second to import: only where it is needed

    if len(set(first)) < 2 or len(set(second)) < 2:
        return 0.0
    return float(spearmanr(first, second).statistic)


def is_known(pair: str, terms: TermTable) -> bool:
    """Whether both words of a pair have vectors."""
    return NO_ROW not in [terms.row(word) for word in words_of(pair)]


def rate(relation: Relation, terms: TermTable, measure: Measure, oov: str) -> dict[str, float]:
    """A pair's rating: the mean similarity to the known prototype pairs.

    A pair with an unknown word is rated 0 (`oov` "wrong") or not at all ("skip").
    """
    pairs = [pair for pair in relation.pairs if is_known(pair, terms)]
    prototypes = [pair for pair in relation.prototypes if is_known(pair, terms)]
    ratings = dict.fromkeys(relation.pairs if oov == "wrong" else pairs, 0.0)
    if not pairs or not prototypes:
        return ratings
    rows = {pair: [terms.row(word) for word in words_of(pair)] for pair in {*pairs, *prototypes}}
    quadruples = np.array([rows[prototype] + rows[pair] for pair in pairs for prototype in prototypes])
    scores = measure.score(terms, quadruples.astype(np.int64)).reshape(len(pairs), len(prototypes))
    ratings.update(zip(pairs, scores.mean(axis=1).tolist(), strict=True))
    return ratings


def score_collection(collection: Collection, rating_of: Callable[[Relation], Ratings]) -> dict[str, RelationScore]:
    """The scores of a system over all relations of a collection, by the relations' ids."""
    return {relation.id: score_relation(relation, rating_of(relation)) for relation in collection.relations}


def mean_scores(scores: Mapping[str, RelationScore]) -> tuple[float, float]:
    """(MaxDiff in percent, Spearman): the plain means over the relations."""
    counted = [score for score in scores.values() if score.guesses]
    if not counted:
        return 0.0, 0.0
    return (
        float(np.mean([score.maxdiff for score in counted])),
        float(np.mean([score.spearman for score in counted])),
    )
