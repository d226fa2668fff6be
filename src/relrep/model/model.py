"""A trained model: a folder of vectors, vocabulary, mined relations, corpus index and settings; no pickle."""

import json
import os
import shutil
from collections.abc import Mapping
from dataclasses import dataclass, fields
from functools import cached_property
from pathlib import Path
from typing import Any, Self

import numpy as np

from relrep.core.arrays import Flags, Floats
from relrep.core.files import disk_error, link_or_copy
from relrep.core.memory import all_finite, let_go
from relrep.core.tensors import map_tensors, write_tensors
from relrep.errors import RelrepError
from relrep.mining.settings import MiningSettings
from relrep.model.card import model_card
from relrep.model.relations import RelationTable
from relrep.text.index import CorpusIndex
from relrep.text.settings import CorpusSettings
from relrep.text.store import PAGES_FILE, TEXT_FILE, TextStore
from relrep.text.vocabulary import Vocabulary
from relrep.vectors.formats.safetensors import CONFIG_FILE, FORMAT, FORMAT_VERSION, is_model, read_config
from relrep.vectors.word_vectors import WordVectors
from relrep.version import __version__

VOCABULARY_FILE, CARD_FILE = "vocab.txt", "README.md"
VECTORS_FILE = "model.safetensors"
RELATIONS_FOLDER, INDEX_FOLDER = "relations", "index"
_PACKAGES = ("numba", "numpy", "pyarrow", "safetensors", "scipy")


@dataclass(frozen=True, eq=False, repr=False)
class Model:
    """What `relrep train` leaves behind; everything large stays on disk, memory-mapped.

    `relations` holds bound pairs and what joins them, `index` the places of every word in the corpus; a model may lack
    either.
    """

    folder: Path
    config: dict[str, Any]
    vocabulary: Vocabulary
    vectors: WordVectors
    relations: RelationTable | None
    index: CorpusIndex | None

    def __repr__(self) -> str:
        pairs = "no relation table" if self.relations is None else f"{self.relations.n_pairs:,} bound pairs"
        index = "no index" if self.index is None else f"{len(self.index.tokens):,} tokens of text"
        size = f"{len(self.vectors):,} words × {self.vectors.vector_size}"
        return f"{type(self).__name__}({str(self.folder)!r}: {size}, {pairs}, {index})"

    @classmethod
    def load(cls, folder: Path | str, with_relations: bool = True) -> Self:
        """Opens and checks the model in `folder`; faster without its relations, if they are not needed."""
        folder = Path(folder)
        config = read_config(folder)
        vocabulary = Vocabulary.read(folder / VOCABULARY_FILE)
        relations, index = folder / RELATIONS_FOLDER, folder / INDEX_FOLDER
        return cls(
            folder=folder,
            config=config,
            vocabulary=vocabulary,
            vectors=WordVectors(vocabulary.words, _open_vectors(folder / VECTORS_FILE, len(vocabulary))),
            relations=RelationTable.open(relations, vocabulary.words)
            if with_relations and relations.exists()
            else None,
            index=CorpusIndex.open(index, len(vocabulary)) if index.exists() else None,
        )

    def require_relations(self) -> RelationTable:
        """The relation table; a RelrepError where the model has none, or an empty one."""
        if self.relations is None:
            raise RelrepError(f"{self.folder}: the model holds no relation table; train it with relrep train")
        if not self.relations.n_pairs:
            remedy = "train on more text, or with a smaller --min-meetings or --min-pmi"
            raise RelrepError(f"{self.folder}: no two words of the model's text are bound; {remedy}")
        return self.relations

    def require_index(self) -> CorpusIndex:
        """The corpus index; a RelrepError where the model has none."""
        if self.index is None:
            raise RelrepError(f"{self.folder}: the model has no corpus index; train it without --no-index")
        return self.index

    @cached_property
    def text(self) -> TextStore | None:
        """The text as written; None where the model has only the token ids, or no index at all."""
        folder, corpus = self.folder / INDEX_FOLDER, self.config.get("corpus", {})
        if self.index is None or not (folder / TEXT_FILE).exists():
            return None
        given = self.config.get("settings", {}).get("corpus", {})
        known = {each.name: given[each.name] for each in fields(CorpusSettings) if each.name in given}
        return TextStore(folder, self.index.tokens, corpus.get("sources", []), CorpusSettings(**known))

    @property
    def max_gap(self) -> int:
        """How many tokens may stand between the words of a pair: as many as when the model was mined."""
        if self.relations is not None:
            return self.relations.bound.reach - 1
        mining = self.config.get("settings", {}).get("mining", {})
        gap = mining.get("max_gap") if isinstance(mining, dict) else None
        return gap if isinstance(gap, int) else MiningSettings().max_gap

    @cached_property
    def is_stop_word(self) -> Flags:
        """For each word whether it is one of the stop words that the model was mined with."""
        stop_words = self.config.get("stop_words")
        ids = self.vocabulary.id_of
        marks = np.zeros(len(self.vocabulary), dtype=np.bool_)
        marks[[ids[word] for word in (stop_words if isinstance(stop_words, list) else []) if word in ids]] = True
        return marks


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
    vectors: WordVectors | Floats,
    relations: RelationTable | None = None,
    index: CorpusIndex | None = None,
    text: Path | None = None,
    config: Mapping[str, Any],
) -> Model:
    """Writes a model folder and opens it; `text` is a folder that holds the text as written, to go with the index.

    All is written into a sibling first and appears by rename; a model that was there is replaced only then.
    `config` holds "settings", "corpus", "stop_words" and "history"; format and package versions are added.
    """
    folder = Path(folder)
    check_target(folder)
    unfinished = _sibling(folder, "unfinished")
    shutil.rmtree(unfinished, ignore_errors=True)
    try:
        unfinished.mkdir(parents=True)
        vocabulary.write(unfinished / VOCABULARY_FILE)
        _write_vectors(unfinished / VECTORS_FILE, vectors, len(vocabulary))
        if relations is not None:
            relations.write(unfinished / RELATIONS_FOLDER)
        if index is not None:
            index.write(unfinished / INDEX_FOLDER, len(vocabulary))
            if text is not None:
                for name in (TEXT_FILE, PAGES_FILE):
                    link_or_copy(text / name, unfinished / INDEX_FOLDER / name)
        record = json.dumps(complete_config(config), indent=2, ensure_ascii=False, allow_nan=False) + "\n"
        (unfinished / CONFIG_FILE).write_bytes(record.encode("utf-8"))
        written = Model.load(unfinished)
        (unfinished / CARD_FILE).write_bytes(model_card(folder.name, written).encode("utf-8"))
        let_go(written.vectors.vectors)  # read to be checked
        _put_in_place(unfinished, folder)
    except OSError as error:
        raise disk_error(error, folder) from error
    finally:
        shutil.rmtree(unfinished, ignore_errors=True)
    return Model.load(folder)


def complete_config(config: Mapping[str, Any]) -> dict[str, Any]:
    """`config` with format, versions, and an empty value for every part that is not given."""
    from importlib.metadata import version  # only writing a model needs it

    return {
        "format": FORMAT,
        "format_version": FORMAT_VERSION,
        "relrep_version": __version__,
        "settings": {},
        "corpus": {},
        "packages": {package: version(package) for package in _PACKAGES},
        "history": [],
        **{key: value for key, value in config.items() if key not in ("format", "format_version")},
    }


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


def _write_vectors(path: Path, vectors: WordVectors | Floats, n_words: int) -> None:
    array = vectors.vectors if isinstance(vectors, WordVectors) else vectors
    if array.ndim != 2 or len(array) != n_words:
        raise ValueError(f"{array.shape} vectors do not fit {n_words} words")
    write_tensors(path, {"vectors": np.asarray(array, dtype=np.float32)})


def _open_vectors(path: Path, n_words: int) -> Floats:
    vectors = map_tensors(path).get("vectors")
    if vectors is None or vectors.dtype != np.float32 or vectors.ndim != 2:
        raise RelrepError(f"{path}: it holds no float32 matrix named 'vectors'; train the model anew")
    if len(vectors) != n_words or vectors.shape[1] == 0:
        raise RelrepError(f"{path}: {vectors.shape} vectors do not fit the {n_words} words of {VOCABULARY_FILE}")
    if not all_finite(vectors):
        raise RelrepError(f"{path}: the vectors hold infinite or missing numbers; train the model anew")
    return vectors
