"""relrep's stages against one epoch of gensim's CBOW on the same text, alternating, in one run.

    python benchmarks/mining_speed.py TEXT VECTORS [--rounds 3] [--json FILE] [--double TEXT2]

TEXT is plain text (decompression is excluded on both sides), VECTORS the initial vectors (d = 100). Mining is text →
ids → pairs → patterns → counts with all defaults. The peer reads the same sentences from a file, d = 100, window 5,
two workers, corpus_file mode; its vocabulary scan is not counted. Instance selection and both solvers (the paper's
objective, N = 100,000, K = 10,000, T = 10, no early end) are compared with mining of the same round; of sgd, whose
passes cost the same, --passes of the ten are timed and scaled up. With --double, mining is timed on that text too
(twice as much). A run on a little of the text comes first, so that compiling is not counted.
"""

import argparse
import json
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from relrep.config import Config
from relrep.pipeline.graph import PAPER, Graph
from relrep.pipeline.stages import RunSettings
from relrep.pipeline.train import TrainingRun

THREADS = 2
MINING = ("ids", "pairs", "patterns", "counts")
REST = ("association", "instances")
TRAINING = {"objective": "paper", "tolerance": 0.0}


def stage_seconds(
    text: Path, vectors: str, work: Path, names: tuple[str, ...], passes: int = 1, **changes: dict[str, int]
) -> dict[str, float]:
    """Runs the named stages in a fresh work folder, each timed (the paper's own mining is not)."""
    shutil.rmtree(work, ignore_errors=True)
    config = Config().with_values({**changes, "training": {**TRAINING, "init": vectors}}, "benchmark")
    run = TrainingRun([text], work, config, RunSettings(THREADS))
    seconds = {}
    for name in names:
        if name == "association":
            run.graph.counts(PAPER)
        begin = time.perf_counter()
        getattr(run.graph, name)()
        seconds[name] = time.perf_counter() - begin
    if "instances" in names:
        for solver, iterations in (("batch", 10), ("sgd", passes)):
            changed = config.with_values({"training": {"solver": solver, "iterations": iterations}}, "benchmark")
            again = TrainingRun([text], work, changed, RunSettings(THREADS))
            _ = again.graph.instances(), again.initial
            begin = time.perf_counter()
            again.trained()
            seconds[solver] = (time.perf_counter() - begin) * 10 / iterations  # the passes of sgd cost the same
    return seconds


CBOW = """
import sys, time
from gensim.models import Word2Vec
model = Word2Vec(vector_size=100, window=5, workers=2, min_count=5, sg=0, seed=1)
model.build_vocab(corpus_file=sys.argv[1])
begin = time.perf_counter()
model.train(corpus_file=sys.argv[1], epochs=1, total_examples=model.corpus_count, total_words=model.corpus_total_words)
print(time.perf_counter() - begin)
"""


def cbow_seconds(sentences: Path) -> float:
    """One epoch of gensim's CBOW, in a process of its own."""
    done = subprocess.run([sys.executable, "-c", CBOW, str(sentences)], check=True, capture_output=True, text=True)
    return float(done.stdout)


def write_sentences(text: Path, out: Path, work: Path) -> None:
    """The same tokens, a sentence a line, as gensim wants them."""
    corpus = Graph([text], work, Config(), RunSettings(THREADS)).corpus
    words = [*corpus.vocabulary.words, "<unknown>", "\n"]  # -2 and -1 find the last two
    with out.open("w", encoding="utf-8") as file:
        for low in range(0, len(corpus.tokens), 1 << 20):
            part = " ".join(words[token] for token in corpus.tokens[low : low + (1 << 20)].tolist())
            file.write(part.replace("<unknown> ", "").replace(" \n ", "\n").replace(" \n", "\n") + " ")


def warm_up(text: Path, vectors: str, place: Path) -> None:
    """All stages once on a little of the text."""
    little = place / "little.txt"
    with text.open("rb") as whole:
        little.write_bytes(whole.read(4_000_000))
    few = {"mining": {"n_patterns": 200, "min_pair_sentences": 10}, "instances": {"positives": 100, "negatives": 100}}
    stage_seconds(little, vectors, place / "work", (*MINING, *REST), **few)


def main() -> None:
    """Measures and prints."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("text", type=Path)
    parser.add_argument("vectors")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--passes", type=int, default=1)
    parser.add_argument("--double", type=Path)
    parser.add_argument("--json", type=Path)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        write_sentences(arguments.text, place / "sentences.txt", place / "ids")
        warm_up(arguments.text, arguments.vectors, place)
        rounds = []
        for _ in range(arguments.rounds):
            names = (*MINING, *REST)
            seconds = stage_seconds(arguments.text, arguments.vectors, place / "work", names, arguments.passes)
            seconds["mining"] = sum(seconds[name] for name in MINING)
            seconds["cbow"] = cbow_seconds(place / "sentences.txt")
            if arguments.double:
                double = stage_seconds(arguments.double, arguments.vectors, place / "work", MINING)
                seconds["mining twice the text"] = sum(double.values())
            rounds.append(seconds)
            print(" ".join(f"{name} {value:.1f}" for name, value in seconds.items()), flush=True)
    ratios = {"mining / cbow": statistics.median(each["mining"] / each["cbow"] for each in rounds)}
    for name in ("instances", "batch", "sgd"):
        ratios[f"{name} / mining"] = statistics.median(each[name] / each["mining"] for each in rounds)
    if arguments.double:
        ratios["twice the text"] = statistics.median(each["mining twice the text"] / each["mining"] for each in rounds)
    print(json.dumps(ratios, indent=2))
    if arguments.json:
        arguments.json.write_text(json.dumps({"rounds": rounds, "ratios": ratios}, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
