"""relrep: word vectors that carry the semantic relations between words, learnt from plain text."""

from typing import TYPE_CHECKING

from relrep.lazy_names import lazy_names

if TYPE_CHECKING:
    from relrep.analogy.evaluation import evaluate
    from relrep.config import Config
    from relrep.errors import RelrepError
    from relrep.model import Model
    from relrep.relrep import RelRep
    from relrep.vectors import WordVectors

__version__ = "0.1.0"
__all__ = ["Config", "Model", "RelRep", "RelrepError", "WordVectors", "__version__", "evaluate"]

__getattr__ = lazy_names(
    __name__,
    {
        "Config": "relrep.config",
        "Model": "relrep.model",
        "RelRep": "relrep.relrep",
        "RelrepError": "relrep.errors",
        "WordVectors": "relrep.vectors",
        "evaluate": "relrep.analogy.evaluation",
    },
)
