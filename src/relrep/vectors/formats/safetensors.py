"""safetensors with the words inside: no pickle, and memory-mapped when loaded.

Two tensors: `vectors` (words × width; F16, F32 or F64) and `words` (U8: the words in UTF-8, joined by newlines,
in the order of the rows). `vectors` comes first, so it is aligned for mapping. A file without `words` that lies
beside a relrep model's `vocab.txt` takes the words from there: a model is a folder with `config.json` (its record,
which says that it is one, and of which version), `vocab.txt` and `model.safetensors`.
"""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from relrep.core.memory import all_finite
from relrep.core.tensors import Tensor, map_tensor, tensors_of, write_tensors
from relrep.errors import RelrepError, shown
from relrep.text.vocabulary import Vocabulary, Words
from relrep.vectors.formats import Request, in_dtype, utf8

VECTORS, WORDS = "vectors", "words"
VOCABULARY_FILE = "vocab.txt"
FORMAT, FORMAT_VERSION = "relrep-model", 3
CONFIG_FILE = "config.json"
VECTORS_FILE = "model.safetensors"


def read(path: Path, request: Request) -> tuple[Sequence[str], NDArray[Any]]:
    """The words and vectors; the vectors stay on disk unless `words` or `dtype` ask for others than stored."""
    tensors = tensors_of(path)
    vectors = np.asarray(_required(path, tensors, VECTORS, "f", n_dimensions=2))
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


def _read_words(path: Path, tensors: dict[str, Tensor], n_words: int) -> Words:
    if WORDS in tensors:
        raw = _required(path, tensors, WORDS, "u", n_dimensions=1).tobytes()
        try:
            raw.decode("utf-8")
        except UnicodeDecodeError as error:
            number = raw.count(b"\n", 0, error.start) + 1
            raise RelrepError(f"{path}, word {number}: not UTF-8; write the file anew") from None
        words = _lines(path, raw + b"\n")
        source = f"the tensor {WORDS!r}"
    else:
        vocabulary = path.absolute().parent / VOCABULARY_FILE
        if not vocabulary.is_file():
            raise RelrepError(
                f"{path}: has no tensor {WORDS!r} and no {VOCABULARY_FILE} beside it, so the words are not known;"
                " give a file written by relrep convert, or a model folder"
            )
        listed = Vocabulary.read(vocabulary).words
        words = listed if isinstance(listed, Words) else Words(list(listed))
        source = str(vocabulary)
    if len(words) != n_words:
        raise RelrepError(
            f"{path}: {n_words} vectors but {len(words)} words in {source}; they do not belong together,"
            " write the file anew"
        )
    return words


def _lines(path: Path, raw: bytes) -> Words:
    """The lines of a text as words; none of them may be empty or there twice."""
    ends = np.flatnonzero(np.frombuffer(raw, dtype=np.uint8) == ord("\n"))
    begins = np.append(0, ends[:-1] + 1)
    empty = np.flatnonzero(begins == ends)
    if len(empty):
        raise RelrepError(f"{path}, word {empty[0] + 1}: the word is empty; write the file anew")
    words = Words.of_text(raw, begins, ends, b"\n")
    if words is None:
        raise RelrepError(f"{path}: one of its words is there twice; write the file anew without it")
    return words


def _required(path: Path, tensors: dict[str, Tensor], name: str, kind: str, n_dimensions: int) -> NDArray[Any]:
    """The tensor of this name, whose numbers must be of this kind (NumPy's letter)."""
    if name not in tensors:
        found = ", ".join(shown(other) for other in list(tensors)[:5]) or "none"
        raise RelrepError(f"{path}: has no tensor {name!r} (found: {found}); give a file written by relrep convert")
    mapped = map_tensor(path, name, tensors[name])
    if mapped.ndim != n_dimensions or mapped.dtype.kind != kind:
        raise RelrepError(
            f"{path}: the tensor {name!r} is {mapped.dtype} of shape {list(mapped.shape)[:5]}, which cannot be;"
            " give a file written by relrep convert"
        )
    return mapped


def is_model(folder: Path) -> bool:
    """Whether `folder` says of itself that it is a relrep model (of any version)."""
    try:
        config = json.loads((folder / CONFIG_FILE).read_bytes())
    except (OSError, ValueError, RecursionError):
        return False
    return isinstance(config, dict) and config.get("format") == FORMAT


def read_config(folder: Path) -> dict[str, Any]:
    """The checked `config.json` of a model folder."""
    path = folder / CONFIG_FILE
    if not folder.is_dir():
        raise RelrepError(f"{folder}: there is no model folder here; make one with relrep train … --out {folder}")
    if not is_model(folder):
        raise RelrepError(f"{folder}: not a relrep model ({CONFIG_FILE} is missing, broken or of another program)")
    config: dict[str, Any] = json.loads(path.read_bytes())
    version = config.get("format_version")
    if type(version) is not int or version != FORMAT_VERSION:
        raise RelrepError(
            f"{path}: model format {str(version)[:20]} is not known here, this relrep reads {FORMAT_VERSION}; "
            "update relrep or train the model anew"
        )
    return config


def read_folder(folder: Path, request: Request) -> tuple[Sequence[str], NDArray[Any]]:
    """The words and trained vectors of the model in `folder`."""
    for name in (VECTORS_FILE, VOCABULARY_FILE):
        if not (folder / name).is_file():
            raise RelrepError(
                f"{folder}: is a folder without {name}, so no relrep model; give a model folder or a vectors file"
            )
    if (folder / CONFIG_FILE).exists():  # vectors alone may do without
        read_config(folder)
    return read(folder / VECTORS_FILE, request)


def write(file: Path, path: Path, words: Sequence[str], vectors: NDArray[Any]) -> None:
    """Writes vectors and words to `file`, which will be `path`; the same input gives the same bytes."""
    for word in words:
        if not word or "\n" in word:
            raise RelrepError(f"{path}: the word {shown(word)} is empty or holds a line break; rename or remove it")
    joined = b"\n".join(utf8(path, word) for word in words)
    write_tensors(file, {VECTORS: vectors, WORDS: np.frombuffer(joined, dtype=np.uint8)})
