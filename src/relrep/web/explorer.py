"""One model, opened for many questions: what they share is computed once, in the background from the start."""

import threading
from functools import cached_property
from typing import Literal

import numpy as np

from relrep.analogy.terms import TermTable
from relrep.core.arrays import Flags, Floats
from relrep.core.threads import available_threads
from relrep.errors import RelrepError
from relrep.evidence.evidence import Evidence
from relrep.model.model import Model
from relrep.relations.search import RelationSearch
from relrep.web.queries import Spellings, UnknownWordsError

State = Literal["none", "preparing", "ready"]
"""Whether a part of the model is there: not at all, soon, or now."""


class Explorer:
    """A model and what every question about it needs."""

    def __init__(self, model: Model) -> None:
        self.model = model
        self.evidence_lock = threading.Lock()
        """Profiles are mined into one shared memory: one question at a time."""
        self.evidence: Evidence | None = None
        """What measures that read the corpus need; None where the model has no index, or not yet."""

    @property
    def has_pairs(self) -> bool:
        """Whether the model can tell of relations."""
        return self.model.relations is not None and self.model.relations.n_pairs > 0

    @cached_property
    def search(self) -> RelationSearch:
        return RelationSearch(self.model, available_threads())

    @cached_property
    def terms(self) -> TermTable:
        """The words as the analogy measures look them up."""
        return TermTable(self.model.vectors)

    @cached_property
    def unit(self) -> Floats:
        return self.model.vectors.normalised

    @cached_property
    def is_plain(self) -> Flags:
        """True for the words that a person would ask about: no stop words, no punctuation, no numbers."""
        words = self.model.vocabulary.words
        return np.array([w.isalpha() and len(w) > 2 for w in words], dtype=np.bool_) & ~self.model.is_stop_word

    @cached_property
    def spellings(self) -> Spellings:
        """For completing what is being typed, and for what may have been meant."""
        return Spellings(self.model.vocabulary.words)

    @property
    def evidence_state(self) -> State:
        """Whether measures that read the corpus can answer."""
        if self.model.index is None or not self.has_pairs:
            return "none"
        return "preparing" if self.evidence is None else "ready"

    def prepare_evidence(self) -> None:
        """Opens what the corpus says of pairs, once."""
        if self.evidence_state == "preparing":
            self.evidence = Evidence.of(self.model, threads=available_threads())

    def id_of(self, word: str) -> int:
        """The id of a word in a person's case; −1 where there is none."""
        row = self.model.vectors.find(word)
        return -1 if row is None else row

    def ids(self, *words: str) -> list[int]:
        """The ids of words; an UnknownWordsError that names all unknown ones and suggests spellings."""
        ids = [self.id_of(word) for word in words]
        unknown = [word for word, at in zip(words, ids, strict=True) if at < 0]
        if unknown:
            raise UnknownWordsError({word: self.spellings.closest(word) for word in unknown})
        return ids

    def pair(self, first: str, second: str) -> tuple[str, str]:
        """Two words as the model writes them; a RelrepError where they are one."""
        u, v = self.ids(first, second)
        if u == v:
            raise RelrepError(f"“{first}” is here twice; a pair has two different words")
        words = self.model.vocabulary.words
        return words[u], words[v]
