"""The neighbours of pairs (training's longest part) against one epoch of gensim's skip-gram on the same text.

    python benchmarks/neighbours_speed.py MODEL [--tokens 20000000]

Pairs, profiles and token ids are those of a model with relations and index (profiles are not timed). With --tokens the
epoch runs over so many tokens only, and its time is scaled up to the whole text.
"""

import argparse
import time
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
from skipgram_peer import skipgram_epoch

from relrep.coherence.training import CoherenceSettings, pairs_of_text, profiled_pairs, start_of
from relrep.model.model import Model
from relrep.text.encoded import EncodedCorpus


def main() -> None:
    """Runs both in turn and prints their ratio."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model", type=Path)
    parser.add_argument("--work", type=Path, help="where the text for gensim is kept for next time (default: nowhere)")
    parser.add_argument("--dim", type=int, default=100)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--tokens", type=int, default=0, help="use only so many tokens (0: all)")
    arguments = parser.parse_args()
    model, settings, threads = Model.load(arguments.model), CoherenceSettings(), arguments.threads
    tokens, vocabulary = model.require_index().tokens, model.vocabulary
    vectors, bound = np.asarray(model.vectors.vectors), model.require_relations().bound
    profiled = profiled_pairs(bound, vocabulary.counts, vectors, settings, threads)
    if profiled is None:
        raise SystemExit("no pair of this model is rich enough in patterns; give a larger one")
    start, _ = start_of(vectors, profiled, settings)
    some = EncodedCorpus(tokens[: arguments.tokens or None], vocabulary)
    with TemporaryDirectory() as work:
        epoch = skipgram_epoch(some, arguments, Path(work))
        for number in range(arguments.repeats):
            begin = time.perf_counter()
            pairs_of_text(profiled, start, settings, threads)
            middle = time.perf_counter()
            epoch()
            took, peer = middle - begin, (time.perf_counter() - middle) * len(tokens) / len(some.tokens)
            n_pairs = 2 * len(profiled.word)
            print(f"round {number + 1}: {n_pairs:,} oriented pairs {took:.1f} s, epoch {peer:.1f} s, "
                  f"ratio {took / peer:.2f}", flush=True)  # fmt: skip


if __name__ == "__main__":
    main()
