"""relrep: word vectors that carry the semantic relations between words, learnt from plain text."""

from typing import TYPE_CHECKING

from relrep.core.lazy import lazy_names
from relrep.version import __version__

if TYPE_CHECKING:
    from relrep.analogy.evaluate import evaluate
    from relrep.api import RelRep
    from relrep.config import Config
    from relrep.errors import RelrepError
    from relrep.model.model import Model
    from relrep.vectors.word_vectors import WordVectors

__all__ = ["Config", "Model", "RelRep", "RelrepError", "WordVectors", "__version__", "evaluate"]

__getattr__ = lazy_names(
    __name__,
    {
        "Config": "relrep.config",
        "Model": "relrep.model.model",
        "RelRep": "relrep.api",
        "RelrepError": "relrep.errors",
        "WordVectors": "relrep.vectors.word_vectors",
        "evaluate": "relrep.analogy.evaluate",
    },
)
