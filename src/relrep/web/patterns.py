"""One pattern: its neighbours, its pairs, and these pairs on a map; the two views share one search."""

from dataclasses import replace

from relrep.relations.pattern_neighbours import PatternNeighbours, pattern_neighbours
from relrep.web.explorer import Explorer
from relrep.web.maps import RelationMap, draw_map
from relrep.web.queries import PatternReading

MOST = 50
_REMEMBERED = 64


def tell_pattern(explorer: Explorer, asked: PatternReading, n: int = 12) -> PatternNeighbours:
    """The patterns most like one, in use and in vector, and the pairs it joins; `n` of each, at most 50."""
    found = _all(explorer, asked)
    return replace(found, in_use=found.in_use[:n], in_vector=found.in_vector[:n], pairs=found.pairs[:n])


def map_of_pattern(explorer: Explorer, asked: PatternReading, n: int = 40) -> RelationMap:
    """The pattern's most telling pairs, among others to compare with."""
    return draw_map(explorer, [], [(pair.first, pair.second) for pair in _all(explorer, asked).pairs[:n]])


def _all(explorer: Explorer, asked: PatternReading) -> PatternNeighbours:
    remembered = explorer.patterns
    if asked not in remembered:
        if len(remembered) >= _REMEMBERED:
            remembered.clear()
        remembered[asked] = pattern_neighbours(explorer.model, asked.text, MOST, asked.kind, asked.is_reversed)
    return remembered[asked]
