"""The systems that relrep is compared with, trained on the same token ids."""

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from relrep.baselines.settings import SYSTEMS, BaselineSettings, GensimSettings, GloveSettings, IvlblSettings
from relrep.errors import RelrepError
from relrep.progress import ProgressCallback, ignore

if TYPE_CHECKING:  # so that `relrep --help` answers at once
    from relrep.core.arrays import Floats
    from relrep.text.encoded import EncodedCorpus


def require_extras(systems: Iterable[str]) -> None:
    """Says in one sentence, before any work, what must be installed to train these baselines and is not."""
    if any(issubclass(SYSTEMS[name], GensimSettings) for name in systems if name in SYSTEMS):
        from relrep.baselines.word2vec import require_gensim

        require_gensim()


def train_baseline(
    name: str,
    corpus: "EncodedCorpus",
    settings: BaselineSettings | None = None,
    folder_for_checkpoints: Path | None = None,
    threads: int = 1,
    memory: int = 4 << 30,
    progress: ProgressCallback = ignore,
) -> "Floats":
    """Trains one baseline: a vector for each word of the vocabulary, in its order.

    >>> from relrep.text.encoded import EncodedCorpus
    >>> corpus = EncodedCorpus.from_sentences([["a", "cat", "is", "an", "animal"]] * 5)
    >>> vectors = train_baseline("glove", corpus, GloveSettings(dim=8, iterations=2))
    >>> vectors.shape
    (5, 8)
    """
    kind = SYSTEMS.get(name)
    if kind is None:
        raise RelrepError(f"there is no baseline called {name!r}; choose one of {', '.join(SYSTEMS)}")
    settings = settings if settings is not None else kind()
    if not isinstance(settings, kind):
        raise RelrepError(f"{name} was given {type(settings).__name__}; give it {kind.__name__}")
    if folder_for_checkpoints is not None:
        folder_for_checkpoints.mkdir(parents=True, exist_ok=True)
    if isinstance(settings, GloveSettings):
        from relrep.baselines.glove import train_glove

        return train_glove(corpus, settings, folder_for_checkpoints, threads, memory, progress)
    if isinstance(settings, IvlblSettings):
        from relrep.baselines.ivlbl import train_ivlbl

        return train_ivlbl(corpus, settings, folder_for_checkpoints, threads, progress)
    from relrep.baselines.word2vec import train_word2vec

    assert isinstance(settings, GensimSettings)
    return train_word2vec(corpus, settings, folder_for_checkpoints, threads, progress)
