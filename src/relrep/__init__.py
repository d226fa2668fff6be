"""relrep: word vectors that carry the semantic relations between words, learnt from plain text."""

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from relrep.analogy.evaluation import evaluate
    from relrep.config import Config
    from relrep.errors import RelrepError
    from relrep.model import Model
    from relrep.relrep import RelRep
    from relrep.vectors import WordVectors

__version__ = "0.1.0"
__all__ = ["Config", "Model", "RelRep", "RelrepError", "WordVectors", "__version__", "evaluate"]

_HOMES = {
    "Config": "relrep.config",
    "Model": "relrep.model",
    "RelRep": "relrep.relrep",
    "RelrepError": "relrep.errors",
    "WordVectors": "relrep.vectors",
    "evaluate": "relrep.analogy.evaluation",
}


def __getattr__(name: str) -> Any:
    """Imports the public names when they are first used, so that `relrep --help` answers at once."""
    if name in _HOMES:
        return getattr(importlib.import_module(_HOMES[name]), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
