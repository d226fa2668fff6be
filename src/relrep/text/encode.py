"""Text becomes token ids on disk, once: blocks are tokenised in parallel, their words united, their ids renumbered."""

import hashlib
import json
import threading
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import BinaryIO, NamedTuple

import numpy as np
from numpy.typing import NDArray

from relrep.core.files import DAMAGE, disk_error, remove, written_whole
from relrep.core.tensors import map_tensors, write_tensors
from relrep.core.threads import run_in_threads
from relrep.errors import RelrepError
from relrep.progress import Progress, ProgressCallback, ignore
from relrep.text._kernels.words import renumber
from relrep.text.encoded import EncodedCorpus
from relrep.text.fingerprint import TextHash
from relrep.text.legible import require_spaces
from relrep.text.readers import BLOCK_BYTES, Block, gathered, read_blocks
from relrep.text.settings import CorpusSettings
from relrep.text.sources import Source, find_sources
from relrep.text.store import PAGES_FILE, TEXT_FILE, make_pages, page_ends, write_page_table
from relrep.text.tokenizer import TokenBlock, Tokeniser
from relrep.text.vocabulary import Vocabulary
from relrep.text.word_list import WordList

VERSION = 5
"""Changes with this layout and with the rules of sentences and tokens, so that no stale block is used."""
IDS_FILE = "tokens.i32"
_FILES = frozenset([IDS_FILE, "vocab.txt", "facts.json", TEXT_FILE, PAGES_FILE])
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
        tokens, sentences, unknown = reading.number(new_ids, target / IDS_FILE, threads, progress)
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
        reading.move_text(target)
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


class _Part(NamedTuple):
    """A block that is done: the number of each of its words, the pages of its text, where its ids and its text end."""

    words: NDArray[np.int32]
    pages: NDArray[np.int64]
    ids_end: int
    text_end: int


class _Tokenised(NamedTuple):
    """A tokenised block; one that an earlier run left has neither ids nor pages, but `ends`, as in `_Part`."""

    path: Path
    tokens: TokenBlock
    pages: NDArray[np.int64]
    page_data: Sequence[bytes]
    ends: tuple[int, int] | None
    position: int


class _Reading:
    """The passes over the text. Ids (local to their block) and pages go to two files of a folder, block by block.

    A small file beside them says that a block is done, so that an interrupted reading goes on there.
    """

    def __init__(self, sources: list[Source], folder: Path, settings: CorpusSettings, block_bytes: int) -> None:
        self.sources = sources
        self.folder = folder
        self.settings = settings
        self.block_bytes = block_bytes
        self.text_hash = TextHash()
        self.text_bytes = 0
        self.replaced = 0
        self.words = WordList()
        self._parts: list[_Part] = []
        self._of_thread = threading.local()

    def tokenise(self, threads: int, progress: ProgressCallback) -> None:
        """Leaves all blocks tokenised in the folder, and gathers their words."""
        total = sum(source.size for source in self.sources) or None
        progress(Progress(STEP_TOKENISE, 0, total, "bytes"))
        ids_path, text_path = self.folder / IDS_FILE, self.folder / TEXT_FILE
        ids_end, text_end = 0, 0
        try:
            ids_path.touch()
            text_path.touch()
            with ids_path.open("r+b") as ids_file, text_path.open("r+b") as text_file:
                for block in run_in_threads(self._tokenise_block, self._blocks(), threads):
                    if block.ends is None:
                        ids_end = _write_at(ids_file, ids_end, [block.tokens.ids.data])
                        text_end = _write_at(text_file, text_end, block.page_data)
                        _write_block(block, ids_end, text_end)
                    else:
                        ids_end, text_end = block.ends
                    if not self._parts and self.settings.tokens == "words" and not self.settings.force_text:
                        words = block.tokens.words()
                        require_spaces(zip(words, block.tokens.counts.tolist(), strict=True), self.sources[0].name)
                    self._parts.append(_Part(self.words.add(block.tokens), block.pages, ids_end, text_end))
                    progress(Progress(STEP_TOKENISE, block.position, total, "bytes"))
                ids_file.truncate(ids_end)
                text_file.truncate(text_end)
        except OSError as error:
            raise disk_error(error, self.folder) from error
        if not self._parts:
            raise RelrepError(no_text(self.sources[0].name))

    def number(
        self, new_ids: NDArray[np.int32], path: Path, threads: int, progress: ProgressCallback
    ) -> tuple[int, int, int]:
        """Moves the ids to `path`, renumbered in place; returns how many tokens, sentences and unknown tokens."""
        (self.folder / IDS_FILE).replace(path)

        def work(number: int) -> tuple[int, int, int]:
            begin, part = self._parts[number - 1].ids_end if number else 0, self._parts[number]
            with path.open("r+b") as file:
                file.seek(begin)
                ids = np.fromfile(file, dtype=np.int32, count=(part.ids_end - begin) // 4)
                sentences, unknown = renumber(ids, new_ids[part.words])
                _write_at(file, begin, [ids.data])
            return len(ids) - sentences, sentences, unknown

        progress(Progress(STEP_NUMBER, 0, len(self._parts)))
        facts = np.zeros(3, dtype=np.int64)
        for done, found in enumerate(run_in_threads(work, range(len(self._parts)), threads), 1):
            facts += found
            progress(Progress(STEP_NUMBER, done, len(self._parts)))
        tokens, sentences, unknown = facts.tolist()
        return tokens, sentences, unknown

    def move_text(self, folder: Path) -> None:
        """Leaves the text as written, in pages, in `folder`."""
        (self.folder / TEXT_FILE).replace(folder / TEXT_FILE)
        write_page_table(folder, np.concatenate([part.pages for part in self._parts]))

    def _blocks(self) -> Iterator[tuple[Path, Block, _Tokenised | None]]:
        """The blocks of all sources, each with the path of its record, whose name tells all the text up to there.

        And with what an earlier run has made of it, if it has done this block and all before.
        """
        settings = self.settings
        rules = f"{VERSION} {settings.tokens} {settings.elisions} {settings.lowercase} {settings.punctuation} ".encode()
        sizes = tuple((self.folder / name).stat().st_size for name in (IDS_FILE, TEXT_FILE))
        known = True
        for number, block in enumerate(gathered(self._read_all(), self.block_bytes)):
            self.text_hash += TextHash.of(block.data)
            self.text_bytes += len(block.data)
            self.replaced += block.replaced
            name = hashlib.sha256(rules + self.text_hash.hexdigest().encode()).hexdigest()[:32]
            path = self.folder / f"{number:06}-{name}"
            done = _read_block(path, block.position, sizes) if known else None
            known = done is not None
            yield path, block, done

    def _read_all(self) -> Iterator[Block]:
        before = 0
        for number, source in enumerate(self.sources):
            for block in read_blocks(source, self.block_bytes, not self.settings.force_text):
                yield replace(block, position=before + block.position, sources=((number, len(block.data)),))
            before += source.size

    def _tokenise_block(self, task: tuple[Path, Block, _Tokenised | None]) -> _Tokenised:
        path, block, done = task
        if done is not None:
            return done
        if not hasattr(self._of_thread, "tokenise"):
            self._of_thread.tokenise = Tokeniser(self.settings)
        ends = page_ends(block.data, block.sources)
        tokens = TokenBlock(*(array.copy() for array in self._of_thread.tokenise(block.data, ends)))
        pages, page_data = make_pages(block.data, ends, block.sources)
        return _Tokenised(path, tokens, pages, page_data, None, block.position)


def _write_at(file: BinaryIO, offset: int, data: Iterable[bytes | memoryview]) -> int:
    """Writes all of it from there on; returns where it ends."""
    file.seek(offset)
    for piece in data:
        file.write(piece)
    file.flush()
    return file.tell()


def _write_block(block: _Tokenised, *ends: int) -> None:
    """Says that a block is done: its words, its pages and where its ids and its text end."""
    tensors = {name: array for name, array in block.tokens._asdict().items() if name != "ids"}
    tensors |= {"keys": block.tokens.keys.view(np.int64), "pages": block.pages, "ends": np.array(ends)}
    with written_whole(block.path) as temporary:
        write_tensors(temporary, tensors)


def _read_block(path: Path, position: int, sizes: tuple[int, ...]) -> _Tokenised | None:
    """What `_write_block` left; None if it is not there, cut short, or the files are (by a power cut, say)."""
    if not path.exists():
        return None
    try:
        tensors = {name: np.array(array) for name, array in map_tensors(path).items()}
        ids_end, text_end = tensors["ends"].tolist()
        keys, no_ids = tensors["keys"].view(np.uint64), np.empty(0, dtype=np.int32)
        tokens = TokenBlock(no_ids, tensors["text"], tensors["starts"], tensors["counts"], keys)
    except DAMAGE:
        return None
    if ids_end > sizes[0] or text_end > sizes[1]:
        return None
    return _Tokenised(path, tokens, tensors["pages"], [], (ids_end, text_end), position)
