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

from relrep.baselines._kernels import padded_size, random_rows
from relrep.baselines._kernels.ivlbl import Parameters, Round, apply_round, cut_segments, round_gradients
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
    text = _Text(corpus, settings)
    state, done, losses = initial_state(len(corpus.vocabulary), settings), 0, np.zeros(2)
    saved = checkpoints.load()
    if saved:
        state, done, losses = saved[0], int(saved[1]["rounds"]), np.array(saved[1]["losses"])
    total = settings.epochs * text.rounds
    metrics: dict[str, float] = {}
    with ThreadPoolExecutor(threads) as pool:
        for number in range(done, total):
            if number % 64 == 0 or number % text.rounds == 0:
                epochs = round(number / text.rounds, 2)
                progress(Progress(STEP_TRAIN, epochs, settings.epochs, "epochs", _note(metrics), metrics))
            text.take_round(number)
            _run_round(text, state, losses, pool, threads)
            if (number + 1) % min(1024, text.rounds) == 0:
                metrics = {"loss": _mean_loss(losses, number // text.rounds + 1, settings)}
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


class _Text:
    """The corpus in segments, and the arrays that each round of them fills anew."""

    def __init__(self, corpus: EncodedCorpus, settings: IvlblSettings) -> None:
        counts = np.zeros(len(corpus.vocabulary), dtype=np.int64)
        count_words(corpus.tokens, counts)
        if counts.sum() < 2:
            raise RelrepError("the corpus has no two words of the vocabulary; give more text")
        self.tokens = corpus.tokens
        self.settings = settings
        self.keep = keep_probability(counts, settings.sample)
        self.noise = np.cumsum(counts * self.keep.astype(np.float64))
        self.bounds = cut_segments(corpus.tokens, SEGMENT_TOKENS)
        self.rounds = -(-(len(self.bounds) - 1) // BATCH_SEGMENTS)
        self.order: tuple[int, Longs] = (-1, np.zeros(0, dtype=np.int64))
        self.segments = np.zeros((0, 2), dtype=np.int64)
        self.noise_ids = np.zeros((0, 0), dtype=np.int32)
        self.words = np.zeros((BATCH_SEGMENTS, SEGMENT_TOKENS), dtype=np.int32)
        self.lengths = np.zeros(BATCH_SEGMENTS, dtype=np.int64)
        offsets, padded = 2 * settings.window, padded_size(settings.dim)
        noise = offsets * settings.noise_words

        def zeros(rows: int, size: int) -> Floats:
            return np.zeros((BATCH_SEGMENTS, rows, size), dtype=np.float32)

        self.gradients = Parameters(
            word=zeros(SEGMENT_TOKENS, padded),
            context=zeros(SEGMENT_TOKENS + noise, padded),
            bias=zeros(SEGMENT_TOKENS + noise, 1),
            weights=zeros(offsets, padded),
        )

    def take_round(self, number: int) -> None:
        """Chooses the segments of a round, another order every epoch, and their noise words."""
        epoch, place = divmod(number, self.rounds)
        if self.order[0] != epoch:
            random = np.random.default_rng([self.settings.seed, epoch])
            self.order = (epoch, random.permutation(len(self.bounds) - 1))
        chosen = self.order[1][place * BATCH_SEGMENTS : (place + 1) * BATCH_SEGMENTS]
        self.segments = np.stack([self.bounds[chosen], self.bounds[chosen + 1]], axis=1)
        random = np.random.default_rng([self.settings.seed, epoch, place])
        shape = (len(chosen), 2 * self.settings.window * self.settings.noise_words)
        draws = random.random(shape) * self.noise[-1]
        self.noise_ids = np.searchsorted(self.noise, draws, side="right").astype(np.int32)


def _run_round(text: _Text, state: Arrays, losses: Doubles, pool: ThreadPoolExecutor, threads: int) -> None:
    """First all gradients of the round, then all steps."""
    settings = text.settings
    lengths = text.lengths[: len(text.segments)]
    key = np.uint64(np.random.SeedSequence([settings.seed, text.order[0]]).generate_state(1, np.uint64)[0])
    rate = np.float32(settings.learning_rate)
    batch = Round(text.words, lengths, text.noise_ids, text.gradients)
    model = Parameters(*(state[name] for name in Parameters._fields))
    squares = Parameters(*(state[f"{name}_squares"] for name in Parameters._fields))

    def gradients(part: int) -> None:
        round_gradients(
            text.tokens, text.segments, text.keep, key, settings.window, model, batch, losses, part, threads
        )

    def steps(part: int) -> None:
        apply_round(batch, model, squares, rate, part, threads)

    list(pool.map(gradients, range(threads)))
    list(pool.map(steps, range(threads)))
