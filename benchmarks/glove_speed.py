"""One iteration of GloVe (window 10) against one epoch of gensim's skip-gram, and its counting against relrep's mining.

    python benchmarks/glove_speed.py CORPUS [--dim 100] [--threads 2] [--repeats 3]

All on the same token ids, in turn. Targets: an iteration takes at most a third of the epoch; counting takes no
longer than mining.
"""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from shutil import rmtree

from skipgram_peer import alternate, open_corpus, parser, print_results, ratio, scratch, skipgram_epoch

from relrep.baselines._kernels import padded_size
from relrep.baselines.glove import initial_state, run_iteration, train_glove
from relrep.baselines.glove_counts import arranged, count_cooccurrences, unit_of
from relrep.baselines.settings import GloveSettings
from relrep.mining.chunks import Chunks
from relrep.mining.counts import count_patterns
from relrep.mining.pairs import select_pairs
from relrep.mining.patterns import select_patterns
from relrep.mining.settings import MiningSettings
from relrep.text.encoded import EncodedCorpus

MEMORY = 8 << 30


def main() -> None:
    arguments = parser(__doc__ or "").parse_args()
    settings = GloveSettings(dim=arguments.dim)
    with scratch() as name, ThreadPoolExecutor(arguments.threads) as pool:
        folder = Path(name)
        compile_kernels(folder)
        corpus = open_corpus(arguments, folder)
        counting = {
            "mining": mining(corpus, arguments.threads, folder / "mining"),
            "counting": lambda: list(count_cooccurrences(corpus, settings.window, arguments.threads, MEMORY)),
        }
        counted = alternate(counting, arguments.repeats)
        epoch = skipgram_epoch(corpus, arguments, folder)
        runs = count_cooccurrences(corpus, settings.window, arguments.threads, MEMORY)
        unit, row = unit_of(settings.window), 16 * padded_size(settings.dim)
        with arranged(
            runs, len(corpus.vocabulary), unit, row, settings.seed, arguments.threads, MEMORY, folder
        ) as blocks:
            state = initial_state(len(corpus.vocabulary), settings)
            numbers = iter(range(1_000_000))

            def iteration() -> None:
                run_iteration(blocks, state, settings, next(numbers), pool)

            trained = alternate({"skip-gram epoch": epoch, "GloVe iteration": iteration}, arguments.repeats)
            results = [
                ratio(trained, "GloVe iteration", "skip-gram epoch", 1 / 3),
                ratio(counted, "counting", "mining", 1.0),
            ]
            print_results(results, corpus, non_zeros=blocks.non_zeros)


def mining(corpus: EncodedCorpus, threads: int, folder: Path) -> Callable[[], None]:
    """All of relrep's mining for the paper: pairs, patterns and their counts."""

    def run() -> None:
        chunks, selection = Chunks(corpus, MEMORY, threads), MiningSettings().paper
        pairs = select_pairs(chunks, selection, folder)
        patterns = select_patterns(chunks, pairs, selection, folder)
        count_patterns(chunks, pairs, patterns, selection, folder / "counts", folder)
        rmtree(folder)

    return run


def compile_kernels(folder: Path) -> None:
    """Compilation is not timed."""
    corpus = EncodedCorpus.from_sentences([["the", "cat", "is", "a", "large", "animal"]] * 60)
    train_glove(corpus, GloveSettings(dim=8, iterations=1))
    mining(corpus, 1, folder / "small")()


if __name__ == "__main__":
    main()
