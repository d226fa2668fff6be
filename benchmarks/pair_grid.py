"""A grid over settings of the coherence of pairs, scored on development sets only; each look at a test set is recorded.

    python benchmarks/pair_grid.py CORPUS VECTORS --sets BENCHMARKS --cache FOLDER --grid step=0.3,0.5 sharpness=4,6
    python benchmarks/pair_grid.py CORPUS VECTORS --sets BENCHMARKS --cache FOLDER --look NAME --record LOOKS.md

CORPUS is a folder that relrep.text.encode left, VECTORS a file of word vectors, BENCHMARKS the folder of the question
sets (msr, bats, bless, semeval; google and sat only for a look). Development sets (development.py): MSR and BATS under
CosAdd; the ten training relations of SemEval, and BATS and BLESS made into multiple choice, under PairDiff. Each stage
is cached under what it depends on.
"""

import argparse
import hashlib
import itertools
import json
import time
from collections.abc import Callable
from dataclasses import asdict, fields, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
from development import bats_choices, bless_choices, open_sets, semeval_training
from numpy.typing import NDArray

from relrep.analogy.answer import answer_choices, answer_open, answer_semeval
from relrep.analogy.evaluate import evaluate
from relrep.analogy.questions import Protocol, read_questions
from relrep.analogy.semeval import mean_scores
from relrep.analogy.terms import TermTable
from relrep.baselines.init import given_vectors
from relrep.coherence.neighbours import JoinedPairs, Neighbours, nearest_pairs
from relrep.coherence.profiles import DirectedCounts, FoldedProfiles, fold, weigh
from relrep.coherence.settings import PairSettings
from relrep.coherence.training import Profiled, coherent_vectors, pairs_of_spelling, start_of
from relrep.mining.bound import CandidatePairs, candidate_pairs, content_words
from relrep.text.encoded import EncodedCorpus
from relrep.vectors.word_vectors import WordVectors

CANDIDATE_KEYS = ("n_words", "stop_words", "max_gap", "min_meetings", "min_pmi", "n_pairs", "min_pattern_pairs")
PROFILE_KEYS = (*CANDIDATE_KEYS, "rank", "svd_iterations", "seed")
NEIGHBOUR_KEYS = (*PROFILE_KEYS, "levelling", "n_neighbours", "type_weight")
SPELLING_KEYS = (*PROFILE_KEYS, "levelling", "spelling_min_pairs", "n_neighbours")
Arrays = dict[str, NDArray[Any]]


class Stages:
    """The stages before the steps, each computed once for the settings that it depends on."""

    def __init__(self, corpus: EncodedCorpus, start: NDArray[np.float32], cache: Path, threads: int) -> None:
        self.corpus, self.start, self.cache, self.threads = corpus, start, cache, threads
        self.corpus_key = f"{len(corpus.tokens)}-{len(corpus.vocabulary)}"
        self.start_key = hashlib.sha256(start.tobytes()).hexdigest()[:12]
        cache.mkdir(parents=True, exist_ok=True)

    def _cached(self, stage: str, key: object, make: Callable[[], Arrays]) -> Arrays:
        path = self.cache / f"{stage}-{hashlib.sha256(repr(key).encode()).hexdigest()[:16]}.npz"
        if not path.exists():
            began = time.perf_counter()
            made = make()
            print(f"  {stage}: {time.perf_counter() - began:.0f} s", flush=True)
            unfinished = path.with_suffix(".part.npz")
            np.savez(unfinished, **made)  # type: ignore[arg-type]
            unfinished.replace(path)
        with np.load(path, allow_pickle=False) as stored:
            return {name: stored[name] for name in stored.files}

    def _key(self, settings: PairSettings, names: tuple[str, ...]) -> tuple[object, ...]:
        have = hashlib.sha256((self.start != 0).any(axis=1).tobytes()).hexdigest()[:12]
        return (self.corpus_key, have, *((name, getattr(settings, name)) for name in names))

    def candidates(self, settings: PairSettings) -> CandidatePairs:
        def make() -> Arrays:
            allowed = content_words(self.corpus, self.start, settings)
            found = candidate_pairs(self.corpus, allowed, settings, self.threads)
            p = found.patterns
            return {
                "word": found.word, "partner": found.partner, "meetings": found.meetings, "ends": p.ends,
                "keys": p.keys, "counts": p.counts, "codes": p.codes,
            }  # fmt: skip

        a = self._cached("candidates", self._key(settings, CANDIDATE_KEYS), make)
        patterns = DirectedCounts(a["ends"], a["keys"], a["counts"], a["codes"])
        return CandidatePairs(a["word"], a["partner"], a["meetings"], patterns)

    def profiled(self, settings: PairSettings) -> Profiled:
        pairs = self.candidates(settings)

        def make() -> Arrays:
            folded = fold(
                pairs.patterns,
                weigh(pairs.patterns),
                settings.rank,
                settings.svd_iterations,
                settings.seed,
                self.threads,
            )
            return {"even": folded.even, "odd": folded.odd}

        p = self._cached("profiles", self._key(settings, PROFILE_KEYS), make)
        return pairs, FoldedProfiles(p["even"], p["odd"])

    def levelled(self, settings: PairSettings) -> NDArray[np.float32]:
        return start_of(self.start, self.profiled(settings), settings)[0]

    def text(self, settings: PairSettings) -> JoinedPairs:
        def neighbours() -> Arrays:
            pairs, profiles = self.profiled(settings)
            found = nearest_pairs(
                profiles, pairs.word, pairs.partner, self.levelled(settings),
                settings.n_neighbours, settings.type_weight, self.threads,
            )  # fmt: skip
            return {
                "word": pairs.word, "partner": pairs.partner, "pair": found.pair, "turned": found.turned,
                "similarity": found.similarity,
            }  # fmt: skip

        key = (self.start_key, *self._key(settings, NEIGHBOUR_KEYS))
        a = self._cached("neighbours", key, neighbours)
        weight = np.maximum(a["similarity"], 0).astype(np.float64) ** settings.similarity_power
        near = Neighbours(a["pair"], a["turned"], a["similarity"])
        return JoinedPairs(
            "text", a["word"], a["partner"], near, weight.astype(np.float32), settings.sharpness, settings.step
        )

    def spelling(self, settings: PairSettings) -> JoinedPairs:
        def make() -> Arrays:
            joined = pairs_of_spelling(self.corpus, self.levelled(settings), settings, self.threads)
            near = joined.neighbours
            return {"word": joined.word, "partner": joined.partner, "pair": near.pair, "similarity": near.similarity}

        a = self._cached("spelling", (self.start_key, *self._key(settings, SPELLING_KEYS)), make)
        near = Neighbours(a["pair"], np.zeros(a["pair"].shape, dtype=np.bool_), a["similarity"])
        return JoinedPairs(
            "spelling", a["word"], a["partner"], near, a["similarity"],
            settings.spelling_sharpness, settings.spelling_step,
        )  # fmt: skip

    def train(self, settings: PairSettings, text: bool = True) -> NDArray[np.float32]:
        joined = [self.text(settings)] if text else []
        if settings.spelling:
            joined.append(self.spelling(settings))
        return coherent_vectors(self.levelled(settings), joined, settings, self.threads)[0]


class Development:
    """The development sets, and the figures of word vectors on them."""

    def __init__(self, sets: Path, every: int, candidates: str | int, threads: int) -> None:
        self.threads = threads
        self.open = open_sets(sets, 1, every)
        self.choices = {
            "BATS choice": bats_choices(read_questions(sets / "bats")),
            "BLESS choice": bless_choices(sets / "bless"),
        }
        self.semeval = semeval_training(sets)
        self.cosadd = Protocol(candidates, measures=("cosadd",))
        self.pairdiff = Protocol(measures=("pairdiff",))

    def figures(self, vectors: WordVectors) -> dict[str, float]:
        terms = TermTable(vectors)
        found = {}
        for asked in self.open:
            outcome = answer_open(asked, terms, self.cosadd, threads=self.threads)
            if asked.name == "msr":
                found["MSR"] = outcome.total("cosadd").percent
            else:
                for section, tally in outcome.by_section("cosadd").items():
                    found[f"BATS {section[:1]}"] = tally.percent
        rated = answer_semeval(self.semeval, terms, self.pairdiff)
        found["SemEval 10"] = mean_scores(rated.relations["pairdiff"])[0]
        for name, choice in self.choices.items():
            found[name] = answer_choices(choice, terms, self.pairdiff).total("pairdiff").percent
        return found


def settings_of(texts: list[str]) -> list[dict[str, Any]]:
    """`step=0.3,0.5 sharpness=4` as all combinations."""
    types = {field.name: type(getattr(PairSettings(), field.name)) for field in fields(PairSettings)}
    choices = []
    for text in texts:
        name, _, values = text.partition("=")
        kind = types[name]
        choices.append([(name, value == "true" if kind is bool else kind(value)) for value in values.split(",")])
    return [dict(combination) for combination in itertools.product(*choices)]


def markdown(rows: list[tuple[str, dict[str, float]]]) -> str:
    """A table, one setting a line."""
    columns = list(rows[0][1])
    lines = [f"| setting | {' | '.join(columns)} |", "|---" * (len(columns) + 1) + "|"]
    lines += [f"| {name} | {' | '.join(f'{values[c]:.2f}' for c in columns)} |" for name, values in rows]
    return "\n".join(lines)


def look(vectors: WordVectors, sets: Path, name: str, threads: int) -> str:
    """Google, SAT and SemEval's test relations for one system: a line of the record of looks."""
    found = evaluate(
        vectors, Protocol(measures=("cosadd", "pairdiff")), google=sets / "google", sat=sets / "sat" / "SAT.txt",
        semeval=sets / "semeval", threads=threads,
    )  # fmt: skip
    google = found["google"].by_section("cosadd")
    parts = [google["semantic"].percent, google["syntactic"].percent, found["google"].total("cosadd").percent]
    parts.append(found["sat"].total("pairdiff").percent)
    parts += [mean_scores(found[kind].relations["pairdiff"])[0] for kind in ("gold", "platinum")]
    when = datetime.now(UTC).strftime("%Y-%m-%d %H:%M")
    return f"| {when} | {name} | {' | '.join(f'{part:.2f}' for part in parts)} |"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("corpus", type=Path)
    parser.add_argument("vectors", type=Path)
    parser.add_argument("--sets", type=Path, required=True)
    parser.add_argument("--cache", type=Path, required=True)
    parser.add_argument("--grid", nargs="*", default=[], metavar="NAME=A,B")
    parser.add_argument("--no-text", action="store_true", help="ablation: spelling alone")
    parser.add_argument("--every", type=int, default=4, help="take every n-th question of BATS")
    parser.add_argument(
        "--candidates", default="100000", help="candidates of open questions: all, or the first n words"
    )
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--out", type=Path, help="also append the table to this file")
    parser.add_argument("--save", type=Path, help="save the vectors of the last setting (.safetensors, .txt, …)")
    parser.add_argument("--look", metavar="NAME", help="look at the test sets, for one setting")
    parser.add_argument("--look-at-start", metavar="NAME", help="look at the test sets for the start vectors")
    parser.add_argument("--record", type=Path, help="where looks are recorded")
    arguments = parser.parse_args()
    text, vectors = EncodedCorpus.open(arguments.corpus), WordVectors.load(arguments.vectors)
    vocabulary, start = given_vectors(text.vocabulary, vectors, str(arguments.vectors))
    stages = Stages(EncodedCorpus(text.tokens, vocabulary), start, arguments.cache, arguments.threads)
    combinations = settings_of(arguments.grid)
    looks = []
    if arguments.look_at_start:
        looks.append(look(vectors, arguments.sets, arguments.look_at_start, arguments.threads))
    if arguments.look:
        if len(combinations) != 1:
            parser.error("a look is for one candidate default: give one value a setting")
        settings = replace(PairSettings(), **combinations[0])
        trained = WordVectors(vocabulary.words, stages.train(settings, not arguments.no_text))
        looks.append(look(trained, arguments.sets, f"{arguments.look} {combinations[0] or ''}", arguments.threads))
    if looks:
        print("\n".join(looks))
        if arguments.record:
            with arguments.record.open("a", encoding="utf-8") as record:
                record.write("\n".join(looks) + "\n")
        return
    number = "all" if arguments.candidates == "all" else int(arguments.candidates)
    development = Development(arguments.sets, arguments.every, number, arguments.threads)
    rows = [("start", development.figures(vectors))]
    print(rows[0], flush=True)
    for combination in combinations:
        settings = replace(PairSettings(), **combination)
        trained = WordVectors(vocabulary.words, stages.train(settings, not arguments.no_text))
        name = ", ".join(f"{key} {value}" for key, value in combination.items()) or "defaults"
        rows.append((name + (" (no text)" if arguments.no_text else ""), development.figures(trained)))
        print(rows[-1], flush=True)
        stored = {"settings": asdict(settings), "figures": rows[-1][1]}
        (arguments.cache / "figures.jsonl").open("a", encoding="utf-8").write(json.dumps(stored) + "\n")
    if arguments.save:
        trained.save(arguments.save)
    print(markdown(rows))
    if arguments.out:
        arguments.out.open("a", encoding="utf-8").write(markdown(rows) + "\n\n")


if __name__ == "__main__":
    main()
