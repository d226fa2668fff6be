"""The miner on a corpus in memory, for tests."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from relrep.mining.bound import BoundPairs, PatternList, bound_pairs
from relrep.mining.chunks import Chunks
from relrep.mining.counts import count_patterns
from relrep.mining.pairs import Pairs, select_pairs
from relrep.mining.patterns import Patterns, select_patterns
from relrep.mining.runs import Run, sum_chunks
from relrep.mining.settings import MiningSettings, Selection
from relrep.progress import ignore
from relrep.text.encoded import EncodedCorpus


@dataclass(frozen=True)
class Mined:
    """What mining finds."""

    pairs: Pairs
    patterns: Patterns
    counts: Run


def mine(
    corpus: EncodedCorpus,
    selection: Selection,
    work: Path,
    memory: int = 4 << 30,
    threads: int = 1,
    most_tokens: int | None = None,
) -> Mined:
    """Pairs, patterns and counts; shards wait in `work`. A chunk has at most `most_tokens`."""
    chunks = Chunks(corpus, memory, threads, most_tokens)
    sums = sum_chunks(chunks, work, ignore)
    pairs = select_pairs(sums, corpus.vocabulary, selection)
    if not len(pairs):
        nothing = np.zeros(0, dtype=np.int32)
        patterns = Patterns([], [], nothing.astype(np.bool_), nothing.astype(np.int64))
        return Mined(pairs, patterns, Run(np.zeros(1, dtype=np.int64), nothing, nothing))
    patterns = select_patterns(sums, corpus.vocabulary, pairs, selection)
    return Mined(pairs, patterns, count_patterns(chunks, pairs, patterns, selection, work / "counts", work))


def mine_bound(corpus: EncodedCorpus, settings: MiningSettings, work: Path) -> tuple[BoundPairs, PatternList]:
    """Bound pairs and the patterns between them."""
    mined = mine(corpus, settings.bound, work)
    return bound_pairs(mined.pairs, mined.counts, mined.patterns, settings.max_gap + 1)
