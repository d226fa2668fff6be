"""The Python door: text in, a model out, and every question a verb of the model."""

import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from relrep.analogy.evaluate import Evaluation, evaluate
from relrep.analogy.solve import Candidate, solve
from relrep.config import Config
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
from relrep.text.settings import CorpusSettings


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

    def evaluate(self, **questions: Any) -> Evaluation:
        """The scores of the vectors on question sets: model.evaluate(google="questions-words.txt")."""
        return evaluate(self.vectors, **questions)


def load(folder: str | Path) -> Model:
    """Opens the model in `folder`."""
    return Model.load(folder)


def train(
    corpus: str | Path | Sequence[str | Path],
    out: str | Path | None = None,
    *,
    force_text: bool = False,
    **settings: Any,
) -> Model:
    """Learns a model from files, folders or globs with the default settings; see RelRep for others.

    `force_text` reads also what is mostly no text.
    """
    return RelRep(Config(corpus=CorpusSettings(force_text=force_text))).fit(corpus, out, **settings)


class RelRep:
    """Learns a model from text.

    >>> RelRep(Config()).config.training.solver
    'batch'
    """

    def __init__(self, config: Config | None = None) -> None:
        self.config = config or Config()
        self._temporary: tempfile.TemporaryDirectory[str] | None = None

    def fit(
        self,
        corpus: str | Path | Sequence[str | Path],
        out: str | Path | None = None,
        *,
        threads: int | None = None,
        memory: int = DEFAULT_MEMORY,
        keep_index: bool = True,
        keep_text: bool = True,
        progress: ProgressCallback = ignore,
    ) -> Model:
        """Mines and trains on files, folders or globs; the model folder is `out` (or a temporary one of this object).

        Finished stages wait in `out`.work, so that a second call with other settings does only what has changed.
        """
        if out is None:
            self._temporary = tempfile.TemporaryDirectory(prefix="relrep-")
            out = Path(self._temporary.name) / "model"
        names = [corpus] if isinstance(corpus, (str, Path)) else list(corpus)
        run = RunSettings(threads or available_threads(), memory, keep_index, keep_text)
        return Model.load(TrainingRun(names, work_folder(Path(out)), self.config, run, progress).make(Path(out)).folder)


def work_folder(out: Path) -> Path:
    """Where the stages of the model at `out` leave their results."""
    return out.with_name(f"{out.name}.work")
