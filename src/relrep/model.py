"""A trained model: a folder of vectors, vocabulary, mined relations, corpus index and settings; no pickle."""

import json
import os
import shutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from relrep import __version__
from relrep.corpus.encoded import EncodedCorpus
from relrep.corpus.vocabulary import Vocabulary
from relrep.errors import RelrepError
from relrep.files import disk_error
from relrep.mapped import all_finite, let_go
from relrep.model_card import model_card
from relrep.model_config import CONFIG_FILE, FORMAT, FORMAT_VERSION, is_model, read_config
from relrep.relations.index import CorpusIndex
from relrep.relations.space import RelationSpace
from relrep.relations.store import Relations
from relrep.tensors import map_tensors, write_tensors
from relrep.vectors.word_vectors import WordVectors

VOCABULARY_FILE, CARD_FILE = "vocab.txt", "README.md"
VECTORS_FILE, INITIAL_FILE = "model.safetensors", "initial.safetensors"
RELATIONS_FOLDER, INDEX_FOLDER = "relations", "index"
_PACKAGES = ("numba", "numpy", "pyarrow", "safetensors", "scipy")


@dataclass(frozen=True, eq=False)
class Model:
    """What `relrep train` leaves behind; everything large stays on disk, memory-mapped.

    `initial` holds the vectors training started from, `relations` the mined pairs and patterns, `index` the
    places of every word in the corpus; a model may lack any of these three.
    """

    folder: Path
    config: dict[str, Any]
    vocabulary: Vocabulary
    vectors: WordVectors
    initial: WordVectors | None
    relations: Relations | None
    index: CorpusIndex | None

    @classmethod
    def load(cls, folder: Path | str, with_relations: bool = True, with_initial: bool = True) -> "Model":
        """Opens and checks the model in `folder`; faster without its relations or initial vectors, if not needed."""
        folder = Path(folder)
        config = read_config(folder)
        vocabulary = Vocabulary.read(folder / VOCABULARY_FILE)
        n_words = len(vocabulary)
        relations, index, initial = folder / RELATIONS_FOLDER, folder / INDEX_FOLDER, folder / INITIAL_FILE

        def open_vectors(path: Path) -> WordVectors:
            return WordVectors(vocabulary.words, _open_vectors(path, n_words))

        return cls(
            folder=folder,
            config=config,
            vocabulary=vocabulary,
            vectors=open_vectors(folder / VECTORS_FILE),
            initial=open_vectors(initial) if with_initial and initial.exists() else None,
            relations=Relations.open(relations, n_words) if with_relations and relations.exists() else None,
            index=CorpusIndex.open(index, n_words) if index.exists() else None,
        )

    def require_relations(self) -> Relations:
        """The mined relations; a RelrepError where the model has none."""
        if self.relations is None:
            raise RelrepError(f"{self.folder}: the model holds no mined relations; train it with relrep train")
        return self.relations

    def require_index(self) -> CorpusIndex:
        """The corpus index; a RelrepError where the model has none."""
        if self.index is None:
            raise RelrepError(f"{self.folder}: the model has no corpus index; train it without --no-index")
        return self.index


def check_target(folder: Path) -> None:
    """Raises a RelrepError unless nothing, an empty folder or a model (to be replaced) is at `folder`."""
    if folder.is_symlink() or (folder.exists() and not folder.is_dir()):
        raise RelrepError(f"{folder}: something else is there already; choose another --out")
    if folder.is_dir() and any(folder.iterdir()) and not is_model(folder):
        raise RelrepError(f"{folder}: this folder holds something that is no relrep model; choose another --out")


def write_model(
    folder: Path | str,
    *,
    vocabulary: Vocabulary,
    vectors: WordVectors | NDArray[np.float32],
    initial: WordVectors | NDArray[np.float32] | None = None,
    relations: Relations | None = None,
    corpus_for_index: EncodedCorpus | None = None,
    config: Mapping[str, Any],
    threads: int = 1,
    finish: Callable[["Model"], None] | None = None,
) -> Model:
    """Writes a model folder and opens it.

    All is written into a sibling first and appears by rename; a model that was there is replaced only then. `finish`
    may leave more in the folder of the model it is given, before that.
    `config` holds "settings", "corpus" and "history"; format and package versions are added.
    """
    folder = Path(folder)
    check_target(folder)
    if corpus_for_index is not None and len(corpus_for_index.vocabulary) != len(vocabulary):
        raise ValueError("the corpus to index has another vocabulary than the model")
    unfinished = _sibling(folder, "unfinished")
    shutil.rmtree(unfinished, ignore_errors=True)
    try:
        unfinished.mkdir(parents=True)
        vocabulary.write(unfinished / VOCABULARY_FILE)
        _write_vectors(unfinished / VECTORS_FILE, vectors, len(vocabulary))
        if initial is not None:
            _write_vectors(unfinished / INITIAL_FILE, initial, len(vocabulary))
        if relations is not None:
            relations.write(unfinished / RELATIONS_FOLDER)
            words = WordVectors(vocabulary.words, _open_vectors(unfinished / VECTORS_FILE, len(vocabulary)))
            RelationSpace(words, relations, threads).write(unfinished / RELATIONS_FOLDER)
            let_go(relations.pattern, relations.weight, words.vectors)
        if corpus_for_index is not None:
            CorpusIndex.build(corpus_for_index, unfinished / INDEX_FOLDER, threads)
        whole_config = complete_config(config)
        text = json.dumps(whole_config, indent=2, ensure_ascii=False, allow_nan=False) + "\n"
        (unfinished / CONFIG_FILE).write_bytes(text.encode("utf-8"))
        written = Model.load(unfinished)
        let_go(*(each.vectors for each in (written.vectors, written.initial) if each is not None))  # read to be checked
        if finish is not None:
            finish(written)
        (unfinished / CARD_FILE).write_bytes(model_card(folder.name, written).encode("utf-8"))
        _put_in_place(unfinished, folder)
    except OSError as error:
        raise disk_error(error, folder) from error
    finally:
        shutil.rmtree(unfinished, ignore_errors=True)
    return Model.load(folder)


def complete_config(config: Mapping[str, Any]) -> dict[str, Any]:
    """`config` with format, versions, and an empty value for every part that is not given."""
    return {
        "format": FORMAT,
        "format_version": FORMAT_VERSION,
        "relrep_version": __version__,
        "settings": {},
        "corpus": {},
        "packages": _package_versions(),
        "history": [],
        **{key: value for key, value in config.items() if key not in ("format", "format_version")},
    }


def _package_versions() -> dict[str, str]:
    from importlib.metadata import PackageNotFoundError, version  # only writing a model needs it

    versions = {}
    for package in _PACKAGES:
        try:
            versions[package] = version(package)
        except PackageNotFoundError:
            continue
    return versions


def _sibling(folder: Path, what: str) -> Path:
    absolute = folder.absolute()
    return absolute.with_name(f".{absolute.name}.{what}-{os.getpid()}")


def _put_in_place(unfinished: Path, folder: Path) -> None:
    """Renames the finished folder; what was there steps aside first and comes back should the rename fail."""
    check_target(folder)
    if not folder.exists():
        unfinished.rename(folder)
        return
    aside = _sibling(folder, "replaced")
    folder.rename(aside)
    try:
        unfinished.rename(folder)
    except OSError:
        aside.rename(folder)
        raise
    shutil.rmtree(aside, ignore_errors=True)


def _write_vectors(path: Path, vectors: WordVectors | NDArray[np.float32], n_words: int) -> None:
    array = vectors.vectors if isinstance(vectors, WordVectors) else vectors
    if array.ndim != 2 or len(array) != n_words:
        raise ValueError(f"{array.shape} vectors do not fit {n_words} words")
    write_tensors(path, {"vectors": np.asarray(array, dtype=np.float32)})


def _open_vectors(path: Path, n_words: int) -> NDArray[np.float32]:
    vectors = map_tensors(path).get("vectors")
    if vectors is None or vectors.dtype != np.float32 or vectors.ndim != 2:
        raise RelrepError(f"{path}: it holds no float32 matrix named 'vectors'; train the model anew")
    if len(vectors) != n_words or vectors.shape[1] == 0:
        raise RelrepError(f"{path}: {vectors.shape} vectors do not fit the {n_words} words of {VOCABULARY_FILE}")
    if not all_finite(vectors):
        raise RelrepError(f"{path}: the vectors hold infinite or missing numbers; train the model anew")
    return vectors
