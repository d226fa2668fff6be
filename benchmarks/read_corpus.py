"""How long text → ids takes, beside gensim's first pass over the same file (`build_vocab`, which only counts words).

    python benchmarks/read_corpus.py CORPUS.txt [--rounds 3] [--threads 2] [--megabytes 100]

The two alternate; processor time is compared, since the machine may be shared, and the smallest of all rounds counts.
"""

import argparse
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from gensim.models import Word2Vec

from relrep.text.encode import encode
from relrep.text.settings import CorpusSettings


def timed(job: Callable[[], object]) -> tuple[float, float]:
    """Processor and wall seconds of a job."""
    wall, processor = time.perf_counter(), time.process_time()
    job()
    return time.process_time() - processor, time.perf_counter() - wall


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("corpus", type=Path)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--megabytes", type=int, default=100, help="how much of the file to read")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        text = folder / "text.txt"
        with arguments.corpus.open("rb") as file:
            text.write_bytes(file.read(arguments.megabytes * 1_000_000))
        (folder / "tiny.txt").write_text("to load the kernel " * 5, encoding="utf-8")
        encode([folder / "tiny.txt"], folder / "tiny", CorpusSettings())
        ours, theirs = [], []
        for _ in range(arguments.rounds):
            ours.append(timed(lambda: encode([text], folder / "ids", CorpusSettings(), arguments.threads)))
            theirs.append(timed(lambda: Word2Vec(min_count=5).build_vocab(corpus_file=str(text))))
            print(
                f"relrep encode {ours[-1][0]:.2f} s ({ours[-1][1]:.2f} s wall), "
                f"gensim build_vocab {theirs[-1][0]:.2f} s ({theirs[-1][1]:.2f} s wall)"
            )
        size = text.stat().st_size / 1e6
        mine, other = min(ours)[0], min(theirs)[0]
        print(
            f"processor time, {size:.0f} MB: encode {mine:.2f} s, build_vocab {other:.2f} s, ratio {mine / other:.2f}"
        )


if __name__ == "__main__":
    main()
