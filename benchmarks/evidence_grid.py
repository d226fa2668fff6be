"""A grid over the settings of the measures that read the corpus (PairMix, CosMix), scored on development sets only.

    python benchmarks/evidence_grid.py MODEL --sets BENCHMARKS --out TABLE.md
    python benchmarks/evidence_grid.py MODEL --sets BENCHMARKS --open --out TABLE.md

MODEL has its relations and its corpus index. Given pairs: SemEval's ten training relations (MaxDiff), BATS and BLESS as
multiple choice. With --open: MSR and BATS as open questions under CosMix. Each line is one way to weigh profiles, each
column one α. What patterns say is cached in CACHE; profiles are mined once for all lines.
"""

import argparse
import time
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np
from development import bats_choices, bless_choices, open_sets, semeval_training
from numpy.typing import NDArray
from relrep.evidence.corpus_evidence import CorpusEvidence
from relrep.evidence.pattern_space import PatternSpace

from relrep.analogy.answer import answer_choices, answer_open, answer_semeval
from relrep.analogy.measures import Measure
from relrep.analogy.questions import Protocol, read_questions
from relrep.analogy.semeval import mean_scores
from relrep.analogy.terms import TermTable
from relrep.evidence.evidence import StandIns
from relrep.evidence.measures import CosMix, PairMix, PairPattern
from relrep.evidence.profiles import ProfileMiner
from relrep.model.model import Model
from relrep.vectors.word_vectors import WordVectors

ALPHAS = (0.2, 0.35, 0.5, 0.65, 0.8)
Similarities = tuple[NDArray[np.float64], NDArray[np.float64]]


@dataclass(frozen=True, eq=False)
class Remembering(CorpusEvidence):
    """Evidence that answers the same question a second time from memory: each α asks it."""

    told: dict[bytes, Similarities] = field(default_factory=dict)

    def similarity(self, left: NDArray[np.int64], right: NDArray[np.int64]) -> Similarities:
        key = left.tobytes() + right.tobytes()
        if key not in self.told:
            self.told[key] = super().similarity(left, right)
        return self.told[key]


class Bench:
    """The development sets, and figures of measures on them."""

    def __init__(self, sets: Path, vectors: WordVectors, threads: int, is_open: bool, every: int) -> None:
        self.terms, self.threads = TermTable(vectors), threads
        self.open = open_sets(sets, every, 8 * every) if is_open else []
        self.given = Protocol(measures=("pairboth",))
        if not is_open:
            bats = read_questions(sets / "bats")
            self.semeval = semeval_training(sets)
            choices = bats_choices(bats)
            self.choices = [
                replace(choices, questions=list(choices.questions)[::every]),
                bless_choices(sets / "bless", 2000 // every),
            ]

    def figures(self, measures: list[Measure]) -> dict[str, list[float]]:
        """One row of figures a measure: sets of given pairs, or sections of open ones."""
        found: dict[str, list[float]] = {}
        for asked in self.open:
            protocol = Protocol(100_000, measures=("cosadd",))
            outcome = answer_open(asked, self.terms, protocol, measures, threads=self.threads)
            for name in outcome.right:
                parts = outcome.by_section(name).values() if asked.name != "msr" else [outcome.total(name)]
                found.setdefault(name, []).extend(tally.percent for tally in parts)
        if not self.open:
            rated = answer_semeval(self.semeval, self.terms, self.given, measures)
            for name in rated.right:
                found.setdefault(name, []).append(mean_scores(rated.relations[name])[0])
            for choice in self.choices:
                outcome = answer_choices(choice, self.terms, self.given, measures)
                for name in outcome.right:
                    found[name].append(outcome.total(name).percent)
        return found


def evidences(model: Model, cache: Path, threads: int, is_open: bool) -> dict[str, CorpusEvidence]:
    """The ways to weigh profiles, by name."""
    relations, known = model.require_relations(), model.vocabulary.id_of
    miner = ProfileMiner(model.require_index(), threads=threads)
    pairs = np.column_stack([relations.u, relations.v])

    def space(rank: int) -> PatternSpace:
        path = cache / f"space-{len(pairs)}-{rank}.safetensors"
        kept = PatternSpace.open(path) if path.exists() else None
        if kept is None:
            kept = PatternSpace.learn(miner, pairs, rank)
            kept.write(path)
        return kept

    def evidence(rank: int) -> CorpusEvidence:
        return CorpusEvidence(miner, space(rank), lambda word: known.get(word, -1))

    if is_open:
        plain = evidence(0)
        return {"entropy": plain, "PPMI": replace(plain, weighting="ppmi")}
    folded = evidence(150)
    found = {
        "PPMI, no SVD": replace(folded, weighting="ppmi"),
        "PPMI, SVD 150": folded.folded_with(),
        "PPMI, SVD 300": evidence(300).folded_with(),
        "entropy, SVD 150": replace(folded.folded_with(), weighting="entropy"),
    }
    for n_words, discount in ((5, 5.0), (10, 5.0), (10, 2.0)):
        name = f"PPMI, SVD 150, {n_words} stand-ins, cos² / {discount:g}"
        found[name] = folded.folded_with(StandIns(model.vectors.vectors, n_words, discount).counts)
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model", type=Path)
    parser.add_argument("--sets", type=Path, required=True)
    parser.add_argument("--cache", type=Path, required=True)
    parser.add_argument("--open", action="store_true", help="open questions under CosMix instead of given pairs")
    parser.add_argument("--every", type=int, default=2, help="take every n-th question")
    parser.add_argument("--only", nargs="*", help="only lines whose name holds one of these texts")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--out", type=Path, help="append the table to this file")
    arguments = parser.parse_args()
    model = Model.load(arguments.model)
    arguments.cache.mkdir(parents=True, exist_ok=True)
    bench = Bench(arguments.sets, model.vectors, arguments.threads, arguments.open, arguments.every)
    sets = "MSR, BATS 1 / 2 / 3 / 4" if arguments.open else "SemEval 10 / BATS choice / BLESS choice"
    heads = [f"α = {alpha:g}" for alpha in ALPHAS]
    lines = [f"| {sets} | alone | {' | '.join(heads)} |", "|---|---|" + "---|" * len(heads)]
    began = time.perf_counter()
    for name, plain in evidences(model, arguments.cache, arguments.threads, arguments.open).items():
        if arguments.only and not any(text in name for text in arguments.only):
            continue
        told = Remembering(plain.miner, plain.space, plain.ids, plain.weighting, plain.folded, plain.counted)
        measures: list[Measure] = [CosMix(told, alpha, name=f"{alpha:g}") for alpha in ALPHAS]
        if not arguments.open:
            measures = [PairPattern(told), *(PairMix(told, alpha, name=f"{alpha:g}") for alpha in ALPHAS)]
        figures = {key: " / ".join(f"{x:.2f}" for x in row) for key, row in bench.figures(measures).items()}
        base = "cosadd" if arguments.open else "pairboth"
        if len(lines) == 2:
            lines.append(f"| vectors alone ({base}) | {figures[base]} | {' | '.join('' for _ in ALPHAS)} |")
            print("\n".join(lines), flush=True)
        alone = figures.get("pairpattern", "")
        lines.append(f"| {name} | {alone} | {' | '.join(figures[f'{alpha:g}'] for alpha in ALPHAS)} |")
        print(lines[-1], f"  ({time.perf_counter() - began:.0f} s)", flush=True)
    if arguments.out:
        with arguments.out.open("a", encoding="utf-8") as out:
            out.write("\n".join(lines) + "\n\n")


if __name__ == "__main__":
    main()
