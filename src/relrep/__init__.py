"""relrep: word vectors that carry the semantic relations between words, learnt from plain text."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from relrep.version import __version__

if TYPE_CHECKING:
    from relrep.analogy.evaluate import evaluate
    from relrep.api import Model, RelRep, load, train
    from relrep.config import Config
    from relrep.errors import RelrepError
    from relrep.vectors.word_vectors import WordVectors

__all__ = ["Config", "Model", "RelRep", "RelrepError", "WordVectors", "__version__", "evaluate", "load", "train"]

_HOMES = {
    "Config": "relrep.config",
    "Model": "relrep.api",
    "RelRep": "relrep.api",
    "RelrepError": "relrep.errors",
    "WordVectors": "relrep.vectors.word_vectors",
    "evaluate": "relrep.analogy.evaluate",
    "load": "relrep.api",
    "train": "relrep.api",
}


def __getattr__(name: str) -> Any:
    """Imports a public name when it is first used, so that `import relrep` and its small modules load at once."""
    if name not in _HOMES:
        raise AttributeError(f"module 'relrep' has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return __all__
