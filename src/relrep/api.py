"""The Python door: text in, a model out, and every question a verb of the model."""

import tempfile
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, cast

import numpy as np

from relrep.analogy.evaluate import Evaluation, evaluate
from relrep.analogy.solve import Candidate, solve
from relrep.config import Config
from relrep.core.arrays import Floats
from relrep.core.linalg import unit_rows
from relrep.core.threads import available_threads
from relrep.errors import RelrepError
from relrep.model.model import Model as StoredModel
from relrep.pipeline.stages import DEFAULT_MEMORY, RunSettings
from relrep.pipeline.train import TrainingRun
from relrep.progress import ProgressCallback, ignore
from relrep.relations.collocates import Association, Collocates, collocates
from relrep.relations.concordance import Concordance, Order, concordance
from relrep.relations.explain import Explanation, explain
from relrep.relations.patterns import PatternAnswer, ask_pattern
from relrep.relations.search import RelatedPair, RelationSearch, SearchFilters
from relrep.text.given import names_files, write_given
from relrep.vectors.inferred import Inference, rows_around


@dataclass(frozen=True, eq=False, repr=False)
class Model(StoredModel):
    """A trained model, opened for questions. Everything large stays on disk, memory-mapped.

    `model.vectors` are its word vectors, with the names of gensim's KeyedVectors.
    """

    @cached_property
    def _relations(self) -> RelationSearch:
        return RelationSearch(self, available_threads())

    def analogy(self, a: str, b: str, c: str, n: int = 10, measure: str = "cosadd") -> list[Candidate]:
        """The best words d for a : b :: c : d, in the whole vocabulary but for a, b and c."""
        return solve(self.vectors, a, b, c, n, (measure,))[measure]

    def neighbours(self, word: str, n: int = 10) -> list[tuple[str, float]]:
        """The words whose vectors are closest to that of `word`, and their cosines."""
        return self.vectors.most_similar(self.vectors.known_as(word), topn=n)

    def relation(self, first: str, second: str, n: int = 10, n_examples: int = 5) -> Explanation:
        """How two words are related: the patterns that say so, pairs related alike, sentences."""
        return explain(self._relations, first, second, n, n_examples)

    def search(
        self, *words: str, n: int = 20, fix_first: str | None = None, fix_second: str | None = None, **filters: Any
    ) -> tuple[RelatedPair, ...]:
        """The pairs most alike in relation to a pair, or to several: model.search("lion", "cat", "salmon", "fish").

        `fix_first` or `fix_second` names one word of the pair and seeks the other. Filters are those of SearchFilters.
        """
        if len(words) < 2 or len(words) % 2:
            raise RelrepError(f"search takes words in pairs, but got {len(words)}; give two words for each pair")
        pairs, chosen = list(zip(words[::2], words[1::2], strict=True)), SearchFilters(**filters)
        if fix_first is not None:
            return self._relations.complete(pairs, fix_first, "first", n, chosen)
        if fix_second is not None:
            return self._relations.complete(pairs, fix_second, "second", n, chosen)
        return self._relations.search(pairs, n, chosen)

    def patterns(self, text: str, n: int = 10) -> PatternAnswer:
        """What a pattern ("such as") joins, and which patterns join the same pairs."""
        return ask_pattern(self, text, n)

    def collocates(self, word: str, n: int = 20, by: Association = "logdice") -> Collocates:
        """What stands with a word in the text, all together and by what joins the two."""
        return collocates(self, word, n, by)

    def concordance(self, first: str, second: str, order: Order = "text", page: int = 1) -> Concordance:
        """All lines in which two words meet, as KWIC, in pages of 50."""
        return concordance(self, first, second, order, page)

    def vector_for(self, word: str, contexts: Iterable[str | Sequence[str]] | None = None) -> Floats:
        """The vector of any word, of unit length: its own, or one inferred from `contexts`, or from its spelling.

        What that takes is learnt when it is first asked for, and kept with the model.
        """
        row = self.vectors.find(word)
        if row is not None and contexts is None:
            return np.asarray(unit_rows(self.vectors.vectors[row][None])[0])
        if contexts is None:
            return self._inference.from_spelling(word.lower())
        known = self.vectors.key_to_index
        around = self.vectors.vectors[rows_around(word, contexts, known)]
        return self._inference.from_contexts(np.asarray(around))

    @cached_property
    def _inference(self) -> Inference:
        folder = self.folder / "inferred"
        if folder.exists():
            return Inference.read(folder)
        tokens = None if self.index is None else self.index.tokens
        learnt = Inference.learn(self.vocabulary.words, self.vectors.vectors, self.vocabulary.counts, tokens)
        with suppress(OSError):  # a model that may not be written to learns anew each time
            learnt.write(folder)
        return learnt

    def evaluate(self, **questions: Any) -> Evaluation:
        """The scores of the vectors on question sets: model.evaluate(google="questions-words.txt")."""
        return evaluate(self.vectors, **questions)


def load(folder: str | Path) -> Model:
    """Opens the model in `folder`."""
    return Model.load(folder)


Corpus = str | Path | Iterable[str | Path | Iterable[str]]
"""Names of files, folders or globs; or texts, or lists of tokens, from any iterable (pandas, datasets, a generator)."""


def train(
    corpus: Corpus,
    out: str | Path | None = None,
    *,
    threads: int | None = None,
    memory: int = DEFAULT_MEMORY,
    keep_index: bool = True,
    keep_text: bool = True,
    progress: ProgressCallback = ignore,
    **settings: Any,
) -> Model:
    """Learns a model: relrep.train("corpus/", "model", dim=100). `settings` are those of RelRep."""
    run: dict[str, Any] = {"threads": threads, "memory": memory, "keep_index": keep_index, "keep_text": keep_text}
    return RelRep(**settings).fit(corpus, out, progress=progress, **run)


class RelRep:
    """Learns a model from text, with a config, or the defaults, and settings by their names.

    >>> RelRep(dim=100, objective="paper").config.training.dim
    100
    """

    def __init__(self, config: Config | None = None, **settings: Any) -> None:
        self.config = (config or Config()).with_keywords(**settings)
        self._temporary: tempfile.TemporaryDirectory[str] | None = None

    def fit(
        self,
        corpus: Corpus,
        out: str | Path | None = None,
        *,
        threads: int | None = None,
        memory: int = DEFAULT_MEMORY,
        keep_index: bool = True,
        keep_text: bool = True,
        progress: ProgressCallback = ignore,
    ) -> Model:
        """Mines and trains; the model folder is `out` (or a temporary one, there as long as this object or the model).

        `corpus` names files, folders or globs, or is an iterable of texts or of lists of tokens, which is written to
        the work folder once; such tokens are taken as they are. Finished stages wait in `out`.work, so that a second
        call with other settings does only what has changed.
        """
        if out is None:
            self._temporary = tempfile.TemporaryDirectory(prefix="relrep-")
            out = Path(self._temporary.name) / "model"
        out, config, work = Path(out), self.config, work_folder(Path(out))
        names: Sequence[str | Path]
        if names_files(corpus):
            names = [corpus] if isinstance(corpus, str | Path) else corpus
        else:
            path, tokens_given = write_given(cast(Iterable[Any], corpus), work)
            names = [path]
            if tokens_given:
                config = config.with_keywords(tokens="whitespace")
        run = RunSettings(threads or available_threads(), memory, keep_index, keep_text)
        model = Model.load(TrainingRun(names, work, config, run, progress).make(out).folder)
        object.__setattr__(model, "_temporary", self._temporary)  # the folder lives as long as the model
        return model


def work_folder(out: Path) -> Path:
    """Where the stages of the model at `out` leave their results."""
    return out.with_name(f"{out.name}.work")
