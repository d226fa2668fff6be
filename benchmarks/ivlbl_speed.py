"""One epoch of ivLBL (recommended settings) against one of gensim's skip-gram and fastText, on the same text, in turns.

    python benchmarks/ivlbl_speed.py CORPUS [--dim 100] [--threads 2] [--repeats 3]

ivLBL with subwords is an epoch and a fifth of what spelling costs once in a run of five epochs.
"""

from pathlib import Path

from skipgram_peer import alternate, open_corpus, parser, print_results, ratio, scratch, skipgram_epoch

from relrep.baselines.ivlbl import train_ivlbl
from relrep.baselines.settings import IvlblSettings
from relrep.coherence.subwords import shrink_to_subwords
from relrep.coherence.training import CoherenceSettings
from relrep.text.encoded import EncodedCorpus

EPOCHS = IvlblSettings().epochs


def main() -> None:
    arguments = parser(__doc__).parse_args()
    settings, count = IvlblSettings(dim=arguments.dim, epochs=1), CoherenceSettings().subword_count
    small = EncodedCorpus.from_sentences([["a", "b", "c"]])
    shrink_to_subwords(train_ivlbl(small, settings), small.vocabulary.words, small.vocabulary.counts, count)  # compiles
    with scratch() as folder:
        corpus = open_corpus(arguments, Path(folder))
        vectors = []

        def own_epoch() -> None:
            vectors[:] = [train_ivlbl(corpus, settings, threads=arguments.threads)]

        def subwords() -> None:
            words, counts = corpus.vocabulary.words, corpus.vocabulary.counts
            shrink_to_subwords(vectors[0], words, counts, count, arguments.threads)

        runs = {
            "skip-gram epoch": skipgram_epoch(corpus, arguments, Path(folder)),
            "fastText epoch": skipgram_epoch(corpus, arguments, Path(folder), fasttext=True),
            "ivLBL epoch": own_epoch,
            "subwords": subwords,
        }
        times = alternate(runs, arguments.repeats)
        times["ivLBL epoch with subwords"] = {
            clock: [a + b / EPOCHS for a, b in zip(times["ivLBL epoch"][clock], times["subwords"][clock], strict=True)]
            for clock in ("wall", "cpu")
        }
        plain = ratio(times, "ivLBL epoch", "skip-gram epoch", 0.25)
        print_results([plain, ratio(times, "ivLBL epoch with subwords", "fastText epoch", 0.25)], corpus)


if __name__ == "__main__":
    main()
