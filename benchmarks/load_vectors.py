"""How long relrep and gensim take to load the same vectors, alternating, in one run.

    python benchmarks/load_vectors.py glove.6B.100d.txt [--rounds 3]

The file is converted to each format first; then every format is loaded by both in turn. Times are seconds of
the process's own CPU and of the wall; the ratio is gensim's CPU over relrep's, by medians.
"""

import argparse
import json
import logging
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
from gensim.models import KeyedVectors

from relrep.vectors.word_vectors import WordVectors

FORMATS = {
    "word2vec-text": (".txt", {}),
    "glove": (".glove", {"no_header": True}),
    "word2vec-binary": (".bin", {"binary": True}),
}


def timed(action: Callable[[], object]) -> tuple[float, float]:
    """CPU and wall seconds of one call."""
    cpu, wall = time.process_time(), time.perf_counter()
    action()
    return time.process_time() - cpu, time.perf_counter() - wall


def compare(path: Path, options: dict[str, bool], rounds: int) -> dict[str, object]:
    """Both loaders on one file, in turn; they must agree bit for bit."""
    ours = WordVectors.load(path)  # warms the file cache and compiles
    theirs = KeyedVectors.load_word2vec_format(str(path), **options)
    equal = ours.index_to_key == theirs.index_to_key and ours.vectors.tobytes() == theirs.vectors.tobytes()
    del ours, theirs
    times: dict[str, list[tuple[float, float]]] = {"relrep": [], "gensim": []}
    for _ in range(rounds):
        times["relrep"].append(timed(lambda: WordVectors.load(path)))
        times["gensim"].append(timed(lambda: KeyedVectors.load_word2vec_format(str(path), **options)))
    cpu = {name: statistics.median(cpu for cpu, _ in runs) for name, runs in times.items()}
    wall = {name: statistics.median(wall for _, wall in runs) for name, runs in times.items()}
    return {
        "megabytes": round(path.stat().st_size / 1e6, 1),
        "cpu_seconds": {name: round(value, 2) for name, value in cpu.items()},
        "wall_seconds": {name: round(value, 2) for name, value in wall.items()},
        "cpu_ratio": round(cpu["gensim"] / cpu["relrep"], 1),
        "wall_ratio": round(wall["gensim"] / wall["relrep"], 1),
        "bits_equal": equal,
    }


def main() -> None:
    """Runs all formats and prints JSON."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("vectors", type=Path)
    parser.add_argument("--rounds", type=int, default=3)
    arguments = parser.parse_args()
    logging.disable(logging.INFO)
    vectors = WordVectors.load(arguments.vectors)
    results: dict[str, object] = {"words": len(vectors), "dimensions": vectors.vector_size}
    with tempfile.TemporaryDirectory() as folder:
        for name, (suffix, options) in FORMATS.items():
            path = Path(folder, f"vectors{suffix}")
            vectors.save(path, name)
            results[name] = compare(path, options, arguments.rounds)
            path.unlink()
        path = Path(folder, "vectors.safetensors")
        vectors.save(path)
        cpu, wall = timed(lambda: WordVectors.load(path))
        results["safetensors"] = {"cpu_seconds": {"relrep": round(cpu, 2)}, "wall_seconds": {"relrep": round(wall, 2)}}
        assert np.array_equal(WordVectors.load(path).vectors, vectors.vectors)
    json.dump(results, sys.stdout, indent=2)
    print()


if __name__ == "__main__":
    main()
