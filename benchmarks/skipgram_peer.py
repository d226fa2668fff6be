"""The peers of the trainers' benchmarks: an epoch of gensim's skip-gram or fastText on the same tokens, in turns."""

import argparse
import json
import os
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from relrep.baselines.word2vec import write_text
from relrep.core.files import written_whole
from relrep.text.encode import encode
from relrep.text.encoded import EncodedCorpus
from relrep.text.index import count_words
from relrep.text.settings import CorpusSettings


def parser(description: str) -> argparse.ArgumentParser:
    """The arguments of both benchmarks."""
    result = argparse.ArgumentParser(description=description)
    result.add_argument("corpus", type=Path, help="a text, or a folder of token ids")
    result.add_argument("--work", type=Path, help="where token ids are kept for next time (default: nowhere)")
    result.add_argument("--dim", type=int, default=100)
    result.add_argument("--threads", type=int, default=2)
    result.add_argument("--repeats", type=int, default=3)
    result.add_argument("--tokens", type=int, default=0, help="use only so many tokens (0: all)")
    return result


def open_corpus(arguments: argparse.Namespace, work: Path) -> EncodedCorpus:
    """The token ids of the corpus, made if need be."""
    folder = arguments.corpus
    if not (folder / "tokens.i32").exists():
        folder = (arguments.work or work) / "ids"
        if not (folder / "tokens.i32").exists():
            encode([arguments.corpus], folder, CorpusSettings(), arguments.threads)
    corpus = EncodedCorpus.open(folder)
    return EncodedCorpus(corpus.tokens[: arguments.tokens or None], corpus.vocabulary)


def skipgram_epoch(
    corpus: EncodedCorpus, arguments: argparse.Namespace, work: Path, fasttext: bool = False
) -> Callable[[], None]:
    """A function that trains one epoch (window 5, 5 negatives, corpus_file); its preparation is not timed."""
    from gensim.models.fasttext import FastText
    from gensim.models.word2vec import Word2Vec

    counts = np.zeros(len(corpus.vocabulary), dtype=np.int64)
    count_words(corpus.tokens, counts)
    words = corpus.vocabulary.words
    names = list(words) if fasttext else [str(word) for word in range(len(words))]
    path = (arguments.work or work) / f"{'words' if fasttext else 'ids'}-{len(corpus.tokens)}.txt"
    if not path.exists():
        with written_whole(path) as temporary:
            write_text(corpus.tokens, names, temporary)
    kind, workers = FastText if fasttext else Word2Vec, arguments.threads
    model = kind(vector_size=arguments.dim, window=5, sg=1, negative=5, min_count=1, workers=workers)
    model.build_vocab_from_freq({names[word]: int(count) for word, count in enumerate(counts) if count})
    total = int(counts.sum())
    return lambda: model.train(corpus_file=os.fspath(path), total_words=total, epochs=1)


def alternate(runs: dict[str, Callable[[], None]], repeats: int) -> dict[str, dict[str, list[float]]]:
    """Runs everything in turn, several times over; seconds on the clock and seconds of processor."""
    times: dict[str, dict[str, list[float]]] = {name: {"wall": [], "cpu": []} for name in runs}
    for repeat in range(repeats):
        for name, run in runs.items():
            wall, cpu = time.perf_counter(), time.process_time()
            run()
            times[name]["wall"].append(round(time.perf_counter() - wall, 3))
            times[name]["cpu"].append(round(time.process_time() - cpu, 3))
            line = f"repeat {repeat + 1}: {name} {times[name]['wall'][-1]} s, {times[name]['cpu'][-1]} s of processor"
            print(line, file=sys.stderr, flush=True)
    return times


def ratio(times: dict[str, dict[str, list[float]]], name: str, peer: str, target: float) -> dict[str, object]:
    """The median ratio of the runs side by side, with all times; said on stderr too."""
    medians, best = {}, {}
    for clock in ("wall", "cpu"):
        own, other = times[name][clock], times[peer][clock]
        medians[clock] = round(statistics.median(a / b for a, b in zip(own, other, strict=True)), 3)
        best[clock] = round(min(own) / min(other), 3)
    said = f"{medians['wall']} (clock), {medians['cpu']} (processor); target at most {target:.3f}"
    print(f"{name} / {peer}: {said}", file=sys.stderr)
    chosen = {each: times[each] for each in (name, peer)}
    return {"run": name, "peer": peer, "ratio": medians, "ratio_of_best": best, "target": target, "times": chosen}


def print_results(results: list[dict[str, object]], corpus: EncodedCorpus, **facts: object) -> None:
    """All results as JSON on stdout."""
    described = {"tokens": len(corpus.tokens), "words": len(corpus.vocabulary), **facts}
    json.dump({"corpus": described, "results": results}, sys.stdout, indent=2)
    print()


def scratch() -> TemporaryDirectory[str]:
    """A place for files of the benchmark."""
    return TemporaryDirectory(prefix="relrep-bench-")
