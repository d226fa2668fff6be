"""A tiny model for tests: made-up sentences, mined by plain Python, with vectors that fit them."""

import math
from collections import Counter, defaultdict
from itertools import pairwise
from pathlib import Path

import numpy as np

from relrep.corpus.encoded import SENTENCE_END, EncodedCorpus
from relrep.model import Model, write_model
from relrep.relations.store import Relations

CAPITALS = {"paris": "france", "rome": "italy", "madrid": "spain", "vienna": "austria", "lisbon": "portugal"}
ANIMALS = {"ostrich": "bird", "lion": "cat", "salmon": "fish", "ant": "insect", "oak": "tree"}
STOP_WORDS = ("the", "is", "a", "of", "in", "and", "as", "such", ",", ".")
MAX_GAP = 5

Key = tuple[str, str, bool]


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


def patterns_of(midfix: list[str], is_reversed: bool) -> set[Key]:
    """The unigrams, bigrams and whole midfix of one occurrence."""
    found = {("unigram", word, is_reversed) for word in midfix}
    found |= {("bigram", f"{left} {right}", is_reversed) for left, right in pairwise(midfix)}
    return found | ({("midfix", " ".join(midfix), is_reversed)} if midfix else set())


def occurrences(corpus: EncodedCorpus) -> list[tuple[int, int, int, list[str]]]:
    """All (sentence, u, v, midfix) with u before v and at most MAX_GAP tokens between."""
    found, words, sentence, number = [], corpus.vocabulary.words, [], 0
    for token in corpus.tokens.tolist():
        if token != SENTENCE_END:
            sentence.append(token)
            continue
        for i, u in enumerate(sentence):
            for j in range(i + 1, min(i + MAX_GAP + 2, len(sentence))):
                midfix = [words[t] if t >= 0 else "<unk>" for t in sentence[i + 1 : j]]
                if u >= 0 and sentence[j] >= 0 and u != sentence[j]:
                    found.append((number, u, sentence[j], midfix))
        sentence, number = [], number + 1
    return found


def mine(corpus: EncodedCorpus, min_sentences: int = 5, n_patterns: int = 200) -> Relations:
    """Pairs, patterns with direction, and PPMI, written as the definitions say them."""
    words = corpus.vocabulary.words
    found = [o for o in occurrences(corpus) if words[o[1]] not in STOP_WORDS and words[o[2]] not in STOP_WORDS]
    where: dict[tuple[int, int], set[int]] = defaultdict(set)
    for sentence, u, v, _ in found:
        where[u, v].add(sentence)
    pairs = sorted(pair for pair, numbers in where.items() if len(numbers) >= min_sentences)
    g: Counter[tuple[Key, tuple[int, int]]] = Counter()
    for _, u, v, midfix in found:
        for pair, is_reversed in (((u, v), False), ((v, u), True)):
            if len(where.get(pair, ())) >= min_sentences:
                g.update((key, pair) for key in patterns_of(midfix, is_reversed))
    total: Counter[Key] = Counter()
    for (key, _), count in g.items():
        total[key] += count
    keys = sorted(total, key=lambda key: (-total[key], key))[:n_patterns]
    kept = {key: number for number, key in enumerate(keys)}
    g = Counter({(key, pair): count for (key, pair), count in g.items() if key in kept})
    of_pair: Counter[tuple[int, int]] = Counter()
    for (_, pair), count in g.items():
        of_pair[pair] += count
    rows: dict[tuple[int, int], list[tuple[int, float, int]]] = defaultdict(list)
    weights = np.zeros(len(keys))
    for (key, pair), count in sorted(g.items(), key=lambda item: (item[0][1], kept[item[0][0]])):
        f = math.log(count * sum(of_pair.values()) / (total[key] * of_pair[pair]))
        if f > 1e-9:
            rows[pair].append((kept[key], f, count))
            weights[kept[key]] += f
    entries = [entry for pair in pairs for entry in rows[pair]]
    return Relations(
        u=np.array([pair[0] for pair in pairs], np.int32),
        v=np.array([pair[1] for pair in pairs], np.int32),
        sentences=np.array([len(where[pair]) for pair in pairs], np.int64),
        texts=[key[1] for key in keys],
        kinds=[key[0] for key in keys],
        reversed=np.array([key[2] for key in keys]),
        occurrences=np.array([total[key] for key in keys], np.int64),
        weights=weights,
        indptr=np.cumsum([0] + [len(rows[pair]) for pair in pairs]).astype(np.int64),
        pattern=np.array([entry[0] for entry in entries], np.int32),
        weight=np.array([entry[1] for entry in entries], np.float32),
        count=np.array([entry[2] for entry in entries], np.int32),
    )


def dense_f(relations: Relations) -> np.ndarray:
    """f as a dense matrix, pairs × patterns."""
    f = np.zeros((relations.n_pairs, relations.n_patterns))
    f[np.repeat(np.arange(relations.n_pairs), np.diff(relations.indptr)), relations.pattern] = relations.weight
    return f


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


def build(folder: Path, *, index: bool = True, relations: bool = True) -> Model:
    """Writes the tiny model to `folder`."""
    corpus = EncodedCorpus.from_sentences(sentences())
    vectors = vectors_for(corpus)
    return write_model(
        folder,
        vocabulary=corpus.vocabulary,
        vectors=vectors,
        initial=vectors * 0.5,
        relations=mine(corpus) if relations else None,
        corpus_for_index=corpus if index else None,
        config={
            "settings": {"dim": 24, "seed": 7},
            "corpus": {"tokens": len(corpus.tokens)},
            "history": [{"iteration": 1, "loss": 0.25}],
        },
    )
