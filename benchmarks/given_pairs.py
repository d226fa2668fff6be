"""Is there more in given pairs than PairMix takes out? Development sets only, with wrong choices as hard as SAT's.

    python benchmarks/given_pairs.py MODEL --sets BENCHMARKS [--beside skipgram=FILE glove=FILE …] [--out TABLE.md]

MODEL has its relations and its corpus index. Two tables:
- the measures as they are, on SemEval's ten training relations (MaxDiff) and on three sets of choices
  (development.hard_choices), and PairMix with the evidence of a part of the text only;
- the best weights that can be learnt for what the measures are made of, and for more beside it (other vectors, how
  bound the words of each pair are, …): a logistic choice model, learnt on four fifths of the relations, scored on the
  last fifth, in turn.
"""

import argparse
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from development import hard_choices, semeval_training
from numpy.typing import NDArray
from relrep.evidence.corpus_evidence import CorpusEvidence
from scipy.optimize import minimize

from relrep.analogy.answer import answer_choices, answer_semeval
from relrep.analogy.measures import Measure, PairBoth, VectorMeasure, likeness_of_words
from relrep.analogy.questions import ChoiceSet, Protocol
from relrep.analogy.semeval import mean_scores
from relrep.analogy.terms import NO_ROW, TermTable
from relrep.evidence.evidence import StandIns
from relrep.evidence.measures import PairMix, PairPattern
from relrep.evidence.profiles import ProfileMiner
from relrep.model.model import Model
from relrep.text.encoded import SENTENCE_END, EncodedCorpus
from relrep.text.index import CorpusIndex
from relrep.vectors.word_vectors import WordVectors

FOLDS = 5
PENALTY = 0.05
SENTENCES_IN_A_ROW = 50
PARTS_OF_TEXT = (16, 8, 4, 2)
Quadruples = NDArray[np.int64]
Scores = NDArray[np.float64]


class Bench:
    """The development sets for one model's words."""

    def __init__(self, sets: Path, terms: TermTable) -> None:
        self.terms, self.semeval, self.choices = terms, semeval_training(sets), hard_choices(sets)

    def line(self, measure: Measure) -> str:
        """One line of a table: SemEval's MaxDiff, the three sets of choices, the mean of the four."""
        protocol = Protocol(measures=("cosadd",))  # it must name one
        rated = answer_semeval(self.semeval, self.terms, protocol, [measure])
        figures = [mean_scores(rated.relations[measure.name])[0]]
        for choice in self.choices:
            figures.append(answer_choices(choice, self.terms, protocol, [measure]).total(measure.name).percent)
        return " | ".join(f"{figure:.2f}" for figure in [*figures, np.mean(figures)])


class Asked:
    """The questions of a set whose words are known: quadruples of rows, the right choice, and a fold by relation."""

    def __init__(self, choices: ChoiceSet, terms: TermTable) -> None:
        relations = sorted({question.category for question in choices.questions})
        quadruples, answers, folds = [], [], []
        for question in choices.questions:
            rows = [terms.rows([*question.stem, *choice]) for choice in question.choices]
            if not any(NO_ROW in each for each in rows):
                quadruples.append(rows)
                answers.append(question.answer)
                folds.append(relations.index(question.category) % FOLDS)
        self.terms, self.quadruples = terms, np.array(quadruples, dtype=np.int64)
        self.answers, self.folds = np.array(answers), np.array(folds)

    def features(self, parts: Sequence["Part"]) -> Scores:
        """questions × choices × parts."""
        flat = self.quadruples.reshape(-1, 4)
        columns = [part.of(self.terms, flat) for part in parts]
        return np.stack(columns, axis=1).reshape(*self.quadruples.shape[:2], len(parts))


@dataclass(frozen=True)
class Part:
    """A named number for each quadruple of words: what `score` says of them in the vectors of a table."""

    name: str
    score: Callable[[TermTable, Quadruples], Scores]
    vectors: TermTable

    def of(self, terms: TermTable, quadruples: Quadruples) -> Scores:
        """For rows of `terms`, which may be other vectors of the same words."""
        distinct, places = np.unique(quadruples, return_inverse=True)
        rows = self.vectors.rows(terms.word(int(row)) for row in distinct)
        return self.score(self.vectors, rows[places.reshape(quadruples.shape)])


def crosswise(terms: TermTable, quadruples: Quadruples) -> Scores:
    """How alike a is to d, and b to c."""
    return likeness_of_words(terms, quadruples[:, [0, 1, 3, 2]])


def equally_bound(terms: TermTable, quadruples: Quadruples) -> Scores:
    """Whether a is as near to b as c is to d."""
    one, other = (likeness_of_words(terms, quadruples[:, columns]) for columns in ([0, 0, 1, 1], [2, 2, 3, 3]))
    return -np.abs(one - other)


def learnt(sets: Sequence[Asked], parts: Sequence[Part]) -> tuple[Scores, list[float]]:
    """The shares of standardised parts, and the percentage right of each set on relations not learnt from."""
    features = [asked.features(parts) for asked in sets]
    everything = np.concatenate([each.reshape(-1, len(parts)) for each in features])
    features = [(each - everything.mean(axis=0)) / everything.std(axis=0) for each in features]
    right = [np.zeros(len(asked.answers), dtype=np.bool_) for asked in sets]
    weights = np.zeros(len(parts))
    for fold in range(FOLDS):

        def loss(given: Scores, fold: int = fold) -> tuple[float, Scores]:
            value, slope = PENALTY * float(given @ given), 2 * PENALTY * given
            for asked, all_features in zip(sets, features, strict=True):
                kept = asked.folds != fold
                some, answers = all_features[kept], asked.answers[kept]
                odds = some @ given
                odds = np.exp(odds - odds.max(axis=1, keepdims=True))
                chance = odds / odds.sum(axis=1, keepdims=True)
                value -= float(np.log(chance[np.arange(len(some)), answers]).mean())
                chance[np.arange(len(some)), answers] -= 1
                slope = slope + np.einsum("ij,ijk->k", chance, some) / len(some)
            return value, slope

        found = minimize(loss, np.zeros(len(parts)), jac=True).x
        weights += found / np.abs(found).sum() / FOLDS
        for asked, all_features, flags in zip(sets, features, right, strict=True):
            left_out = asked.folds == fold
            flags[left_out] = (all_features[left_out] @ found).argmax(axis=1) == asked.answers[left_out]
    return weights, [100.0 * float(flags.mean()) for flags in right]


def weights_table(bench: Bench, evidence: CorpusEvidence, beside: dict[str, WordVectors]) -> list[str]:
    """What the best weights are, and what more parts would add."""
    terms, difference = bench.terms, VectorMeasure("pairdiff").score
    base = [
        Part("difference", difference, terms),
        Part("likeness", likeness_of_words, terms),
        Part("evidence", PairMix(evidence, alpha=1.0).score, terms),  # nothing else, as far as it is sure
    ]
    more = [Part("crosswise likeness", crosswise, terms), Part("equally bound", equally_bound, terms)]
    for name, vectors in beside.items():
        table = TermTable(vectors)
        more.append(Part(f"difference in {name}", difference, table))
        more.append(Part(f"likeness in {name}", likeness_of_words, table))
        more.append(Part(f"equally bound in {name}", equally_bound, table))
    sets = [Asked(choices, terms) for choices in bench.choices]
    lines = ["| parts, with their shares | SemEval choice | BATS 4 choice | nouns | mean |", "|---|---|---|---|---|"]
    for parts in (base[:1], base[:2], base, *([*base, one] for one in more), [*base, *more]):
        weights, figures = learnt(sets, parts)
        named = ", ".join(f"{part.name} {weight:.2f}" for part, weight in zip(parts, weights, strict=True))
        lines.append(f"| {named} | {' | '.join(f'{x:.2f}' for x in [*figures, np.mean(figures)])} |")
        print(lines[-1], flush=True)
    return lines


def part_of_text(model: Model, every: int) -> CorpusIndex:
    """The index of every n-th run of sentences."""
    index = model.require_index()
    tokens = np.asarray(index.tokens)
    ends = np.flatnonzero(tokens == SENTENCE_END) + 1
    sizes = np.diff(ends, prepend=0)
    kept = np.repeat((np.arange(len(ends)) // SENTENCES_IN_A_ROW) % every == 0, sizes)
    return CorpusIndex.of(EncodedCorpus(np.ascontiguousarray(tokens[: len(kept)][kept]), model.vocabulary))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model", type=Path)
    parser.add_argument("--sets", type=Path, required=True)
    parser.add_argument("--beside", nargs="*", default=[], metavar="NAME=VECTORS", help="other vectors to learn from")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--out", type=Path, help="append the tables to this file")
    arguments = parser.parse_args()
    model = Model.load(arguments.model)
    bench = Bench(arguments.sets, TermTable(model.vectors))
    plain = CorpusEvidence.of(model, arguments.threads)
    stand_ins = StandIns(model.vectors.vectors).counts
    evidence = plain.folded_with(stand_ins)
    lines = ["| | SemEval 10 | SemEval choice | BATS 4 choice | nouns | mean |", "|---|---|---|---|---|---|"]
    measures: list[Measure] = [VectorMeasure("pairdiff"), PairBoth(), PairPattern(evidence), PairMix(evidence)]
    for measure in measures:
        lines.append(f"| {measure.title} | {bench.line(measure)} |")
        print(lines[-1], flush=True)
    for every in PARTS_OF_TEXT:
        miner = ProfileMiner(part_of_text(model, every), threads=arguments.threads)
        measure = PairMix(replace(plain, miner=miner).folded_with(stand_ins))
        lines.append(f"| PairMix, 1/{every} of the text | {bench.line(measure)} |")
        print(lines[-1], flush=True)
    beside = {name: WordVectors.load(path) for name, _, path in (each.partition("=") for each in arguments.beside)}
    lines += ["", *weights_table(bench, evidence, beside)]
    if arguments.out:
        with arguments.out.open("a", encoding="utf-8") as out:
            out.write("\n".join(lines) + "\n\n")


if __name__ == "__main__":
    main()
