"""Skip-gram, CBOW and fastText by gensim, fed with our tokens: vocabulary and sentences are those of all systems."""

import logging
import os
from collections.abc import Sequence
from importlib.util import find_spec
from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from relrep.baselines.settings import CbowSettings, FasttextSettings, GensimSettings, SkipgramSettings
from relrep.core.arrays import Floats, Ints
from relrep.errors import RelrepError
from relrep.progress import Progress, ProgressCallback, ignore
from relrep.text.encoded import SENTENCE_END, EncodedCorpus
from relrep.text.index import count_words

STEP_WRITE = "writing text for gensim"
WRITTEN_AT_ONCE = 1 << 20
_TITLES = {SkipgramSettings: "skip-gram", CbowSettings: "CBOW", FasttextSettings: "fastText"}
LONGEST_LINE = 10_000
"""gensim cuts longer sentences."""
logger = logging.getLogger(__name__)


def train_word2vec(
    corpus: EncodedCorpus,
    settings: GensimSettings,
    folder: Path | None = None,
    threads: int = 1,
    progress: ProgressCallback = ignore,
) -> Floats:
    """The vectors of skip-gram, CBOW or fastText (by the kind of the settings), a row for each word of the vocabulary.

    With one worker (`reproducible`) the same seed gives the same bits; several workers race, as gensim does
    it. The text goes to gensim as a file in `folder` (or the system's place for temporary files).
    """
    require_gensim()
    counts = np.zeros(len(corpus.vocabulary), dtype=np.int64)
    count_words(corpus.tokens, counts)
    if counts.sum() < 2:
        raise RelrepError("the corpus has no two words of the vocabulary; give more text")
    names = _names(corpus, settings)
    model = _model(settings, threads)
    model.build_vocab_from_freq({names[word]: int(count) for word, count in enumerate(counts) if count})
    with TemporaryDirectory(prefix="scratch-gensim-", dir=folder) as scratch:
        path = Path(scratch) / "text.txt"
        write_text(corpus.tokens, names, path, progress)
        model.train(
            corpus_file=os.fspath(path),
            total_words=int(counts.sum()),
            epochs=settings.epochs,
            compute_loss=True,
            callbacks=[
                _epoch_reporter(f"training {_TITLES[type(settings)]}", settings.epochs, int(counts.sum()), progress)
            ],
        )
    vectors = np.zeros((len(corpus.vocabulary), settings.dim), dtype=np.float32)
    for word, name in enumerate(names):
        row = model.wv.key_to_index.get(name)
        if row is not None:
            vectors[word] = model.wv.vectors[row]
    return vectors


def _names(corpus: EncodedCorpus, settings: GensimSettings) -> list[str]:
    """How gensim is told the words: fastText has to see their spelling, for the others ids are shorter."""
    words = corpus.vocabulary.words
    return list(words) if isinstance(settings, FasttextSettings) else [str(word) for word in range(len(words))]


def _model(settings: GensimSettings, threads: int) -> Any:
    """gensim's model with these settings, not yet trained."""
    from gensim.models.fasttext import FastText
    from gensim.models.word2vec import Word2Vec

    shared = {
        "vector_size": settings.dim,
        "window": settings.window,
        "sg": int(not isinstance(settings, CbowSettings)),
        "negative": settings.negative,
        "sample": settings.sample,
        "alpha": settings.learning_rate,
        "seed": settings.seed,
        "min_count": 1,
        "workers": 1 if settings.reproducible else threads,
    }
    if isinstance(settings, FasttextSettings):
        return FastText(**shared, min_n=settings.min_n, max_n=settings.max_n, bucket=settings.buckets)
    return Word2Vec(**shared)


def require_gensim() -> None:
    """Says in one sentence that gensim is missing, if it is."""
    if find_spec("gensim") is None:
        raise RelrepError(
            "skip-gram, CBOW and fastText need gensim, which is missing; run: pip install 'relrep[baselines]'"
        )


def write_text(tokens: Ints, names: Sequence[str], path: Path, progress: ProgressCallback = ignore) -> None:
    """Writes one sentence a line, words by their names; unknown words are left out, as word2vec does with rare ones."""
    ends = np.append(np.flatnonzero(tokens == SENTENCE_END), len(tokens)).tolist()
    with path.open("w", encoding="utf-8") as file:
        for begin, end in pairwise([-1, *ends]):
            words = [names[token] for token in tokens[begin + 1 : end].tolist() if token >= 0]
            for first in range(0, len(words), LONGEST_LINE):
                file.write(" ".join(words[first : first + LONGEST_LINE]) + "\n")
            if begin // WRITTEN_AT_ONCE < end // WRITTEN_AT_ONCE:
                progress(Progress(STEP_WRITE, end, len(tokens), "tokens"))
    progress(Progress(STEP_WRITE, len(tokens), len(tokens), "tokens"))


def _epoch_reporter(step: str, epochs: int, words: int, progress: ProgressCallback) -> Any:
    """A gensim callback that reports each epoch and its loss for a word."""
    from gensim.models.callbacks import CallbackAny2Vec

    class EpochReporter(CallbackAny2Vec):  # type: ignore[misc]
        def __init__(self) -> None:
            self.done = 0
            self.loss = 0.0

        def on_train_begin(self, model: Any) -> None:
            progress(Progress(step, 0, epochs, "epochs"))

        def on_epoch_end(self, model: Any) -> None:
            self.done += 1
            loss = float(model.get_latest_training_loss())  # summed over all epochs so far
            mean = round((loss - self.loss) / words, 4)
            note = f"loss {mean:.4f}"
            self.loss = loss
            logger.info("%s, epoch %d of %d: %s", step, self.done, epochs, note)
            progress(Progress(step, self.done, epochs, "epochs", note, {"loss": mean}))

    return EpochReporter()
