"""GloVe: weighted least squares on the logarithms of windowed counts, by AdaGrad, in threads that never meet."""

import logging
import math
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from relrep.baselines._kernels.glove import train_block
from relrep.baselines.checkpoints import Arrays, Checkpoints, fingerprint
from relrep.baselines.cooccurrence import count_cooccurrences, unit_of
from relrep.baselines.glove_blocks import Entries, arranged, rounds
from relrep.baselines.rows import padded_size, random_rows
from relrep.baselines.settings import GloveSettings
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
) -> NDArray[np.float32]:
    """Word plus context vectors, a row for each word of the vocabulary.

    The same seed gives the same bits on the same machine, for any number of threads and after any
    interruption (a checkpoint lies in `folder`).
    """
    checkpoints = Checkpoints(folder, "glove", fingerprint("glove", corpus, settings) if folder else "")
    words = len(corpus.vocabulary)
    padded = padded_size(settings.dim)
    runs = count_cooccurrences(corpus, settings.window, threads, memory, progress)
    unit = unit_of(settings.window)
    with arranged(runs, words, unit, 16 * padded, settings.seed, threads, memory, folder) as entries:
        if not len(entries.rarer):
            raise RelrepError("the corpus has no two words of the vocabulary near each other; give more text")
        logger.info("%d words, %d non-zero counts", words, entries.non_zeros)
        held = checkpoints.load()
        state, losses = (held[0], list(held[1]["losses"])) if held else (initial_state(words, settings), [])
        total = settings.iterations
        with ThreadPoolExecutor(threads) as pool:
            for iteration in range(len(losses), total):
                progress(Progress(STEP_TRAIN, iteration, total, "iterations", *_report(losses)))
                losses.append(run_iteration(entries, state, settings, iteration, pool))
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
    entries: Entries, state: Arrays, settings: GloveSettings, iteration: int, pool: ThreadPoolExecutor
) -> float:
    """One pass over all counts, round by round; returns the mean loss of a count."""
    order = rounds()
    np.random.default_rng([settings.seed, iteration]).shuffle(order)
    losses: list[float] = []

    def train(block: int) -> float:
        part = slice(int(entries.bounds[block]), int(entries.bounds[block + 1]))
        return float(
            train_block(
                entries.rarer[part],
                entries.other[part],
                entries.log_count[part],
                state["word"],
                state["context"],
                state["word_squares"],
                state["context_squares"],
                state["bias"],
                np.float32(math.log(settings.x_max)),
                np.float32(settings.alpha),
                np.float32(settings.learning_rate),
            )
        )

    for blocks in order:  # the blocks of one round share no word, so they may run in any order or at once
        losses.extend(pool.map(train, blocks))
    return math.fsum(losses) / entries.non_zeros
