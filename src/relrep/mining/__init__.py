"""Word pairs and the lexical patterns between them, with their counts g(p, u, v)."""

from typing import TYPE_CHECKING

from relrep.lazy_names import lazy_names

if TYPE_CHECKING:
    from relrep.mining.local import Mined, mine
    from relrep.mining.pairs import Pairs
    from relrep.mining.patterns import Patterns
    from relrep.mining.runs import Run
    from relrep.mining.settings import MiningSettings

__all__ = ["Mined", "MiningSettings", "Pairs", "Patterns", "Run", "mine"]
__getattr__ = lazy_names(
    __name__,
    {
        "Mined": "relrep.mining.local",
        "MiningSettings": "relrep.mining.settings",
        "Pairs": "relrep.mining.pairs",
        "Patterns": "relrep.mining.patterns",
        "Run": "relrep.mining.runs",
        "mine": "relrep.mining.local",
    },
)
