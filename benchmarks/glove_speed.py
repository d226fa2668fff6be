"""One iteration of GloVe (window 10) against one epoch of gensim's skip-gram, on the same ids, in turn.

    python benchmarks/glove_speed.py CORPUS [--dim 100] [--threads 2] [--repeats 3]

Target: at most a third. The time of counting is printed too.
"""

import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from skipgram_peer import alternate, open_corpus, parser, report, scratch, skipgram_epoch

from relrep.baselines import GloveSettings
from relrep.baselines.checkpoints import padded_size
from relrep.baselines.cooccurrence import count_cooccurrences, unit_of
from relrep.baselines.glove import initial_state, run_iteration
from relrep.baselines.glove_blocks import arranged
from relrep.corpus.encoded import EncodedCorpus


def main() -> None:
    arguments = parser(__doc__).parse_args()
    settings = GloveSettings(dim=arguments.dim)
    warm_up(settings)
    with scratch() as folder, ThreadPoolExecutor(arguments.threads) as pool:
        corpus = open_corpus(arguments, Path(folder))
        epoch = skipgram_epoch(corpus, arguments.dim, arguments.threads, Path(folder))
        words = len(corpus.vocabulary)
        begin, cpu = time.perf_counter(), time.process_time()
        runs = list(count_cooccurrences(corpus, settings.window, arguments.threads, 4 << 30))
        counting = {
            "wall": round(time.perf_counter() - begin, 3),
            "cpu": round(time.process_time() - cpu, 3),
        }
        unit, row = unit_of(settings.window), 16 * padded_size(settings.dim)
        with arranged(runs, words, unit, row, settings.seed, arguments.threads, 8 << 30, Path(folder)) as entries:
            del runs
            state = initial_state(words, settings)
            iterations = iter(range(1_000_000))

            def iteration() -> None:
                run_iteration(entries, state, settings, next(iterations), pool)

            times = alternate({"skip-gram epoch": epoch, "GloVe iteration": iteration}, arguments.repeats)
            report(
                times,
                "GloVe iteration",
                "skip-gram epoch",
                1 / 3,
                tokens=len(corpus.tokens),
                words=words,
                non_zeros=entries.non_zeros,
                counting=counting,
            )


def warm_up(settings: GloveSettings) -> None:
    """Compiles the kernels."""
    from relrep.baselines.glove import train_glove

    corpus = EncodedCorpus.from_sentences([["a", "b", "c"]])
    train_glove(corpus, GloveSettings(dim=settings.dim, iterations=1))


if __name__ == "__main__":
    main()
