"""How much faster relrep's evaluation is than gensim's, on the same vectors, words and questions, in one run.

    python benchmarks/evaluate_speed.py VECTORS GOOGLE [--repeats 3] [--every 20]

relrep answers all questions under three measures; gensim (`evaluate_word_analogies`, CosAdd alone, whole vocabulary,
unknown words wrong) answers every 20th, and its time is scaled up after taking off what it spends before the first
question. The two alternate. `--every 1` lets gensim answer everything. Memory is relrep's peak above what the process
holds with the vectors loaded (Linux only).
"""

import argparse
import json
import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from relrep.analogy.evaluate import evaluate
from relrep.analogy.questions import OpenSet, read_google
from relrep.vectors.word_vectors import WordVectors


def timed(work: Callable[[], Any]) -> tuple[float, float, Any]:
    """(seconds, CPU seconds of all threads, result)."""
    wall, cpu = time.perf_counter(), time.process_time()
    result = work()
    return time.perf_counter() - wall, time.process_time() - cpu, result


def write_questions(asked: OpenSet, every: int, path: Path) -> int:
    """Every n-th question in gensim's format; returns how many."""
    chosen = asked.questions[::every]
    lines = [": all", *(f"{q.a} {q.b} {q.c} {q.answers[0]}" for q in chosen)]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return len(chosen)


def resident(field: str) -> float:
    """Megabytes of this process, from /proc (0 elsewhere)."""
    status = Path("/proc/self/status")
    lines = status.read_text().splitlines() if status.exists() else []
    return next((int(line.split()[1]) / 1024 for line in lines if line.startswith(field)), 0.0)


def main() -> None:
    """Measures and prints JSON."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("vectors", type=Path)
    parser.add_argument("google", type=Path)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--every", type=int, default=20)
    parser.add_argument("--threads", type=int)
    arguments = parser.parse_args()

    vectors = WordVectors.load(arguments.vectors)
    asked = read_google(arguments.google)
    evaluate(WordVectors(vectors.index_to_key[:5000], vectors.vectors[:5000]), google=arguments.google)  # compile
    if Path("/proc/self/clear_refs").exists():
        Path("/proc/self/clear_refs").write_text("5")  # the peak starts anew
    before = resident("VmRSS")
    evaluate(vectors, google=arguments.google, threads=arguments.threads)
    memory = resident("VmHWM") - before

    keyed = vectors.to_gensim()
    rounds = []
    with tempfile.TemporaryDirectory() as folder:
        sample, one = Path(folder, "sample.txt"), Path(folder, "one.txt")
        asked_of_gensim = write_questions(asked, arguments.every, sample)
        write_questions(asked, len(asked.questions), one)

        def gensim(questions: Path) -> float:
            score, _ = keyed.evaluate_word_analogies(str(questions), restrict_vocab=len(vectors), dummy4unknown=True)
            return float(score)

        for _ in range(arguments.repeats):
            ours = timed(lambda: evaluate(vectors, google=arguments.google, threads=arguments.threads))
            start = timed(lambda: gensim(one))
            theirs = timed(lambda: gensim(sample))
            scale = len(asked.questions) / asked_of_gensim
            full = [start[i] + scale * (theirs[i] - start[i]) for i in (0, 1)]
            rounds.append(
                {
                    "relrep_seconds": ours[0],
                    "relrep_cpu_seconds": ours[1],
                    "gensim_seconds": full[0],
                    "gensim_cpu_seconds": full[1],
                    "ratio": full[0] / ours[0],
                    "cpu_ratio": full[1] / ours[1],
                    "relrep_cosadd": ours[2]["google"].total("cosadd").percent,
                    "gensim_sample_cosadd": 100 * theirs[2],
                }
            )
            print(json.dumps(rounds[-1]), flush=True)
    result = {
        "words": len(vectors),
        "dimensions": vectors.vector_size,
        "questions": len(asked.questions),
        "questions_put_to_gensim": asked_of_gensim,
        "median_ratio": statistics.median(each["ratio"] for each in rounds),
        "least_ratio": min(each["ratio"] for each in rounds),
        "median_cpu_ratio": statistics.median(each["cpu_ratio"] for each in rounds),
        "relrep_memory_above_vectors_mb": memory,
    }
    print(json.dumps(result, indent=2))


if __name__ == "__main__":
    main()
