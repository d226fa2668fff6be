"""Which files a corpus consists of: files, folders, globs and standard input."""

import glob
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from relrep.errors import RelrepError

COMPRESSION = 3.5
"""How much text a compressed byte stands for."""

STANDARD_INPUT = "-"
COMPRESSIONS = {".gz": "gzip", ".bz2": "bz2", ".xz": "xz", ".zst": "zstd"}
FORMATS = {".txt": "text", ".jsonl": "jsonl", ".parquet": "parquet"}


@dataclass(frozen=True)
class Source:
    """One file of a corpus (or standard input, where `path` is None)."""

    path: Path | None
    format: str
    compression: str | None = None

    @property
    def name(self) -> str:
        """What messages call it."""
        return "standard input" if self.path is None else str(self.path)

    @property
    def size(self) -> int:
        """Bytes on disk; 0 where they cannot be known."""
        try:
            return 0 if self.path is None else self.path.stat().st_size
        except OSError:
            return 0


def source_of(path: Path) -> Source:
    """How the file at `path` is read, told by its name.

    >>> source_of(Path("news.jsonl.gz"))
    Source(path=PosixPath('news.jsonl.gz'), format='jsonl', compression='gzip')
    """
    suffixes = [suffix.lower() for suffix in path.suffixes]
    compression = COMPRESSIONS.get(suffixes[-1]) if suffixes else None
    inner = suffixes[:-1] if compression else suffixes
    form = FORMATS.get(inner[-1], "text") if inner else "text"
    return Source(path, form, compression)


def _is_corpus_file(path: Path) -> bool:
    return path.is_file() and path.suffix.lower() in COMPRESSIONS.keys() | FORMATS.keys()


def find_sources(corpus: Sequence[str | Path]) -> list[Source]:
    """All files that `corpus` names, in the order given; a folder's and a glob's files in the order of their names."""
    if not corpus:
        raise RelrepError("no corpus was named; give files, folders, globs or - for standard input")
    sources: list[Source] = []
    for item in corpus:
        try:
            sources.extend(_sources_of(item))
        except OSError as error:
            raise RelrepError(
                f"{item}: cannot be looked up ({error.strerror}); check the path of the corpus"
            ) from error
    return sources


def _sources_of(item: str | Path) -> list[Source]:
    if str(item) == STANDARD_INPUT:
        return [Source(None, "text")]
    path = Path(item)
    if path.is_dir():
        files = sorted(file for file in path.rglob("*") if _is_corpus_file(file))
        if not files:
            known = " ".join([*FORMATS, *COMPRESSIONS])
            raise RelrepError(f"{path}: the folder holds no corpus file (known endings: {known})")
    elif path.exists():
        files = [path]
    else:
        found = map(Path, glob.glob(str(item), recursive=True))  # noqa: PTH207 (absolute globs too)
        files = sorted(file for file in found if file.is_file())
        if not files:
            raise RelrepError(f"{item}: no such file, folder or glob; check the path of the corpus")
    return [source_of(file) for file in files]


def text_bytes(sources: Iterable[Source]) -> int:
    """About how much text the files hold (0 for standard input, which nobody can know)."""
    return sum(
        int(source.size * (COMPRESSION if source.compression or source.format == "parquet" else 1))
        for source in sources
    )
