"""GloVe: weighted least squares on the logarithms of windowed counts, by AdaGrad, in threads that never meet."""

import logging
import math
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np

from relrep.baselines._kernels import padded_size, random_rows
from relrep.baselines._kernels.glove import Parameters, train_block
from relrep.baselines.glove_counts import Blocks, arranged, count_cooccurrences, rounds, unit_of
from relrep.baselines.settings import GloveSettings
from relrep.core.arrays import Floats
from relrep.core.checkpoints import Arrays, Checkpoints, training_key
from relrep.errors import RelrepError
from relrep.progress import Progress, ProgressCallback, ignore
from relrep.text.encoded import EncodedCorpus

STEP_TRAIN = "training GloVe"
logger = logging.getLogger(__name__)


def train_glove(
    corpus: EncodedCorpus,
    settings: GloveSettings,
    folder: Path | None = None,
    threads: int = 1,
    memory: int = 4 << 30,
    progress: ProgressCallback = ignore,
) -> Floats:
    """Word plus context vectors, a row for each word of the vocabulary.

    The same seed gives the same bits on the same machine, for any number of threads and after any
    interruption (a checkpoint lies in `folder`).
    """
    key = training_key("glove", settings, corpus.vocabulary.words, corpus.tokens)
    checkpoints = Checkpoints(folder and folder / "glove.checkpoint.safetensors", key)
    words = len(corpus.vocabulary)
    padded = padded_size(settings.dim)
    runs = count_cooccurrences(corpus, settings.window, threads, memory, progress)
    unit = unit_of(settings.window)
    with arranged(runs, words, unit, 16 * padded, settings.seed, threads, memory, folder) as blocks:
        if not blocks.non_zeros:
            raise RelrepError("the corpus has no two words of the vocabulary near each other; give more text")
        logger.info("%d words, %d non-zero counts", words, blocks.non_zeros)
        saved = checkpoints.load()
        state, losses = (saved[0], list(saved[1]["losses"])) if saved else (initial_state(words, settings), [])
        total = settings.iterations
        with ThreadPoolExecutor(threads) as pool:
            for iteration in range(len(losses), total):
                progress(Progress(STEP_TRAIN, iteration, total, "iterations", *_report(losses)))
                losses.append(run_iteration(blocks, state, settings, iteration, pool))
                logger.info("iteration %d of %d: loss %.6f", iteration + 1, total, losses[-1])
                if not math.isfinite(losses[-1]):
                    raise RelrepError(
                        f"GloVe's loss is no longer a number in iteration {iteration + 1}; "
                        f"give a learning_rate below {settings.learning_rate}"
                    )
                checkpoints.save(state, {"losses": losses})
        progress(Progress(STEP_TRAIN, total, total, "iterations", *_report(losses)))
    checkpoints.save(state, {"losses": losses}, now=True)
    return np.ascontiguousarray((state["word"] + state["context"])[:, : settings.dim])


def _report(losses: list[float]) -> tuple[str, dict[str, float]]:
    return (f"loss {losses[-1]:.5f}", {"loss": round(losses[-1], 5)}) if losses else ("", {})


def initial_state(words: int, settings: GloveSettings) -> Arrays:
    """Small random vectors and biases; AdaGrad's sums of squares begin at 1."""
    random = np.random.default_rng(settings.seed)
    state: Arrays = {}
    for name in ("word", "context"):
        state[name] = random_rows(random, words, settings.dim)
        state[f"{name}_squares"] = np.ones_like(state[name])
    state["bias"] = np.ones((words, 4), dtype=np.float32)
    state["bias"][:, :2] = (random.random((words, 2), dtype=np.float32) - 0.5) / settings.dim
    return state


def run_iteration(
    blocks: Blocks, state: Arrays, settings: GloveSettings, iteration: int, pool: ThreadPoolExecutor
) -> float:
    """One pass over all counts, round by round; returns the mean loss of a count."""
    order = rounds()
    np.random.default_rng([settings.seed, iteration]).shuffle(order)
    losses: list[float] = []

    parameters = Parameters(*(state[name] for name in Parameters._fields))
    log_x_max, alpha = np.float32(math.log(settings.x_max)), np.float32(settings.alpha)
    rate = np.float32(settings.learning_rate)

    def train(block: int) -> float:
        return float(train_block(blocks.block(block), parameters, log_x_max, alpha, rate))

    for disjoint in order:  # the blocks of one round share no word, so they may run in any order or at once
        losses.extend(pool.map(train, disjoint))
    return math.fsum(losses) / blocks.non_zeros
