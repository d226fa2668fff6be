"""One model, opened for many questions: what they share is computed once and kept."""

import threading
from functools import cached_property
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from relrep.analogy.evidence_space import CorpusEvidence
from relrep.analogy.terms import TermTable
from relrep.mining.stop_words import load_stop_words
from relrep.model import Model
from relrep.relations.mined_with import max_gap_of, setting
from relrep.relations.pattern_neighbours import PatternNeighbours
from relrep.relations.space import RelationSpace, space_of
from relrep.threads import available_threads
from relrep.web.queries import PatternReading
from relrep.web.unknown import Spellings, UnknownWordsError

State = Literal["none", "preparing", "ready"]
"""Whether a part of the model is there: not at all, soon, or now."""


class Explorer:
    """A model and what every question about it needs."""

    def __init__(self, model: Model) -> None:
        self.model = model
        self.evidence_lock = threading.Lock()
        """Profiles are mined into one shared memory: one question at a time."""
        self.patterns: dict[PatternReading, PatternNeighbours] = {}
        """Patterns that were asked about."""
        self._evidence: CorpusEvidence | None = None

    @property
    def max_gap(self) -> int:
        """How many words may stand between the two of a pair."""
        return max_gap_of(self.model)

    @cached_property
    def terms(self) -> TermTable:
        """The words as the analogy measures look them up."""
        return TermTable(self.model.vectors)

    @property
    def after(self) -> RelationSpace:
        """The trained vectors."""
        return space_of(self.model)

    @cached_property
    def before(self) -> RelationSpace | None:
        """The vectors that training started from."""
        return None if self.model.initial is None else RelationSpace(self.model.initial)

    @cached_property
    def is_plain(self) -> NDArray[np.bool_]:
        """True for the words that a person would ask about: no stop words, no punctuation, no numbers."""
        stop_words = load_stop_words("none" if setting(self.model, "stop_words") == "none" else "english")
        words = self.model.vocabulary.words
        return np.array([w.isalpha() and len(w) > 2 and w not in stop_words for w in words], dtype=np.bool_)

    @cached_property
    def spellings(self) -> Spellings:
        """For completing what is being typed, and for what may have been meant."""
        return Spellings(self.model.vocabulary.words)

    @property
    def evidence(self) -> CorpusEvidence | None:
        """What measures that read the corpus need; None where the model has no index, or not yet."""
        return self._evidence

    @property
    def evidence_state(self) -> State:
        """Whether measures that read the corpus can answer."""
        if self.model.index is None or self.model.relations is None or not self.model.relations.n_pairs:
            return "none"
        return "preparing" if self._evidence is None else "ready"

    def prepare_evidence(self) -> None:
        """Learns from the corpus how much each pattern says; seconds to a minute, once."""
        if self.evidence_state == "preparing":
            evidence = CorpusEvidence.of(self.model, threads=available_threads())
            self._evidence = evidence

    def id_of(self, word: str) -> int:
        """The id of a word as it is written, or else in lower case; −1 where there is none."""
        known = self.model.vectors.key_to_index
        return known.get(word, known.get(word.lower(), -1))

    def ids(self, *words: str) -> list[int]:
        """The ids of words; an UnknownWordsError that names all unknown ones and suggests spellings."""
        found = [self.id_of(word) for word in words]
        unknown = [word for word, place in zip(words, found, strict=True) if place < 0]
        if unknown:
            raise UnknownWordsError({word: self.spellings.closest(word) for word in unknown})
        return found
