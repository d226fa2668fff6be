"""The neighbours of pairs (training's longest part) against one epoch of gensim's skip-gram on the same text.

    python benchmarks/neighbours_speed.py IDS VECTORS --cache FOLDER --tokens 20000000

Candidate pairs and profiles come from the cache of pair_grid.py (made if need be, not timed). With --tokens the epoch
runs over so many tokens only, and its time is scaled up to the whole text.
"""

import time
from pathlib import Path
from tempfile import TemporaryDirectory

from pair_grid import PROFILE_KEYS, Stages, rows_of
from skipgram_peer import parser, skipgram_epoch

from relrep.coherence.neighbours import nearest_pairs
from relrep.coherence.profiles import FoldedProfiles, fold, weigh
from relrep.coherence.training import PairSettings
from relrep.text.encoded import EncodedCorpus
from relrep.vectors.word_vectors import WordVectors


def main() -> None:
    arguments_of = parser(__doc__)
    arguments_of.add_argument("vectors", type=Path)
    arguments_of.add_argument("--cache", type=Path, required=True)
    arguments = arguments_of.parse_args()
    corpus, settings, threads = EncodedCorpus.open(arguments.corpus), PairSettings(), arguments.threads
    stages = Stages(corpus, rows_of(WordVectors.load(arguments.vectors), corpus), arguments.cache, threads)
    pairs = stages.candidates(settings)

    def make() -> dict[str, object]:
        folded = fold(pairs.patterns, weigh(pairs.patterns), settings.rank, settings.svd_iterations, 1, threads)
        return {"even": folded.even, "odd": folded.odd}

    held = stages._cached("profiles", stages._key(settings, PROFILE_KEYS), make)  # type: ignore[arg-type]
    profiles = FoldedProfiles(held["even"], held["odd"])
    some = EncodedCorpus(corpus.tokens[: arguments.tokens or None], corpus.vocabulary)
    share = len(some.tokens) / len(corpus.tokens)
    with TemporaryDirectory() as work:
        epoch = skipgram_epoch(some, arguments.dim, threads, Path(work))
        for number in range(arguments.repeats):
            begin = time.perf_counter()
            nearest_pairs(
                profiles, pairs.word, pairs.partner, stages.start, settings.n_neighbours, settings.type_weight, threads
            )
            middle = time.perf_counter()
            epoch()
            took, peer = middle - begin, (time.perf_counter() - middle) / share
            print(f"round {number + 1}: {2 * len(pairs.word):,} oriented pairs {took:.1f} s, epoch {peer:.1f} s, "
                  f"ratio {took / peer:.2f}", flush=True)  # fmt: skip


if __name__ == "__main__":
    main()
