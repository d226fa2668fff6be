"""ivLBL: a word predicts each neighbour through weights of the offset, against noise; AdaGrad; same bits always.

A round takes a fixed number of segments of text from all over the corpus. Their gradients are computed
against the same vectors, by as many threads as there are, and then applied row by row in the order of the
segments.
"""

import logging
import math
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
from threadpoolctl import threadpool_limits

from relrep.baselines._kernels import padded_size, random_rows
from relrep.baselines._kernels.ivlbl import Parameters, Round, Text, apply_round, cut_segments, round_gradients
from relrep.baselines.settings import IvlblSettings
from relrep.core.arrays import Doubles, Floats, Longs
from relrep.core.checkpoints import Arrays, Checkpoints, training_key
from relrep.errors import RelrepError
from relrep.progress import Progress, ProgressCallback, ignore
from relrep.text.encoded import EncodedCorpus
from relrep.text.index import count_words

STEP_TRAIN = "training ivLBL"
BATCH_SEGMENTS = 16
"""Segments in a round: what threads can share, and how far gradients may lag behind."""
SEGMENT_TOKENS = 384
"""Places in a segment: the words that share noise."""
logger = logging.getLogger(__name__)


def train_ivlbl(
    corpus: EncodedCorpus,
    settings: IvlblSettings,
    folder: Path | None = None,
    threads: int = 1,
    progress: ProgressCallback = ignore,
) -> Floats:
    """The vectors of the predicting words, a row for each word of the vocabulary.

    The same seed gives the same bits on the same machine, for any number of threads and after any
    interruption (a checkpoint lies in `folder`).
    """
    key = training_key("ivlbl", settings, corpus.vocabulary.words, corpus.tokens)
    checkpoints = Checkpoints(folder and folder / "ivlbl.checkpoint.safetensors", key)
    rounds = _Rounds(corpus, settings, threads)
    state, done, losses = initial_state(len(corpus.vocabulary), settings), 0, np.zeros(2)
    saved = checkpoints.load()
    if saved:
        state, done, losses = saved[0], int(saved[1]["rounds"]), np.array(saved[1]["losses"])
    total = settings.epochs * rounds.in_epoch
    metrics: dict[str, float] = {}
    import scipy.linalg.cython_blas  # noqa: F401 (the BLAS of compiled kernels: here before its threads are limited)

    with ThreadPoolExecutor(threads) as pool, threadpool_limits(1):
        for number in range(done, total):
            if number % 64 == 0 or number % rounds.in_epoch == 0:
                epochs = round(number / rounds.in_epoch, 2)
                progress(Progress(STEP_TRAIN, epochs, settings.epochs, "epochs", _note(metrics), metrics))
            rounds.run(number, state, losses, pool)
            if (number + 1) % min(1024, rounds.in_epoch) == 0:
                metrics = {"loss": _mean_loss(losses, number // rounds.in_epoch + 1, settings)}
            checkpoints.save(state, {"rounds": number + 1, "losses": losses.tolist()})
    progress(Progress(STEP_TRAIN, settings.epochs, settings.epochs, "epochs", _note(metrics), metrics))
    checkpoints.save(state, {"rounds": total, "losses": losses.tolist()}, now=True)
    return np.ascontiguousarray(state["word"][:, : settings.dim])


def _note(metrics: dict[str, float]) -> str:
    return f"loss {metrics['loss']:.4f}" if metrics else ""


def _mean_loss(losses: Doubles, epoch: int, settings: IvlblSettings) -> float:
    """The mean loss since the last one; stops a training that has run away."""
    mean = losses[0] / max(losses[1], 1)
    if not math.isfinite(mean):
        raise RelrepError(
            f"ivLBL's loss is no longer a number in epoch {epoch}; give a learning_rate below {settings.learning_rate}"
        )
    losses[:] = 0
    logger.info("epoch %d: loss %.4f", epoch, mean)
    return round(float(mean), 4)


def initial_state(words: int, settings: IvlblSettings) -> Arrays:
    """Small random vectors; weights of the offsets 1; biases so that σ says 1 text word to k noise words."""
    random = np.random.default_rng(settings.seed)
    state: Arrays = {name: random_rows(random, words, settings.dim) for name in ("word", "context")}
    state["bias"] = np.full((words, 1), -math.log(settings.noise_words), dtype=np.float32)
    state["weights"] = np.ones((2 * settings.window, padded_size(settings.dim)), dtype=np.float32)
    for name in Parameters._fields:
        state[f"{name}_squares"] = np.full_like(state[name], settings.initial_square)
    return state


def keep_probability(counts: Longs, sample: float) -> Floats:
    """How likely an occurrence of each word is kept: sqrt(t / f) + t / f, at most 1 (as in word2vec)."""
    if sample == 0:
        return np.ones(len(counts), dtype=np.float32)
    ratio = sample * counts.sum() / np.maximum(counts, 1)
    shares: Floats = np.minimum(1, np.sqrt(ratio) + ratio).astype(np.float32)
    return shares


class _Rounds:
    """The corpus in segments, some of them at a time, and the arrays that each round of them fills anew."""

    def __init__(self, corpus: EncodedCorpus, settings: IvlblSettings, threads: int) -> None:
        counts = np.zeros(len(corpus.vocabulary), dtype=np.int64)
        count_words(corpus.tokens, counts)
        if counts.sum() < 2:
            raise RelrepError("the corpus has no two words of the vocabulary; give more text")
        self.settings, self.threads = settings, threads
        keep = keep_probability(counts, settings.sample)
        noise: Doubles = np.cumsum(counts * keep.astype(np.float64))
        bounds = cut_segments(corpus.tokens, SEGMENT_TOKENS)
        self.text = Text(corpus.tokens, bounds, keep, noise, np.zeros(2, dtype=np.uint64))
        self.n_segments = len(bounds) - 1
        self.in_epoch = -(-self.n_segments // BATCH_SEGMENTS)
        self.order: tuple[int, Longs] = (-1, np.zeros(0, dtype=np.int64))
        offsets, padded = 2 * settings.window, padded_size(settings.dim)
        noise_words = offsets * settings.noise_words

        def zeros(rows: int, size: int) -> Floats:
            return np.zeros((BATCH_SEGMENTS, rows, size), dtype=np.float32)

        gradients = Parameters(
            word=zeros(SEGMENT_TOKENS, padded),
            context=zeros(SEGMENT_TOKENS + noise_words, padded),
            bias=zeros(SEGMENT_TOKENS + noise_words, 1),
            weights=zeros(offsets, padded),
        )
        words, noise_ids = (np.zeros((BATCH_SEGMENTS, n), dtype=np.int32) for n in (SEGMENT_TOKENS, noise_words))
        self.batch = Round(words, np.zeros(BATCH_SEGMENTS, dtype=np.int64), noise_ids, gradients)

    def _chosen(self, number: int) -> Longs:
        """The segments of a round, another order every epoch."""
        epoch, place = divmod(number, self.in_epoch)
        if self.order[0] != epoch:
            seed = [self.settings.seed, epoch]
            self.order = (epoch, np.random.default_rng(seed).permutation(self.n_segments))
            self.text.keys[:] = np.random.SeedSequence(seed).generate_state(2, np.uint64)
        return self.order[1][place * BATCH_SEGMENTS : (place + 1) * BATCH_SEGMENTS]

    def run(self, number: int, state: Arrays, losses: Doubles, pool: ThreadPoolExecutor) -> None:
        """First all gradients of a round, then all steps."""
        chosen, settings = self._chosen(number), self.settings
        words, lengths, noise_ids, gradients = self.batch
        batch = Round(words, lengths[: len(chosen)], noise_ids, gradients)
        rate = np.float32(settings.learning_rate)
        model = Parameters(*(state[name] for name in Parameters._fields))
        squares = Parameters(*(state[f"{name}_squares"] for name in Parameters._fields))

        def take_gradients(part: int) -> None:
            round_gradients(self.text, chosen, settings.window, model, batch, losses, part, self.threads)

        def take_steps(part: int) -> None:
            apply_round(batch, model, squares, rate, part, self.threads)

        list(pool.map(take_gradients, range(self.threads)))
        list(pool.map(take_steps, range(self.threads)))
