"""Computes in the background what all questions share, so that none of them has to wait for it."""

import logging
import threading

from relrep.errors import RelrepError
from relrep.web.analogies import solve_analogy
from relrep.web.examples import Examples, find_examples
from relrep.web.explorer import Explorer
from relrep.web.maps import map_of_pair
from relrep.web.pairs import related_pairs, tell_pair
from relrep.web.words import look_up

logger = logging.getLogger(__name__)


class Warming:
    """The start of an explorer: one round of every kind of question, the examples, then the corpus evidence."""

    def __init__(self, explorer: Explorer) -> None:
        self._explorer = explorer
        self._lock = threading.Lock()
        self._examples: Examples | None = None

    def run(self) -> None:
        """All of it; a model that cannot answer something still answers the rest."""
        for step in (self._ask_once, self.examples, self._explorer.prepare_evidence):
            try:
                step()
            except RelrepError as error:
                logger.warning("%s", error)

    def examples(self) -> Examples:
        """Queries to begin with; found once."""
        with self._lock:
            if self._examples is None:
                self._examples = find_examples(self._explorer)
            return self._examples

    def _ask_once(self) -> None:
        """The first question of each kind loads vectors and compiled kernels."""
        explorer = self._explorer
        relations, words = explorer.model.relations, explorer.model.vocabulary.words
        explorer.spellings.completions("a", 1)
        if len(words) > 2:
            solve_analogy(explorer, words[0], words[1], words[2], 1)
        if words:
            look_up(explorer, words[0], 1)
        if relations is not None and relations.n_pairs:
            first, second = words[relations.u[0]], words[relations.v[0]]
            tell_pair(explorer, first, second, 1, 1)
            related_pairs(explorer, first, second, 1)
            map_of_pair(explorer, first, second, 1)
