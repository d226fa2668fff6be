"""The whole method on a small text, in plain Python, step by step: python -m relrep.reference text.txt

Nothing here is fast: a text of some thousand tokens takes seconds. Thresholds are small to suit such a text, and its
most frequent words stand in for a list of stop words.
"""

import argparse
import math
import os
import random
import sys
import textwrap
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path

from relrep.errors import RelrepError
from relrep.reference import coherence, paper
from relrep.reference.text import sentences as sentences_of

WIDTH = 79
MAX_GAP = 5
SHOWN = 8
"""How many lines of each step are shown."""
WINDOW = 2
"""How many words to each side make a context vector."""
ITERATIONS = 20
N_INSTANCES = 100
"""The most similar, and again the least similar, so many pairs of patterns are the instances."""
N_NEIGHBOURS, TYPE_WEIGHT, SIMILARITY_POWER, COHERENCE_POWER = 5, 0.7, 2.0, 2.0
WHITENING, DAMPING, STEP, MIN_PMI = 0.25, 0.1, 0.5, 1.0

Sentences = list[list[str]]
Vectors = dict[str, list[float]]


def main(argv: Sequence[str] | None = None) -> int:
    """Shows the steps of one objective on one text; returns the exit code."""
    try:
        arguments = _parser().parse_args(argv)
        for flag in ("min_sentences", "patterns", "pairs", "dim"):
            if getattr(arguments, flag) < 1:
                raise RelrepError(f"--{flag.replace('_', '-')} is {getattr(arguments, flag)}; give 1 or more")
        if arguments.stop < 0:
            raise RelrepError(f"--stop is {arguments.stop}; give 0 or more")
        sentences = read(arguments.text)
        stop_words = show_text(sentences, arguments.stop)
        if arguments.objective == "paper":
            show_paper(sentences, stop_words, arguments)
        else:
            show_coherence(sentences, stop_words, arguments)
        sys.stdout.flush()
    except RelrepError as error:
        print(f"relrep.reference: {error}", file=sys.stderr)
        return 2
    except BrokenPipeError:  # … | head: the reader has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m relrep.reference",
        description="The whole method on a small text, in plain Python, step by step.",
    )
    parser.add_argument("text", type=Path, help="a text file of some hundred sentences")
    parser.add_argument("--objective", choices=("paper", "coherence"), default="paper")
    parser.add_argument("--min-sentences", type=int, default=3, metavar="N", help="a pair meets in so many sentences")
    parser.add_argument("--patterns", type=int, default=60, metavar="N", help="keep the so many most frequent patterns")
    parser.add_argument("--pairs", type=int, default=60, metavar="N", help="coherence: keep the so many richest pairs")
    parser.add_argument("--stop", type=int, default=30, metavar="N", help="so many most frequent words are stop words")
    parser.add_argument("--dim", type=int, default=10, metavar="N", help="dimensions of the vectors")
    parser.add_argument("--seed", type=int, default=1, metavar="N", help="of the random vectors")
    return parser


def read(path: Path) -> Sentences:
    """The sentences of a file of text."""
    try:
        text = path.read_text(encoding="utf-8")
    except UnicodeDecodeError:
        raise RelrepError(f"{path} is not UTF-8 text; convert it first") from None
    except OSError as error:
        raise RelrepError(f"cannot read {path}: {error.strerror}; give a file of text") from None
    sentences = [[token for token in sentence if token] for sentence in sentences_of(text)]
    if sum(len(sentence) for sentence in sentences) < 2:
        raise RelrepError(f"{path} has too little text to learn from; give some hundred sentences")
    return sentences


def show_text(sentences: Sentences, n_stop_words: int) -> frozenset[str]:
    """Sentences and words; returns the stop words."""
    counts = Counter(word for sentence in sentences for word in sentence)
    frequent = [word for word, _ in sorted(counts.items(), key=lambda entry: (-entry[1], entry[0]))]
    title("Text", f"{len(sentences)} sentences, {counts.total()} tokens, {len(counts)} words")
    for sentence in sentences[:3]:
        line("  " + " ".join(sentence))
    stop_words = f"stop words: {' '.join(frequent[:n_stop_words])}"
    print(textwrap.fill(stop_words, WIDTH, initial_indent="  ", subsequent_indent="    "))
    return frozenset(frequent[:n_stop_words])


def show_paper(sentences: Sentences, stop_words: frozenset[str], arguments: argparse.Namespace) -> None:
    """The paper's method: from pairs and patterns to the vectors of Algorithm 1."""
    pairs = paper.select_pairs(sentences, MAX_GAP, arguments.min_sentences, stop_words)
    title("Pairs (§ 3.1)", f"{len(pairs)} in {arguments.min_sentences} sentences or more")
    rows((" ".join(pair), count) for pair, count in sorted(pairs.items(), key=lambda entry: (-entry[1], entry[0])))

    counts = paper.count_patterns(sentences, pairs, MAX_GAP)
    totals = paper.select_patterns(counts, arguments.patterns)
    title("Patterns (§ 3.1)", f"the {len(totals)} most frequent, by occurrences")
    rows((name_of(pattern), count) for pattern, count in totals.items())

    g = {key: count for key, count in counts.items() if key[0] in totals}
    f = paper.association(g)
    title("Association f(p, u, v) (Eq. 1)", f"{len(f)} of {len(g)} counts are above chance")
    strongest = sorted(f.items(), key=lambda entry: (-entry[1], entry[0]))
    rows((f"{u} [{name_of(pattern)}] {v}", weight) for (pattern, (u, v)), weight in strongest)

    patterns = list(totals)
    similarity = paper.similarities(f, patterns)
    n_instances = min(N_INSTANCES, len(similarity) // 2)
    instances = paper.select_instances(similarity, n_instances, n_instances)
    if not instances:
        raise RelrepError(
            f"there is too little text: no two patterns join the same {arguments.min_sentences}-sentence pairs; "
            "give more sentences, or a smaller --min-sentences"
        )
    for heading, target in (("Most similar patterns: t = 1", 1), ("Least similar patterns: t = 0", 0)):
        chosen = [(p, q) for p, q, t in instances if t == target]
        title(heading, f"{len(chosen)} instances")
        rows((f"{name_of(patterns[p])} | {name_of(patterns[q])}", similarity[p, q]) for p, q in chosen)

    matrix = paper.pattern_matrix(f, patterns)
    chance = random.Random(arguments.seed)
    words = sorted({word for row in matrix for word in row})
    scale = 1 / math.sqrt(arguments.dim)
    vectors = {word: [chance.gauss(0, scale) for _ in range(arguments.dim)] for word in words}
    everything = list(range(len(instances)))
    losses = paper.algorithm_1(instances, matrix, vectors, [[everything]] * ITERATIONS, rate=0.05)
    title("Algorithm 1", f"{len(words)} words in {arguments.dim} dimensions, all instances at once")
    for iteration, loss in enumerate(losses, 1):
        line(f"  iteration {iteration:2d}  loss {loss:.6f}  {'#' * round(loss * 160)}")
    show_nearest(vectors, sentences, stop_words)


def show_coherence(sentences: Sentences, stop_words: frozenset[str], arguments: argparse.Namespace) -> None:
    """The coherence of pairs: profiles, neighbours, and one step of every word.

    Profiles are compared as they are (the SVD that folds large ones is left out), vectors are always whitened,
    spelling takes no step, and the powers and thresholds suit a small text.
    """
    vectors = context_vectors(sentences, arguments.dim, arguments.seed)
    bound = coherence.bound_pairs(sentences, stop_words, MAX_GAP, arguments.min_sentences, MIN_PMI)
    title("Bound pairs", f"{len(bound)} meet {arguments.min_sentences} times or more, and e^{MIN_PMI:g} times chance")
    rows((" ".join(pair), pmi) for pair, pmi in sorted(bound.items(), key=lambda entry: (-entry[1], entry[0])))

    counted = {pair: coherence.profile(sentences, pair, MAX_GAP) for pair in bound}
    richest = sorted(counted, key=lambda pair: (-len(counted[pair]), pair))[: arguments.pairs]
    joins = Counter(pattern for pair in richest for pattern in {p[:2] for p in counted[pair]} if pattern[1])
    kept = {pattern for pattern, n_pairs in joins.items() if n_pairs >= 2}
    common = sorted(kept, key=lambda pattern: (-joins[pattern], pattern))[: arguments.patterns]
    profiles = [Counter({p: n for p, n in counted[pair].items() if p[:2] in common}) for pair in richest]
    pairs = [pair for pair, counts in zip(richest, profiles, strict=True) if counts]
    profiles = [counts for counts in profiles if counts]
    if len(pairs) < 2 or len(vectors) <= arguments.dim:
        raise RelrepError(
            f"there is too little text: {len(pairs)} bound pairs that share patterns and {len(vectors)} words; "
            "give more sentences, or a smaller --min-sentences or --dim"
        )
    weights = coherence.weighted(profiles)
    title("Profiles", f"of the {len(pairs)} pairs richest in patterns; < is the other way round")
    for (u, v), row in list(zip(pairs, weights, strict=True))[:SHOWN]:
        best = sorted(row.items(), key=lambda entry: (-entry[1], entry[0]))[:4]
        line(f"  {u} {v}: " + ", ".join(f"{name_of(pattern)} {weight:.2f}" for pattern, weight in best))

    oriented = both_orders(pairs, weights)
    start = dict(zip(vectors, coherence.whiten(list(vectors.values()), WHITENING), strict=True))
    near = [coherence.neighbours(2 * i, oriented, start, N_NEIGHBOURS, TYPE_WEIGHT) for i in range(len(pairs))]
    title("Neighbours of pairs", "alike in patterns and words; cosines of profiles")
    for (u, v), others in list(zip(pairs, near, strict=True))[:SHOWN]:
        line(f"  {u} {v}: " + ", ".join(f"{a} {b} {similarity:.2f}" for (a, b), similarity in others[:3]))

    agreed = [agreement_of(others, start) for others in near]
    title("Agreement", "k, how far the neighbours of a pair are believed")
    order = sorted(range(len(pairs)), key=lambda i: (-agreed[i][1], pairs[i]))
    rows((" ".join(pairs[i]), agreed[i][1]) for i in order)

    moved = coherence.step(start, pairs, agreed, STEP, DAMPING)
    before, after = (disagreement(each, pairs, agreed) for each in (start, moved))
    title("The step", "mean distance of u − v from what its neighbours agree on")
    line(f"  before the step  distance {before:.6f}")
    line(f"  after the step   distance {after:.6f}")
    way = {word: math.dist(start[word], moved[word]) for word in start}
    title("Words moved", f"{sum(distance > 0 for distance in way.values())} of {len(way)}, by distance")
    rows(sorted(way.items(), key=lambda entry: (-entry[1], entry[0])))
    show_nearest(moved, sentences, stop_words)


def context_vectors(sentences: Sentences, dim: int, seed: int) -> Vectors:
    """The sum of the random vectors of a word and of the words that stand near it: similar company, similar vectors."""
    chance = random.Random(seed)
    words = sorted({word for sentence in sentences for word in sentence})
    labels = {word: [chance.gauss(0, 1) for _ in range(dim)] for word in words}
    vectors = {word: list(label) for word, label in labels.items()}
    for sentence in sentences:
        for i, word in enumerate(sentence):
            for other in sentence[max(0, i - WINDOW) : i] + sentence[i + 1 : i + WINDOW + 1]:
                vectors[word] = [x + y for x, y in zip(vectors[word], labels[other], strict=True)]
    return vectors


def both_orders(
    pairs: Sequence[coherence.Pair], weights: Sequence[dict[coherence.Pattern, float]]
) -> list[tuple[coherence.Pair, list[float]]]:
    """Each pair at 2 i and its reverse at 2 i + 1, with their profiles as lists over all oriented patterns."""
    columns = sorted({(*p[:2], turned) for row in weights for p in row for turned in (False, True)})
    oriented = []
    for (u, v), row in zip(pairs, weights, strict=True):
        oriented.append(((u, v), [row.get(pattern, 0.0) for pattern in columns]))
        oriented.append(((v, u), [row.get((kind, tokens, not turned), 0.0) for kind, tokens, turned in columns]))
    return oriented


def agreement_of(others: Sequence[tuple[coherence.Pair, float]], vectors: Vectors) -> tuple[list[float], float]:
    """What the neighbours of a pair say of its difference; where none is alike, nothing is believed."""
    differences = [[x - y for x, y in zip(vectors[a], vectors[b], strict=True)] for (a, b), _ in others]
    weights = [max(0.0, similarity) ** SIMILARITY_POWER for _, similarity in others]
    if not any(w > 0 and any(d) for w, d in zip(weights, differences, strict=True)):
        return [0.0] * len(next(iter(vectors.values()))), 0.0
    return coherence.agreement(differences, weights, COHERENCE_POWER)


def disagreement(
    vectors: Vectors, pairs: Sequence[coherence.Pair], agreed: Sequence[tuple[list[float], float]]
) -> float:
    """The mean distance of u − v from r, weighted by k."""
    total = 0.0
    for (u, v), (r, k) in zip(pairs, agreed, strict=True):
        total += k * math.dist(r, [x - y for x, y in zip(vectors[u], vectors[v], strict=True)])
    return total / (sum(k for _, k in agreed) or 1.0)


def show_nearest(vectors: Vectors, sentences: Sentences, stop_words: frozenset[str]) -> None:
    """The nearest neighbours of the most frequent words that are no stop words."""
    counts = Counter(word for sentence in sentences for word in sentence if word not in stop_words and word in vectors)
    title("Nearest words", "by cosine")
    for word, _ in sorted(counts.items(), key=lambda entry: (-entry[1], entry[0]))[:SHOWN]:
        cosines = [(coherence.cosine(vectors[word], vectors[other]), other) for other in counts if other != word]
        best = sorted(cosines, key=lambda entry: (-entry[0], entry[1]))[:4]
        line(f"  {word}: " + ", ".join(f"{other} {cosine:.2f}" for cosine, other in best))


def name_of(pattern: paper.Pattern) -> str:
    """A pattern as it is shown: unigrams and bigrams bare, whole midfixes in bars, < if turned round."""
    kind, tokens, turned = pattern
    words = " ".join(tokens)
    return ("<" if turned else "") + (f"|{words}|" if kind == "midfix" else words)


def title(name: str, remark: str) -> None:
    """Begins a step."""
    print()
    line(f"{name}: {remark}")


def rows(entries: Iterable[tuple[str, float]]) -> None:
    """The first entries of a step, a name and a number a line."""
    for name, number in list(entries)[:SHOWN]:
        figure = f"{number:8d}" if isinstance(number, int) else f"{number:8.3f}"
        line(f"  {figure}  {name}")


def line(text: str) -> None:
    """Prints a line, cut where it is longer than a narrow terminal."""
    print(text if len(text) <= WIDTH else text[: WIDTH - 1] + "…")


if __name__ == "__main__":
    sys.exit(main())
