"""Text becomes token ids on disk, once: blocks are tokenised in parallel, their words united, their ids renumbered."""

import hashlib
import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from relrep.corpus.encoded import UNKNOWN, EncodedCorpus
from relrep.corpus.readers import Block, read_blocks
from relrep.corpus.settings import CorpusSettings
from relrep.corpus.sources import Source, find_sources
from relrep.corpus.tokens import TokenBlock, tokenise
from relrep.corpus.vocabulary import Vocabulary
from relrep.errors import RelrepError
from relrep.files import disk_error, remove, written_whole
from relrep.kernels.tokenise import renumber, unite
from relrep.progress import Progress, ProgressCallback, ignore
from relrep.threads import run_in_threads

STEP_TOKENISE = "reading text"
STEP_NUMBER = "numbering words"


@dataclass(frozen=True)
class CorpusFacts:
    """What was read: goes into the model's record."""

    sources: list[str]
    text_bytes: int
    tokens: int
    sentences: int
    unknown_tokens: int
    distinct_tokens: int
    words: int
    replaced_bytes: int
    fingerprint: str

    def write(self, folder: Path) -> None:
        """Leaves the facts beside the ids."""
        (folder / "facts.json").write_text(json.dumps(asdict(self), indent=2) + "\n", encoding="utf-8")

    @classmethod
    def read(cls, folder: Path) -> "CorpusFacts":
        """The facts that `write` left."""
        return cls(**json.loads((folder / "facts.json").read_text(encoding="utf-8")))


def encode(
    corpus: Sequence[str | Path],
    folder: Path,
    settings: CorpusSettings,
    threads: int = 1,
    progress: ProgressCallback = ignore,
) -> tuple[EncodedCorpus, CorpusFacts]:
    """Reads all text of `corpus` and leaves token ids and vocabulary in `folder`, which appears when all is done.

    Tokenised blocks wait in a sibling folder, so that an interrupted reading goes on where it was.
    """
    sources = find_sources(corpus)
    waiting = folder.with_name(f"{folder.name}.blocks")
    try:
        waiting.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise disk_error(error, waiting) from error
    blocks = _tokenise_all(sources, waiting, settings, threads, progress)
    with written_whole(folder) as target:
        target.mkdir()
        facts = _number_words(sources, blocks, target, settings, threads, progress)
        facts.write(target)
    remove(waiting)
    return EncodedCorpus.open(folder), facts


@dataclass(frozen=True)
class _BlockRecord:
    path: Path
    digest: bytes
    text_bytes: int
    replaced: int


def _tokenise_all(
    sources: list[Source],
    folder: Path,
    settings: CorpusSettings,
    threads: int,
    progress: ProgressCallback,
) -> list[_BlockRecord]:
    total = sum(source.size for source in sources)

    def numbered() -> Iterator[tuple[int, Block, int]]:
        number = 0
        before = 0
        for source in sources:
            for block in read_blocks(source):
                yield number, block, before + block.position
                number += 1
            before += source.size

    def work(task: tuple[int, Block, int]) -> tuple[_BlockRecord, int]:
        number, block, position = task
        key = hashlib.blake2b(repr(settings).encode() + b"\n" + block.data, digest_size=16)
        digest = hashlib.blake2b(block.data, digest_size=16).digest()
        path = folder / f"{number:06}-{key.hexdigest()}.npz"
        if not path.exists():
            tokens = tokenise(block.data, settings)
            with written_whole(path) as part, part.open("wb") as file:
                np.savez(file, ids=tokens.ids, text=tokens.text, starts=tokens.starts, counts=tokens.counts)
        return _BlockRecord(path, digest, len(block.data), block.replaced), position

    records: list[_BlockRecord] = []
    progress(Progress(STEP_TOKENISE, 0, total or None, "bytes"))
    for record, position in run_in_threads(work, numbered(), threads):
        records.append(record)
        progress(Progress(STEP_TOKENISE, position, total or None, "bytes"))
    if not records:
        raise RelrepError(f"{sources[0].name}: the corpus holds no text; name files that do")
    return records


def _load(path: Path) -> TokenBlock:
    with np.load(path, allow_pickle=False) as held:
        return TokenBlock(held["ids"], held["text"], held["starts"], held["counts"])


def _number_words(
    sources: list[Source],
    records: list[_BlockRecord],
    folder: Path,
    settings: CorpusSettings,
    threads: int,
    progress: ProgressCallback,
) -> CorpusFacts:
    progress(Progress(STEP_NUMBER, 0, len(records)))
    texts, lengths, counts, sizes = [], [], [], []
    for record in records:
        with np.load(record.path, allow_pickle=False) as held:
            texts.append(held["text"])
            lengths.append(np.diff(held["starts"]))
            counts.append(held["counts"])
        sizes.append(len(lengths[-1]))
    text = np.concatenate(texts)
    starts = np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum(np.concatenate(lengths))])
    number, first, total = unite(text, starts, np.concatenate(counts))
    vocabulary, new_ids = _ranked(text, starts, first, total, settings)
    if not len(vocabulary):
        raise RelrepError(
            f"{sources[0].name}: no word occurs {settings.min_count} times; give more text or a smaller min_count"
        )

    bounds = np.concatenate([[0], np.cumsum(sizes)])
    offset = sentences = unknown = 0
    with (folder / "tokens.i32").open("wb") as file:

        def work(index: int) -> NDArray[np.int32]:
            block = _load(records[index].path)
            out = np.empty_like(block.ids)
            renumber(block.ids, new_ids[number[bounds[index] : bounds[index + 1]]], out)
            return out

        for index, ids in enumerate(run_in_threads(work, range(len(records)), threads)):
            file.write(ids.data)
            offset += len(ids)
            sentences += int(np.count_nonzero(ids == -1))
            unknown += int(np.count_nonzero(ids == UNKNOWN))
            progress(Progress(STEP_NUMBER, index + 1, len(records)))
    vocabulary.write(folder / "vocab.txt")
    return CorpusFacts(
        sources=[source.name for source in sources],
        text_bytes=sum(record.text_bytes for record in records),
        tokens=offset - sentences,
        sentences=sentences,
        unknown_tokens=unknown,
        distinct_tokens=len(first),
        words=len(vocabulary),
        replaced_bytes=sum(record.replaced for record in records),
        fingerprint=hashlib.blake2b(
            b"".join(record.digest for record in records), digest_size=16
        ).hexdigest(),
    )


def _ranked(
    text: NDArray[np.uint8],
    starts: NDArray[np.int64],
    first: NDArray[np.int64],
    total: NDArray[np.int64],
    settings: CorpusSettings,
) -> tuple[Vocabulary, NDArray[np.int32]]:
    """The vocabulary by falling frequency, ties by spelling; and the id of every distinct token (or UNKNOWN)."""
    data = text.tobytes()
    frequent = np.flatnonzero(total >= settings.min_count)
    spelled = [
        (-int(total[word]), data[starts[first[word]] : starts[first[word] + 1]], int(word))
        for word in frequent
    ]
    spelled.sort()  # the order of UTF-8 bytes is that of the characters
    if settings.max_words:
        spelled = spelled[: settings.max_words]
    new_ids = np.full(len(first), UNKNOWN, dtype=np.int32)
    new_ids[[word for _, _, word in spelled]] = np.arange(len(spelled), dtype=np.int32)
    words = [spelling.decode() for _, spelling, _ in spelled]
    return Vocabulary(words, np.array([-count for count, _, _ in spelled], dtype=np.int64)), new_ids
