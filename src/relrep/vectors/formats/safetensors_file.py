"""safetensors with the words inside: no pickle, and memory-mapped when loaded.

Two tensors: `vectors` (words × width; F16, F32 or F64) and `words` (U8: the words in UTF-8, joined by newlines,
in the order of the rows). `vectors` comes first, so it is aligned for mapping. A file without `words` that lies
beside a relrep model's `vocab.txt` takes the words from there.
"""

import json
import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from relrep.corpus.vocabulary import Vocabulary
from relrep.corpus.words import Words
from relrep.errors import RelrepError
from relrep.progress import Progress, ProgressCallback, ignore
from relrep.vectors.formats.table import Request, all_finite, in_dtype, shown
from relrep.vectors.formats.text_output import utf8

VECTORS, WORDS = "vectors", "words"
VOCABULARY_FILE = "vocab.txt"
_METADATA = {"format": "relrep-vectors"}
_DTYPES = {"F16": "<f2", "F32": "<f4", "F64": "<f8", "U8": "u1"}
_NAMES = {"float16": "F16", "float32": "F32", "float64": "F64"}
_LARGEST_HEADER = 1_000_000
_MOST_DIMENSIONS = 8
_WRITE_BYTES = 16 << 20


@dataclass(frozen=True)
class _Tensor:
    """Where a tensor lies in its file."""

    dtype: np.dtype[Any]
    shape: tuple[int, ...]
    offset: int


def read(path: Path, request: Request) -> tuple[Sequence[str], NDArray[Any]]:
    """The words and vectors; the vectors stay on disk unless `words` or `dtype` ask for others than stored."""
    tensors = _read_header(path)
    vectors = _map(path, _required(path, tensors, VECTORS, n_dimensions=2))
    if 0 in vectors.shape:
        raise RelrepError(f"{path}: holds no words; give a file of word vectors")
    words = _read_words(path, tensors, len(vectors))
    if not all_finite(vectors):
        row = next(row for row in range(len(vectors)) if not np.isfinite(vectors[row]).all())
        raise RelrepError(
            f"{path}: the vector of {shown(words[row])} (row {row}) has a NaN or infinite number;"
            " only finite numbers make a vector: write the file anew"
        )
    return _chosen(path, words, vectors, request)


def _chosen(
    path: Path, words: Sequence[str], vectors: NDArray[Any], request: Request
) -> tuple[Sequence[str], NDArray[Any]]:
    if request.words is None:
        kept = words if request.limit is None else words[: request.limit]
        return kept, in_dtype(path, vectors[: request.limit], request.dtype)
    rows = [row for row, word in enumerate(words) if word in request.words][: request.limit]
    if not rows:
        raise RelrepError(f"{path}: holds none of the words asked for; check their spelling")
    return [words[row] for row in rows], in_dtype(path, vectors[rows], request.dtype)


def _read_words(path: Path, tensors: dict[str, _Tensor], n_words: int) -> Words:
    if WORDS in tensors:
        raw = _map(path, _required(path, tensors, WORDS, n_dimensions=1)).tobytes()
        try:
            raw.decode("utf-8")
        except UnicodeDecodeError as error:
            number = raw.count(b"\n", 0, error.start) + 1
            raise RelrepError(f"{path}, word {number}: not UTF-8; write the file anew") from None
        words = _lines(raw + b"\n") or _checked(path, raw.decode("utf-8").split("\n"))
        source = f"the tensor {WORDS!r}"
    else:
        vocabulary = path.absolute().parent / VOCABULARY_FILE
        if not vocabulary.is_file():
            raise RelrepError(
                f"{path}: has no tensor {WORDS!r} and no {VOCABULARY_FILE} beside it, so the words are not known;"
                " give a file written by relrep convert, or a model folder"
            )
        held = Vocabulary.read(vocabulary).words
        words = held if isinstance(held, Words) else Words(list(held))
        source = str(vocabulary)
    if len(words) != n_words:
        raise RelrepError(
            f"{path}: {n_words} vectors but {len(words)} words in {source}; they do not belong together,"
            " write the file anew"
        )
    return words


def _lines(raw: bytes) -> Words | None:
    """The lines of a text as words; None where one of them is empty or there twice."""
    ends = np.flatnonzero(np.frombuffer(raw, dtype=np.uint8) == ord("\n"))
    begins = np.append(0, ends[:-1] + 1)
    return None if (begins == ends).any() else Words.of_text(raw, begins, ends, b"\n")


def _checked(path: Path, words: list[str]) -> Words:
    """The same word by word; a RelrepError names the first that is wrong."""
    seen: set[str] = set()
    for number, word in enumerate(words, start=1):
        if not word:
            raise RelrepError(f"{path}, word {number}: the word is empty; write the file anew")
        if word in seen:
            raise RelrepError(
                f"{path}, word {number}: the word {shown(word)} stands here again; write the file anew without it"
            )
        seen.add(word)
    return Words(words)


def _required(path: Path, tensors: dict[str, _Tensor], name: str, n_dimensions: int) -> _Tensor:
    tensor = tensors.get(name)
    if tensor is None:
        found = ", ".join(shown(other) for other in list(tensors)[:5]) or "none"
        raise RelrepError(f"{path}: has no tensor {name!r} (found: {found}); give a file written by relrep convert")
    kind = "u" if name == WORDS else "f"
    if len(tensor.shape) != n_dimensions or tensor.dtype.kind != kind:
        raise RelrepError(
            f"{path}: the tensor {name!r} is {tensor.dtype} of shape {list(tensor.shape)[:5]}, which cannot be;"
            " give a file written by relrep convert"
        )
    return tensor


def _map(path: Path, tensor: _Tensor) -> NDArray[Any]:
    if 0 in tensor.shape:
        return np.empty(tensor.shape, dtype=tensor.dtype)
    try:
        mapped = np.memmap(path, dtype=tensor.dtype, mode="r", offset=tensor.offset, shape=tensor.shape)
    except OSError as error:
        raise RelrepError(f"{path}: cannot be mapped ({error.strerror}); copy it to a local disk") from None
    array = np.asarray(mapped)
    return array if array.flags.aligned else array.copy()


def _read_header(path: Path) -> dict[str, _Tensor]:
    """The tensors of a file, each checked to lie within it."""
    damaged = RelrepError(f"{path}: its safetensors header is damaged or cut short; get or write the file again")
    try:
        size = path.stat().st_size
        with path.open("rb") as file:
            length = int.from_bytes(file.read(8), "little")
            if length > min(size - 8, _LARGEST_HEADER):
                raise damaged
            entries = json.loads(file.read(length))
    except OSError as error:
        raise RelrepError(f"{path}: cannot be read ({error.strerror}); check the name") from None
    except (ValueError, RecursionError):
        raise damaged from None
    if not isinstance(entries, dict):
        raise damaged
    entries.pop("__metadata__", None)
    return {name: _described(path, name, entry, 8 + length, size) for name, entry in entries.items()}


def _described(path: Path, name: str, entry: Any, data_start: int, size: int) -> _Tensor:
    try:
        dtype_name, shape, (begin, end) = entry["dtype"], tuple(entry["shape"]), entry["data_offsets"]
    except (KeyError, TypeError, ValueError):
        raise RelrepError(f"{path}: the tensor {shown(name)} is described wrongly; write the file anew") from None
    if len(shape) > _MOST_DIMENSIONS or not all(
        type(number) is int and 0 <= number < 1 << 62 for number in (*shape, begin, end)
    ):
        raise RelrepError(f"{path}: the tensor {shown(name)} has impossible bounds; write the file anew")
    if not isinstance(dtype_name, str) or dtype_name not in _DTYPES:
        if name in (VECTORS, WORDS):
            known = ", ".join(_DTYPES)
            raise RelrepError(f"{path}: the tensor {name!r} is {str(dtype_name)[:20]}; relrep reads {known}")
        return _Tensor(np.dtype(np.void), (), data_start)  # somebody else's tensor: never mapped
    dtype = np.dtype(_DTYPES[dtype_name])
    if data_start + end > size or end - begin != math.prod(shape) * dtype.itemsize:
        raise RelrepError(
            f"{path}: the tensor {shown(name)} does not fit the file; it is cut short or damaged, get it again"
        )
    return _Tensor(dtype, shape, data_start + begin)


def write(
    stream: IO[bytes],
    path: Path,
    words: Sequence[str],
    vectors: NDArray[Any],
    progress: ProgressCallback = ignore,
) -> None:
    """Writes header, vectors and words; the same input gives the same bytes."""
    for word in words:
        if not word or "\n" in word:
            raise RelrepError(f"{path}: the word {shown(word)} is empty or holds a line break; rename or remove it")
    joined = b"\n".join(utf8(path, word) for word in words)
    entries = {
        "__metadata__": _METADATA,
        VECTORS: _entry(_NAMES[str(vectors.dtype)], vectors.shape, 0, vectors.nbytes),
        WORDS: _entry("U8", (len(joined),), vectors.nbytes, len(joined)),
    }
    header = json.dumps(entries, separators=(",", ":")).encode("ascii")
    header += b" " * (-len(header) % 64)  # numbers begin at a multiple of 8 and of their own size
    stream.write(len(header).to_bytes(8, "little") + header)
    step = max(1, _WRITE_BYTES // (vectors.shape[1] * vectors.itemsize))
    little = vectors.dtype.newbyteorder("<")
    for start in range(0, len(vectors), step):
        stream.write(np.ascontiguousarray(vectors[start : start + step], dtype=little).tobytes())
        done = min(start + step, len(vectors))
        progress(Progress(f"writing {path.name}", done, len(vectors), unit="words"))
    stream.write(joined)


def _entry(dtype: str, shape: tuple[int, ...], begin: int, n_bytes: int) -> dict[str, Any]:
    return {"dtype": dtype, "shape": list(shape), "data_offsets": [begin, begin + n_bytes]}
