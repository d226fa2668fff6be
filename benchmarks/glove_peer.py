"""relrep's GloVe against the authors' C program (github.com/stanfordnlp/GloVe, src/glove.c): speed, and what is learnt.

    python benchmarks/glove_peer.py CORPUS --program glove [--tokens N] [--repeats 3] [--questions F [--iterations 15]]

Both get the same counts and settings; the program gets both directions of each count, shuffled, as it wants them. First
seconds of an iteration, in turn (the program's without its start); then, with --questions, the accuracy under CosAdd of
both after --iterations.
"""

import statistics
import subprocess
import sys
import time
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from skipgram_peer import open_corpus, parser, print_results, scratch

from relrep.analogy.evaluate import evaluate
from relrep.analogy.questions import Protocol
from relrep.baselines._kernels import padded_size
from relrep.baselines._kernels.glove import CountedRun
from relrep.baselines.glove import initial_state, run_iteration, train_glove
from relrep.baselines.glove_counts import Blocks, arranged, count_cooccurrences, unit_of
from relrep.baselines.settings import GloveSettings
from relrep.text.encoded import EncodedCorpus
from relrep.vectors.word_vectors import WordVectors

MEMORY = 8 << 30
RECORD = np.dtype([("word", "<i4"), ("context", "<i4"), ("count", "<f8")])
TIMED = 3
"""Iterations whose mean is one measurement."""


class Program:
    """The authors' program with its files."""

    def __init__(self, path: Path, folder: Path, words: int, settings: GloveSettings, threads: int) -> None:
        self.path, self.folder, self.words, self.settings, self.threads = path, folder, words, settings, threads
        (folder / "vocab.txt").write_text("".join(f"{word} 1\n" for word in range(words)), encoding="ascii")

    def write_counts(self, runs: Iterable[CountedRun]) -> None:
        """Both directions of all counts, shuffled; its words begin with 1."""
        unit = unit_of(self.settings.window)
        parts = []
        for run in runs:
            lengths = np.diff(run.ends, prepend=0)
            part = np.empty(len(run.columns), dtype=RECORD)
            part["word"] = 1 + run.first + np.repeat(np.arange(len(lengths)), lengths)
            part["context"] = 1 + run.columns
            part["count"] = run.sums / unit
            parts.append(part)
        half = np.concatenate(parts)
        other = half[half["word"] != half["context"]]
        turned = other.copy()
        turned["word"], turned["context"] = other["context"], other["word"]
        records = np.concatenate([half, turned])
        np.random.default_rng(1).shuffle(records)
        records.tofile(self.folder / "counts.bin")

    def run(self, iterations: int) -> float:
        """Trains; returns the mean seconds of an iteration, the first not counted."""
        settings = self.settings
        flags = {
            "input-file": self.folder / "counts.bin",
            "vocab-file": self.folder / "vocab.txt",
            "save-file": self.folder / "vectors",
            "vector-size": settings.dim,
            "threads": self.threads,
            "iter": iterations,
            "x-max": settings.x_max,
            "alpha": settings.alpha,
            "eta": settings.learning_rate,
            "binary": 1,
        }
        command = [
            str(self.path.resolve()),
            *(str(part) for name, value in flags.items() for part in (f"-{name}", value)),
        ]
        ends = []
        with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
            assert process.stderr is not None
            for line in process.stderr:
                if "iter:" in line:
                    ends.append(time.perf_counter())
        if process.returncode or len(ends) != iterations:
            raise SystemExit(f"{self.path}: ended with {process.returncode} after {len(ends)} iterations")
        return (ends[-1] - ends[0]) / max(1, iterations - 1)

    def vectors(self) -> NDArray[np.float32]:
        """Word plus context vectors, without biases."""
        values = np.fromfile(self.folder / "vectors.bin", dtype="<f8").reshape(2, self.words, self.settings.dim + 1)
        return np.ascontiguousarray(values.sum(axis=0)[:, : self.settings.dim].astype(np.float32))


def own_iterations(blocks: Blocks, words: int, settings: GloveSettings, threads: int) -> float:
    """The mean seconds of an iteration, the first not counted."""
    state = initial_state(words, settings)
    with ThreadPoolExecutor(threads) as pool:
        run_iteration(blocks, state, settings, 0, pool)
        begin = time.perf_counter()
        for iteration in range(1, TIMED + 1):
            run_iteration(blocks, state, settings, iteration, pool)
        return (time.perf_counter() - begin) / TIMED


def accuracy(corpus: EncodedCorpus, vectors: NDArray[np.float32], questions: list[Path]) -> dict[str, float]:
    """Answerable questions among the 30,000 most frequent words, in percent."""
    held = WordVectors(list(corpus.vocabulary.words), vectors)
    found = evaluate(held, Protocol(30_000, "skip", measures=("cosadd",)), questions=questions)
    return {outcome.name: round(outcome.total("cosadd").percent, 2) for outcome in found.outcomes}


def main() -> None:
    arguments = parser(__doc__ or "")
    arguments.add_argument("--program", type=Path, required=True, help="the authors' program, compiled")
    arguments.add_argument("--iterations", type=int, default=15, help="for the accuracies")
    arguments.add_argument("--questions", type=Path, action="append", default=[], help="a set; may be repeated")
    given = arguments.parse_args()
    settings = GloveSettings(dim=given.dim, iterations=given.iterations)
    train_glove(EncodedCorpus.from_sentences([["a", "large", "animal"]] * 9), GloveSettings(dim=8, iterations=1))
    with scratch() as name:
        folder = Path(name)
        corpus = open_corpus(given, folder)
        words = len(corpus.vocabulary)
        program = Program(given.program, folder, words, settings, given.threads)
        program.write_counts(count_cooccurrences(corpus, settings.window, given.threads, MEMORY))
        runs = count_cooccurrences(corpus, settings.window, given.threads, MEMORY)
        row = 16 * padded_size(settings.dim)
        times: dict[str, list[float]] = {"program": [], "relrep": []}
        unit = unit_of(settings.window)
        with arranged(runs, words, unit, row, settings.seed, given.threads, MEMORY, folder) as blocks:
            non_zeros = blocks.non_zeros
            for _ in range(given.repeats):
                times["program"].append(round(program.run(TIMED + 1), 3))
                times["relrep"].append(round(own_iterations(blocks, words, settings, given.threads), 3))
                print(
                    f"{times['program'][-1]} s the program, {times['relrep'][-1]} s relrep", file=sys.stderr, flush=True
                )
        ratios = [own / peer for own, peer in zip(times["relrep"], times["program"], strict=True)]
        result: dict[str, object] = {"seconds": times, "ratio": round(statistics.median(ratios), 3) if ratios else None}
        if given.questions:
            program.run(settings.iterations)
            own = train_glove(corpus, settings, threads=given.threads, memory=MEMORY)
            result["accuracy"] = {
                "program": accuracy(corpus, program.vectors(), given.questions),
                "relrep": accuracy(corpus, own, given.questions),
            }
        print_results([result], corpus, non_zeros=non_zeros)


if __name__ == "__main__":
    main()
