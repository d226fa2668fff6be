"""ivLBL: a word predicts each neighbour through weights of the offset, against noise; AdaGrad; same bits always.

The current word r predicts the word q at each offset i of its window:

    s = (c_i ⊙ r) · q + b_q          P(text, not noise) = σ(s - log(k P_noise(q)))

The k noise words of an offset are shared by all words of a segment of text, so that noise costs matrix products and not
dot products. Biases are kept as b - log(k P_noise), which is what σ needs.

A round takes a fixed number of segments from all over the corpus. Their gradients are computed against the same
vectors, each by one thread (BLAS starts none of its own: the order of its sums would depend on their number), and then
applied row by row in the order of the segments.
"""

import logging
import math
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from relrep.baselines._kernels.ivlbl import (
    Parameters,
    adagrad,
    add_neighbour_gradients,
    cut_segments,
    errors_of,
    neighbour_scores,
    true_neighbours,
)
from relrep.baselines._kernels.rows import padded_size, random_rows
from relrep.baselines.settings import IvlblSettings
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


class Segment(NamedTuple):
    """Some text after subsampling: its words, the numbers of their sentences, its noise words (k for each offset)."""

    words: NDArray[np.int32]
    sentences: NDArray[np.int64]
    noise_ids: NDArray[np.int32]


def train_ivlbl(
    corpus: EncodedCorpus,
    settings: IvlblSettings,
    folder: Path | None = None,
    threads: int = 1,
    progress: ProgressCallback = ignore,
) -> NDArray[np.float32]:
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
    with ThreadPoolExecutor(threads) as pool, threadpool_limits(1):
        for number in range(done, total):
            if number % 64 == 0 or number % text.rounds == 0:
                epochs = round(number / text.rounds, 2)
                progress(Progress(STEP_TRAIN, epochs, settings.epochs, "epochs", _note(metrics), metrics))
            losses += _run_round(text.round(number), state, settings, pool, threads)
            if (number + 1) % min(1024, text.rounds) == 0:
                metrics = {"loss": _mean_loss(losses, number // text.rounds + 1, settings)}
            checkpoints.save(state, {"rounds": number + 1, "losses": losses.tolist()})
    progress(Progress(STEP_TRAIN, settings.epochs, settings.epochs, "epochs", _note(metrics), metrics))
    checkpoints.save(state, {"rounds": total, "losses": losses.tolist()}, now=True)
    return np.ascontiguousarray(state["word"][:, : settings.dim])


def _note(metrics: dict[str, float]) -> str:
    return f"loss {metrics['loss']:.4f}" if metrics else ""


def _mean_loss(losses: NDArray[np.float64], epoch: int, settings: IvlblSettings) -> float:
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


def keep_probability(counts: NDArray[np.int64], sample: float) -> NDArray[np.float32]:
    """How likely an occurrence of each word is kept: sqrt(t / f) + t / f, at most 1 (as in word2vec).

    >>> keep_probability(np.array([90, 10]), 0.1).round(2).tolist()
    [0.4399999976158142, 1.0]
    """
    if sample == 0:
        return np.ones(len(counts), dtype=np.float32)
    ratio = sample * counts.sum() / np.maximum(counts, 1)
    shares: NDArray[np.float32] = np.minimum(1, np.sqrt(ratio) + ratio).astype(np.float32)
    return shares


class _Text:
    """The corpus in segments."""

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
        self.order: tuple[int, NDArray[np.int64]] = (-1, np.zeros(0, dtype=np.int64))

    def round(self, number: int) -> list[Segment]:
        """The segments of a round, another order every epoch, with what subsampling keeps and their noise words."""
        epoch, place = divmod(number, self.rounds)
        if self.order[0] != epoch:
            random = np.random.default_rng([self.settings.seed, epoch])
            self.order = (epoch, random.permutation(len(self.bounds) - 1))
        chosen = self.order[1][place * BATCH_SEGMENTS : (place + 1) * BATCH_SEGMENTS]
        random = np.random.default_rng([self.settings.seed, epoch, place])
        shape = (len(chosen), 2 * self.settings.window * self.settings.noise_words)
        draws = random.random(shape) * self.noise[-1]
        noise_ids = np.searchsorted(self.noise, draws, side="right").astype(np.int32)
        chances = random.random((len(chosen), SEGMENT_TOKENS), dtype=np.float32)
        return [
            subsampled(self.tokens[self.bounds[s] : self.bounds[s + 1]], self.keep, chances[row], noise_ids[row])
            for row, s in enumerate(chosen)
        ]


def subsampled(
    tokens: NDArray[np.int32],
    keep: NDArray[np.float32],
    chances: NDArray[np.float32],
    noise_ids: NDArray[np.int32],
) -> Segment:
    """The words of a segment that frequency sampling keeps: -1 ends a sentence, what is below is no word either."""
    kept = (tokens >= 0) & (chances[: len(tokens)] < keep[tokens])
    return Segment(tokens[kept], np.cumsum(tokens == -1)[kept], noise_ids)


@np.errstate(over="ignore", invalid="ignore")  # a training that runs away is noticed by its loss
def segment_gradients(segment: Segment, model: Parameters, with_loss: bool) -> tuple[Parameters, NDArray[np.float64]]:
    """The gradients of a segment: rows for its words, for its words and noise words (contexts, biases), for offsets.

    Also the loss (0 unless asked for) and the number of true neighbours.
    """
    length, offsets = len(segment.words), len(model.weights)
    contexts = np.concatenate([segment.words, segment.noise_ids])
    word, context, bias = model.word[segment.words], model.context[contexts], model.bias[contexts]
    valid = true_neighbours(segment.sentences, offsets // 2)

    # Noise: a row of `weighted` for each noise word, those of an offset side by side.
    noise = context[length:].reshape(offsets, -1, word.shape[1])
    weighted = (noise * model.weights[:, None]).reshape(len(segment.noise_ids), -1)
    noise_scores = weighted @ word.T + bias[length:]
    errors = errors_of(noise_scores, valid, 0)
    d_weighted = (errors @ word).reshape(noise.shape)
    d_word = errors.T @ weighted
    d_context, d_bias = np.zeros_like(context), np.zeros_like(bias)
    d_context[length:] = (d_weighted * model.weights[:, None]).reshape(weighted.shape)
    d_bias[length:] = errors.sum(axis=1, keepdims=True)
    d_weights = (d_weighted * noise).sum(axis=1)

    # Text
    columns = (np.ascontiguousarray(rows.T) for rows in (word, context[:length]))
    scores = neighbour_scores(*columns, bias[:length, 0], model.weights)
    errors = errors_of(scores, valid, 1)
    gradients = Parameters(d_word, d_context, d_bias, d_weights)
    add_neighbour_gradients(errors, Parameters(word, context, bias, model.weights), gradients)
    loss = 0.0
    if with_loss:
        by_offset = np.logaddexp(0, noise_scores.astype(np.float64)).reshape(*noise.shape[:2], length).sum(axis=1)
        loss = float(((by_offset + np.logaddexp(0, -scores.astype(np.float64))) * valid).sum())
    return gradients, np.array([loss, valid.sum()])


def _run_round(
    segments: list[Segment], state: Arrays, settings: IvlblSettings, pool: ThreadPoolExecutor, threads: int
) -> NDArray[np.float64]:
    """First all gradients of the round, then all steps; the first segment's loss and neighbours stand for it."""
    rate = np.float32(settings.learning_rate)
    model = Parameters(*(state[name] for name in Parameters._fields))
    squares = Parameters(*(state[f"{name}_squares"] for name in Parameters._fields))

    def gradients_of(number: int) -> tuple[Parameters, NDArray[np.float64]]:
        return segment_gradients(segments[number], model, with_loss=number == 0)

    results = list(pool.map(gradients_of, range(len(segments))))

    def take_steps(part: int) -> None:
        for segment, (gradients, _) in zip(segments, results, strict=True):
            apply_gradients(segment, gradients, model, squares, rate, part, threads)

    list(pool.map(take_steps, range(threads)))
    return results[0][1]


def apply_gradients(
    segment: Segment,
    gradients: Parameters,
    model: Parameters,
    squares: Parameters,
    rate: np.float32,
    part: int,
    parts: int,
) -> None:
    """Takes the AdaGrad steps of a segment for the rows whose id is `part` modulo `parts`."""
    contexts = np.concatenate([segment.words, segment.noise_ids])
    offsets = np.arange(len(model.weights), dtype=np.int32)
    for ids, *arrays in zip((segment.words, contexts, contexts, offsets), gradients, model, squares, strict=True):
        adagrad(ids, *arrays, rate, part, parts)
