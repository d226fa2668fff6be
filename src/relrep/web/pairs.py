"""One pair: what stands between its words, and the pairs related alike."""

from dataclasses import dataclass

from relrep.errors import RelrepError
from relrep.relations.evidence import Evidence, gather_evidence
from relrep.relations.explanation import InferredPattern, joined_alike, nearest_patterns
from relrep.relations.occurrences import Example
from relrep.relations.search import RelatedPair, SearchFilters, search_pairs
from relrep.web.explorer import Explorer


@dataclass(frozen=True)
class PairAnswer:
    """How two words are related; as `relrep.relations.explanation.Explanation`, without the pairs related alike.

    `has_text` tells whether the corpus itself could be read, `max_gap` how many words may stand between the two.
    """

    first: str
    second: str
    seen: bool
    mined: bool
    has_text: bool
    max_gap: int
    forward: Evidence
    backward: Evidence
    examples: tuple[Example, ...]
    inferred: tuple[InferredPattern, ...]


@dataclass(frozen=True)
class RelatedAnswer:
    """Pairs with a similar difference of vectors, and pairs joined by similar patterns in the text."""

    alike: tuple[RelatedPair, ...]
    alike_in_text: tuple[RelatedPair, ...]


def tell_pair(explorer: Explorer, first: str, second: str, n: int = 8, n_examples: int = 6) -> PairAnswer:
    """The patterns between two words, in both directions, examples, and the nearest patterns by the vectors."""
    u, v = _pair(explorer, first, second)
    model, words = explorer.model, explorer.model.vocabulary.words
    found = gather_evidence(model, u, v, n, n_examples)
    relations = model.relations
    has_pairs = relations is not None and relations.n_pairs > 0
    return PairAnswer(
        first=words[u],
        second=words[v],
        seen=found.forward.meetings + found.backward.meetings > 0,
        mined=relations is not None and any(relations.pair_id(*pair) is not None for pair in ((u, v), (v, u))),
        has_text=model.index is not None,
        max_gap=explorer.max_gap,
        forward=found.forward,
        backward=found.backward,
        examples=found.examples,
        inferred=nearest_patterns(model, explorer.after.difference(u, v), n) if has_pairs else (),
    )


def related_pairs(explorer: Explorer, first: str, second: str, n: int = 12) -> RelatedAnswer:
    """The pairs related alike, none of which shares a word with this one."""
    u, v = _pair(explorer, first, second)
    model, words = explorer.model, explorer.model.vocabulary.words
    if model.relations is None or not model.relations.n_pairs:
        return RelatedAnswer((), ())
    evidence = gather_evidence(model, u, v, 1, 0)
    return RelatedAnswer(
        alike=search_pairs(model, [(words[u], words[v])], n, SearchFilters(distinct=True)),
        alike_in_text=joined_alike(model, (u, v), evidence, n, True),
    )


def _pair(explorer: Explorer, first: str, second: str) -> list[int]:
    pair = explorer.ids(first, second)
    if pair[0] == pair[1]:
        raise RelrepError(f"“{first}” is here twice; a pair has two different words")
    return pair
