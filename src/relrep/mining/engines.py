"""Engines: who reads the corpus and counts. The results are the same, bit by bit, whichever does it."""

import secrets
from abc import ABC, abstractmethod
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from relrep.mining.chunks import Chunks
from relrep.mining.counts import count_patterns
from relrep.mining.pairs import Pairs, select_pairs
from relrep.mining.patterns import Patterns, select_patterns
from relrep.mining.runs import Run, Summing, sum_chunks
from relrep.mining.settings import Selection
from relrep.progress import ProgressCallback, ignore
from relrep.text.encode import CorpusFacts, encode
from relrep.text.encoded import EncodedCorpus
from relrep.text.settings import CorpusSettings
from relrep.text.sources import find_sources, text_bytes


class Engine(ABC):
    """What the first stages of a run ask of an engine. `parts` is a folder for what an interrupted stage has done."""

    keeps_ids: bool = True
    """Whether the token ids will be at hand: the index, baselines and the objective `coherence` read them."""

    @abstractmethod
    def depends(self) -> dict[str, Any]:
        """What tells whether the corpus has changed."""

    @abstractmethod
    def text_bytes(self) -> int:
        """About how much text there is."""

    @abstractmethod
    def encode(self, folder: Path) -> tuple[EncodedCorpus, CorpusFacts]:
        """Leaves token ids, vocabulary and facts in `folder`."""

    def sharding_key(self, corpus: EncodedCorpus) -> str:
        """Changes with how the work is cut into parts."""
        return "whole"

    def summing(self, corpus: EncodedCorpus, parts: Path) -> Summing:
        """Sums what is counted in the chunks of the text; none where all is counted."""
        raise NotImplementedError

    def pairs(self, corpus: EncodedCorpus, selection: Selection, parts: Path) -> Pairs:
        """The selected pairs."""
        return select_pairs(self.summing(corpus, parts), corpus.vocabulary, selection)

    def patterns(self, corpus: EncodedCorpus, pairs: Pairs, selection: Selection, parts: Path) -> Patterns:
        """The kept patterns."""
        return select_patterns(self.summing(corpus, parts), corpus.vocabulary, pairs, selection)

    @abstractmethod
    def counts(
        self, corpus: EncodedCorpus, pairs: Pairs, patterns: Patterns, selection: Selection, folder: Path, parts: Path
    ) -> Run:
        """g(p, u, v) in `folder`."""

    def release(self) -> None:  # noqa: B027 (most have nothing to let go)
        """Mining is over: lets memory (or a cluster) go."""


class LocalEngine(Engine):
    """This machine, under a given amount of memory."""

    def __init__(
        self,
        corpus: Sequence[str | Path],
        settings: CorpusSettings,
        threads: int,
        memory: int,
        progress: ProgressCallback = ignore,
    ) -> None:
        self._names, self._settings = corpus, settings
        self._threads, self._memory, self._progress = threads, memory, progress
        self._last: Chunks | None = None

    def depends(self) -> dict[str, Any]:
        """The files, their sizes and times."""
        return {"corpus": file_facts(self._names)}

    def text_bytes(self) -> int:
        return text_bytes(find_sources(self._names))

    def encode(self, folder: Path) -> tuple[EncodedCorpus, CorpusFacts]:
        return encode(self._names, folder, self._settings, self._threads, self._progress)

    def _chunks(self, corpus: EncodedCorpus) -> Chunks:
        if self._last is None or self._last.corpus is not corpus:
            self._last = Chunks(corpus, self._memory, self._threads)
        return self._last

    def sharding_key(self, corpus: EncodedCorpus) -> str:
        return f"{len(self._chunks(corpus))}x{self._memory}"

    def summing(self, corpus: EncodedCorpus, parts: Path) -> Summing:
        return sum_chunks(self._chunks(corpus), parts, self._progress)

    def counts(
        self, corpus: EncodedCorpus, pairs: Pairs, patterns: Patterns, selection: Selection, folder: Path, parts: Path
    ) -> Run:
        return count_patterns(self._chunks(corpus), pairs, patterns, selection, folder, parts, self._progress)

    def release(self) -> None:
        self._last = None


def file_facts(corpus: Sequence[str | Path]) -> list[list[Any]]:
    """What tells whether the files have changed; standard input is new every time."""
    facts: list[list[Any]] = []
    for source in find_sources(corpus):
        if source.path is None:
            facts.append([secrets.token_hex(8)])
        else:
            status = source.path.stat()
            facts.append([str(source.path.resolve()), status.st_size, status.st_mtime_ns])
    return facts
