"""One epoch of ivLBL (recommended settings) against one epoch of gensim's skip-gram, on the same ids, in turn.

    python benchmarks/ivlbl_speed.py CORPUS [--dim 100] [--threads 2] [--repeats 3]

Target: no longer than skip-gram.
"""

from pathlib import Path

from skipgram_peer import alternate, open_corpus, parser, print_results, ratio, scratch, skipgram_epoch

from relrep.baselines.ivlbl import train_ivlbl
from relrep.baselines.settings import IvlblSettings
from relrep.text.encoded import EncodedCorpus


def main() -> None:
    arguments = parser(__doc__).parse_args()
    settings = IvlblSettings(dim=arguments.dim, epochs=1)
    train_ivlbl(EncodedCorpus.from_sentences([["a", "b", "c"]]), settings)  # compiles the kernels
    with scratch() as folder:
        corpus = open_corpus(arguments, Path(folder))
        epoch = skipgram_epoch(corpus, arguments, Path(folder))

        def own_epoch() -> None:
            train_ivlbl(corpus, settings, threads=arguments.threads)

        times = alternate({"skip-gram epoch": epoch, "ivLBL epoch": own_epoch}, arguments.repeats)
        print_results([ratio(times, "ivLBL epoch", "skip-gram epoch", 1.0)], corpus)


if __name__ == "__main__":
    main()
