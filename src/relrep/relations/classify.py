"""Relation classification: logistic regression over pair features, with the scores and baselines to judge it by."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from sklearn.dummy import DummyClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import accuracy_score, f1_score, precision_recall_fscore_support

from relrep.errors import RelrepError
from relrep.progress import Progress, ProgressCallback, ignore
from relrep.relations.features import PairFeatures

STRENGTHS = (0.1, 1.0, 10.0, 100.0)
"""The inverse strengths of regularisation (scikit-learn's C) tried on the validation pairs."""
DEFAULT_STRENGTH = 10.0
STEP = "training classifiers"


@dataclass(frozen=True)
class LabelledPairs:
    """Word pairs and the relation of each."""

    pairs: tuple[tuple[str, str], ...]
    labels: tuple[str, ...]

    def __len__(self) -> int:
        return len(self.pairs)


@dataclass(frozen=True)
class ClassScores:
    """Precision, recall and F1 of one relation, and how many test pairs have it."""

    label: str
    precision: float
    recall: float
    f1: float
    support: int


@dataclass(frozen=True)
class Scores:
    """A classifier's scores over the whole test set; macro: the mean over relations, weighted: by their size."""

    accuracy: float
    macro_f1: float
    weighted_f1: float


@dataclass(frozen=True)
class ClassificationReport:
    """What the classifier reaches on the test pairs, and what guessing does.

    `majority` always answers the most frequent relation of the training pairs, `random` draws by their
    frequency. `coverage` is the share of test pairs of which both words have a vector; `seen`, with pattern
    features, of those that meet in the corpus.
    """

    kinds: tuple[str, ...]
    scores: Scores
    classes: tuple[ClassScores, ...]
    majority: Scores
    random: Scores
    strength: float
    n_features: int
    n_train: int
    n_test: int
    coverage: float
    seen: float | None


def read_labelled_pairs(path: Path) -> LabelledPairs:
    """Reads lines of word1<TAB>word2<TAB>relation; empty lines are passed over."""
    try:
        text = path.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise RelrepError(f"{path}: cannot be read ({error.strerror})") from None
    except UnicodeDecodeError:
        raise RelrepError(f"{path}: is not UTF-8 text; convert it first") from None
    pairs, labels = [], []
    for number, line in enumerate(text.splitlines(), start=1):
        if not line.strip():
            continue
        fields = [field.strip() for field in line.split("\t")]
        if len(fields) != 3 or not all(fields):
            raise RelrepError(f"{path}, line {number}: expected word1<TAB>word2<TAB>relation, got {line[:80]!r}")
        pairs.append((fields[0], fields[1]))
        labels.append(fields[2])
    if not pairs:
        raise RelrepError(f"{path}: holds no pairs; give lines of word1<TAB>word2<TAB>relation")
    return LabelledPairs(tuple(pairs), tuple(labels))


def classify(
    features: PairFeatures,
    train: LabelledPairs,
    test: LabelledPairs,
    validation: LabelledPairs | None = None,
    seed: int = 1,
    progress: ProgressCallback = ignore,
) -> ClassificationReport:
    """Trains on `train`, chooses the regularisation on `validation` (if given), and scores on `test`."""
    if len(set(train.labels)) < 2:
        raise RelrepError("the training pairs have only one relation; give pairs of at least two")
    known = features.fit(train.pairs).transform(train.pairs)
    strengths = STRENGTHS if validation is not None else (DEFAULT_STRENGTH,)
    chosen: tuple[float, float, LogisticRegression] | None = None
    checked = features.transform(validation.pairs) if validation is not None else None
    for done, strength in enumerate(strengths):
        progress(Progress(STEP, done, len(strengths), note=f"C = {strength:g}"))
        regression = LogisticRegression(C=strength, max_iter=1000).fit(known, train.labels)
        reached = 0.0
        if validation is not None:
            reached = float(f1_score(validation.labels, regression.predict(checked), average="macro"))
        if chosen is None or reached > chosen[0]:
            chosen = (reached, strength, regression)
    progress(Progress(STEP, len(strengths), len(strengths)))
    assert chosen is not None
    guessed = chosen[2].predict(features.transform(test.pairs))
    return ClassificationReport(
        kinds=tuple(features.kinds),
        scores=_scores(test.labels, guessed),
        classes=_class_scores(test.labels, guessed),
        majority=_guessing("most_frequent", train, test, seed),
        random=_guessing("stratified", train, test, seed),
        strength=chosen[1],
        n_features=int(known.shape[1]),
        n_train=len(train),
        n_test=len(test),
        coverage=features.coverage(test.pairs),
        seen=features.seen(test.pairs) if "patterns" in features.kinds else None,
    )


def _scores(labels: Sequence[str], guessed: NDArray[np.str_]) -> Scores:
    f1 = {how: float(f1_score(labels, guessed, average=how, zero_division=0)) for how in ("macro", "weighted")}
    return Scores(float(accuracy_score(labels, guessed)), f1["macro"], f1["weighted"])


def _class_scores(labels: Sequence[str], guessed: NDArray[np.str_]) -> tuple[ClassScores, ...]:
    names = sorted(set(labels))
    columns = precision_recall_fscore_support(labels, guessed, labels=names, zero_division=0)
    return tuple(
        ClassScores(name, float(precision), float(recall), float(f1), int(support))
        for name, precision, recall, f1, support in zip(names, *columns, strict=True)
    )


def _guessing(strategy: str, train: LabelledPairs, test: LabelledPairs, seed: int) -> Scores:
    dummy = DummyClassifier(strategy=strategy, random_state=seed)
    nothing = np.zeros((len(train), 1))
    guessed = dummy.fit(nothing, train.labels).predict(np.zeros((len(test), 1)))
    return _scores(test.labels, guessed)
