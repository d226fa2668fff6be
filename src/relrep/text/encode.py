"""Text becomes token ids on disk, once: blocks are tokenised in parallel, their words united, their ids renumbered."""

import contextlib
import hashlib
import json
import threading
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from io import RawIOBase
from pathlib import Path
from typing import BinaryIO

import numpy as np
from numpy.typing import NDArray

from relrep.core.files import DAMAGE, disk_error, remove, reserve, written_whole
from relrep.core.threads import run_in_threads
from relrep.errors import RelrepError
from relrep.progress import Progress, ProgressCallback, ignore
from relrep.text._kernels.words import renumber
from relrep.text.encoded import EncodedCorpus
from relrep.text.fingerprint import TextHash
from relrep.text.readers import BLOCK_BYTES, Block, gathered, read_blocks
from relrep.text.settings import CorpusSettings
from relrep.text.sources import Source, find_sources
from relrep.text.store import PAGES_FILE, TEXT_FILE, Page, make_pages, page_ends, write_pages
from relrep.text.tokenizer import TokenBlock, Tokeniser
from relrep.text.vocabulary import Vocabulary
from relrep.text.word_list import WordList

VERSION = 3
"""Changes with this layout and with the rules of sentences and tokens, so that no stale block is used."""
_MAGIC = 0x7472_6170_6C65_7200 + VERSION
_FILES = frozenset(["tokens.i32", "vocab.txt", "facts.json", TEXT_FILE, PAGES_FILE])
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
        path = folder / "facts.json"
        try:
            return cls(**json.loads(path.read_text(encoding="utf-8")))
        except (OSError, ValueError, TypeError, RecursionError) as error:
            raise RelrepError(f"{path}: no facts about a corpus ({error}); read the corpus again") from None


def encode(
    corpus: Sequence[str | Path],
    folder: Path,
    settings: CorpusSettings,
    threads: int = 1,
    progress: ProgressCallback = ignore,
    block_bytes: int = BLOCK_BYTES,
) -> tuple[EncodedCorpus, CorpusFacts]:
    """Reads all text of `corpus` and leaves token ids and vocabulary in `folder`, which appears when all is done.

    Tokenised blocks wait in a sibling folder, so that an interrupted reading goes on where it was.
    """
    _check_place(folder)
    sources = find_sources(corpus)
    waiting = folder.with_name(f"{folder.name}.blocks")
    try:
        waiting.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise disk_error(error, waiting) from error
    reading = _Reading(sources, waiting, settings, block_bytes)
    reading.tokenise(threads, progress)
    vocabulary, new_ids = reading.words.ranked(settings.min_count, settings.max_words)
    if not len(vocabulary):
        raise RelrepError(no_words(sources[0].name, settings.min_count))
    with written_whole(folder) as target:
        target.mkdir()
        tokens, sentences, unknown = reading.number(new_ids, target / "tokens.i32", threads, progress)
        facts = CorpusFacts(
            sources=[source.name for source in sources],
            text_bytes=reading.text_bytes,
            tokens=tokens,
            sentences=sentences,
            unknown_tokens=unknown,
            distinct_tokens=len(reading.words),
            words=len(vocabulary),
            replaced_bytes=reading.replaced,
            fingerprint=reading.text_hash.hexdigest(),
        )
        write_corpus(target, vocabulary, facts)
        reading.write_text(target)
    remove(waiting)
    return EncodedCorpus.open(folder, vocabulary), facts


def write_corpus(folder: Path, vocabulary: Vocabulary, facts: CorpusFacts) -> None:
    """Leaves in `folder` what belongs beside the token ids."""
    vocabulary.write(folder / "vocab.txt")
    facts.write(folder)


def no_text(name: str) -> str:
    """The sentence for a corpus that is empty."""
    return f"{name}: the corpus holds no text; name files that do"


def no_words(name: str, min_count: int) -> str:
    """The sentence for a corpus whose vocabulary is empty."""
    return f"{name}: no word occurs {min_count} times; give more text or a smaller min_count"


def _check_place(folder: Path) -> None:
    """Refuses a folder that holds anything but an earlier reading, which the new one will replace."""
    if folder.is_dir():
        strange = sorted(file.name for file in folder.iterdir() if file.name not in _FILES)
        if strange:
            raise RelrepError(f"{folder}: holds other files ({strange[0]}); choose another place for the token ids")


def _write_all(file: RawIOBase, data: memoryview) -> None:
    while data:
        data = data[file.write(data) :]


class _Reading:
    """The passes over the text and over the tokenised blocks that wait in a folder."""

    def __init__(self, sources: list[Source], folder: Path, settings: CorpusSettings, block_bytes: int) -> None:
        self.sources = sources
        self.folder = folder
        self.settings = settings
        self.block_bytes = block_bytes
        self.text_hash = TextHash()
        self.text_bytes = 0
        self.replaced = 0
        self.words = WordList()
        self._parts: list[tuple[Path, NDArray[np.int32]]] = []  # with the number of each of its words
        self._of_thread = threading.local()

    def tokenise(self, threads: int, progress: ProgressCallback) -> None:
        """Leaves all blocks tokenised in the folder, and gathers their words."""
        total = sum(source.size for source in self.sources) or None
        progress(Progress(STEP_TOKENISE, 0, total, "bytes"))
        for path, words, position in run_in_threads(self._tokenise_block, self._blocks(), threads):
            self._parts.append((path, self.words.add(words)))
            progress(Progress(STEP_TOKENISE, position, total, "bytes"))
        if not self._parts:
            raise RelrepError(no_text(self.sources[0].name))

    def number(
        self, new_ids: NDArray[np.int32], path: Path, threads: int, progress: ProgressCallback
    ) -> tuple[int, int, int]:
        """Writes the final ids of all tokens; returns how many tokens, sentences and unknown tokens there are."""

        ends = np.cumsum([count_ids(part) for part, _ in self._parts])
        reserve(path, 4 * int(ends[-1]))

        def work(number: int) -> tuple[int, int, int]:
            part, own = self._parts[number]
            ids = read_ids(part)
            sentences, unknown = renumber(ids, new_ids[own])
            with path.open("r+b", buffering=0) as file:
                file.seek(4 * (int(ends[number]) - len(ids)))
                _write_all(file, ids.data.cast("B"))
            return len(ids) - sentences, sentences, unknown

        progress(Progress(STEP_NUMBER, 0, len(self._parts)))
        facts = np.zeros(3, dtype=np.int64)
        for done, found in enumerate(run_in_threads(work, range(len(self._parts)), threads), 1):
            facts += found
            progress(Progress(STEP_NUMBER, done, len(self._parts)))
        tokens, sentences, unknown = facts.tolist()
        return tokens, sentences, unknown

    def write_text(self, folder: Path) -> None:
        """Leaves the text as written, in pages, in `folder`."""
        write_pages(folder, (page for part, _ in self._parts for page in read_block_pages(part)))

    def _blocks(self) -> Iterator[tuple[Path, Block]]:
        """The blocks of all sources, each with the path of its part, whose name tells all the text up to there."""
        rules = f"{VERSION} {self.settings.lowercase} {self.settings.punctuation} ".encode()
        for number, block in enumerate(gathered(self._read_all(), self.block_bytes)):
            self.text_hash += TextHash.of(block.data)
            self.text_bytes += len(block.data)
            self.replaced += block.replaced
            name = hashlib.sha256(rules + self.text_hash.hexdigest().encode()).hexdigest()[:32]
            yield self.folder / f"{number:06}-{name}", block

    def _read_all(self) -> Iterator[Block]:
        before = 0
        for number, source in enumerate(self.sources):
            for block in read_blocks(source, self.block_bytes):
                yield replace(block, position=before + block.position, sources=((number, len(block.data)),))
            before += source.size

    def _tokenise_block(self, task: tuple[Path, Block]) -> tuple[Path, TokenBlock, int]:
        path, block = task
        if not is_whole(path):
            if not hasattr(self._of_thread, "tokenise"):
                self._of_thread.tokenise = Tokeniser(self.settings)
            pages = page_ends(block.data, block.sources)
            tokens = self._of_thread.tokenise(block.data, pages)
            write_block_pages(path, make_pages(block.data, pages, block.sources))
            write_part(path, tokens)
        return path, read_words(path), block.position


# Tokenised blocks on disk, where they wait until all words are known: a small header and the bare arrays.


def write_part(path: Path, block: TokenBlock) -> None:
    """Writes a block; the file appears whole."""
    header = np.array([_MAGIC, len(block.ids), len(block.counts), len(block.text)], dtype=np.int64)
    with written_whole(path) as temporary, temporary.open("wb") as file:
        for array in (header, block.starts, block.counts, block.keys, block.text, block.ids):
            file.write(array.data)


def _read_header(file: BinaryIO) -> tuple[int, int, int] | None:
    header = np.frombuffer(file.read(32), dtype=np.int64)
    if len(header) != 4 or header[0] != _MAGIC:
        return None
    return int(header[1]), int(header[2]), int(header[3])


def is_whole(path: Path) -> bool:
    """Whether there is a block at `path` that was not cut short (by a power cut, say)."""
    try:
        with path.open("rb") as file:
            header = _read_header(file)
    except OSError:
        return False
    if header is None:
        return False
    n_ids, n_words, n_bytes = header
    if path.stat().st_size != 32 + 8 * (n_words + 1) + 16 * n_words + n_bytes + 4 * n_ids:
        return False
    pages = path.with_suffix(".pages")
    with contextlib.suppress(*DAMAGE), pages.open("rb") as file:
        sizes = np.load(file, allow_pickle=False)[:, 0]
        return pages.stat().st_size == file.tell() + int(sizes.sum())
    return False


def count_ids(path: Path) -> int:
    """How many ids a block has."""
    with path.open("rb") as file:
        header = _read_header(file)
    assert header is not None
    return header[0]


def read_ids(path: Path) -> NDArray[np.int32]:
    """The local ids of a block, to be changed at will."""
    with path.open("rb") as file:
        header = _read_header(file)
        assert header is not None
        file.seek(-4 * header[0], 2)
        return np.fromfile(file, dtype=np.int32, count=header[0])


def read_words(path: Path) -> TokenBlock:
    """A block without its ids."""
    with path.open("rb") as file:
        header = _read_header(file)
        assert header is not None
        _, n_words, n_bytes = header
        starts = np.fromfile(file, dtype=np.int64, count=n_words + 1)
        counts = np.fromfile(file, dtype=np.int64, count=n_words)
        keys = np.fromfile(file, dtype=np.uint64, count=n_words)
        text = np.fromfile(file, dtype=np.uint8, count=n_bytes)
        return TokenBlock(np.empty(0, dtype=np.int32), text, starts, counts, keys)


def write_block_pages(path: Path, pages: Sequence[Page]) -> None:
    """Leaves the pages of a block beside its tokens; before these, whose file says that the block is done."""
    numbers = np.array([(len(page.data), *page[1:]) for page in pages], dtype=np.int64).reshape(-1, 5)
    with written_whole(path.with_suffix(".pages")) as temporary, temporary.open("wb") as file:
        np.save(file, numbers, allow_pickle=False)
        for page in pages:
            file.write(page.data)


def read_block_pages(path: Path) -> Iterator[Page]:
    """The pages that `write_block_pages` left."""
    with path.with_suffix(".pages").open("rb") as file:
        for compressed, *facts in np.load(file, allow_pickle=False).tolist():
            yield Page(file.read(compressed), *facts)
