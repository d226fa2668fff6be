"""A tiny model for tests: made-up sentences, with vectors that fit them."""

from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from miner import mine_bound
from relrep.mining.settings import MiningSettings
from relrep.model.model import Model, write_model
from relrep.model.relations import RelationTable
from relrep.text.encoded import EncodedCorpus
from relrep.text.index import CorpusIndex

CAPITALS = {"paris": "france", "rome": "italy", "madrid": "spain", "vienna": "austria", "lisbon": "portugal"}
ANIMALS = {"ostrich": "bird", "lion": "cat", "salmon": "fish", "ant": "insect", "oak": "tree"}
STOP_WORDS = ("the", "is", "a", "of", "in", "and", "as", "such")


def sentences() -> list[list[str]]:
    """Capitals and kinds, said in several ways, both words in either order."""
    lines = []
    for number, (city, country) in enumerate(CAPITALS.items()):
        lines += [f"{city} is the capital of {country} ."] * (6 + number)
        lines += [f"{city} , the capital of {country} , is old ."] * 3
        lines += [f"the capital of {country} is {city} ."] * 4
        lines += [f"we met in {city} , {country} ."] * 3
    for number, (animal, kind) in enumerate(ANIMALS.items()):
        lines += [f"the {animal} is a large {kind} ."] * (5 + number)
        lines += [f"a {kind} such as the {animal} lives here ."] * 4
        lines += [f"the {animal} and some other {kind} ."] * 2
    lines += ["the emu lives here ."] * 2 + ["we saw the emu in vienna ."]
    return [line.split() for line in lines]


def vectors_for(corpus: EncodedCorpus, dim: int = 24, seed: int = 7) -> np.ndarray:
    """Random vectors in which capitals differ from their countries alike, and animals from their kinds."""
    rng = np.random.default_rng(seed)
    vectors = rng.normal(size=(len(corpus.vocabulary), dim))
    vectors[:, :2] = 0
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    for axis, group in enumerate((CAPITALS, ANIMALS)):
        for first, second in group.items():
            u, v = corpus.vocabulary.id_of[first], corpus.vocabulary.id_of[second]
            vectors[u] = vectors[v] + rng.normal(size=dim) * 0.03
            vectors[u, axis], vectors[v, axis] = 0.5, -0.5
    return vectors.astype(np.float32)


def table_of(corpus: EncodedCorpus) -> RelationTable:
    """The relation table of the tiny corpus."""
    settings = MiningSettings(stop_words="english", min_meetings=5, min_pmi=0.5, bound_patterns=200)
    with TemporaryDirectory() as work:
        bound, patterns = mine_bound(corpus, settings, Path(work))
    return RelationTable.of(bound, patterns, corpus.vocabulary.words)


def build(folder: Path, *, index: bool = True, relations: bool = True, more: Sequence[list[str]] = ()) -> Model:
    """Writes the tiny model to `folder`, with `more` sentences behind its own."""
    corpus = EncodedCorpus.from_sentences([*sentences(), *more])
    return write_model(
        folder,
        vocabulary=corpus.vocabulary,
        vectors=vectors_for(corpus),
        relations=table_of(corpus) if relations else None,
        index=CorpusIndex.of(corpus) if index else None,
        config={
            "settings": {"mining": {"max_gap": 5}, "training": {"dim": 24, "seed": 7}},
            "stop_words": sorted(STOP_WORDS),
            "corpus": {"tokens": len(corpus.tokens)},
            "history": [{"iteration": 1, "loss": 0.25}],
        },
    )
