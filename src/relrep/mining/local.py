"""The local engine: pairs, patterns and counts on this machine, under a given amount of memory."""

from dataclasses import dataclass
from pathlib import Path

from relrep.corpus import EncodedCorpus
from relrep.files import disk_error
from relrep.mining.chunks import Chunks
from relrep.mining.counts import count_patterns
from relrep.mining.pairs import Pairs, select_pairs
from relrep.mining.patterns import Patterns, select_patterns
from relrep.mining.runs import Run
from relrep.mining.settings import MiningSettings
from relrep.progress import ProgressCallback, ignore


@dataclass(frozen=True, eq=False)
class Mined:
    """What mining found: the selected pairs, the kept patterns, and g(p, u, v) with a row a pair."""

    pairs: Pairs
    patterns: Patterns
    counts: Run


def mine(
    corpus: EncodedCorpus,
    settings: MiningSettings,
    folder: Path,
    memory: int = 4 << 30,
    threads: int = 1,
    progress: ProgressCallback = ignore,
) -> Mined:
    """Mines a corpus; the counts stay on disk in `folder`.

    The result depends on the text and the settings alone, not on `memory` or `threads`.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise disk_error(error, folder) from error
    chunks = Chunks(corpus, memory, threads)
    pairs = select_pairs(chunks, settings, folder, memory, progress)
    patterns = select_patterns(chunks, pairs, settings, folder, memory, progress)
    counts = count_patterns(chunks, pairs, patterns, settings, folder / "counts", folder, memory, progress)
    return Mined(pairs, patterns, counts)
