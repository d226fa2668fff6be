"""Word pairs and the lexical patterns between them, with their counts g(p, u, v)."""

from relrep.mining.local import Mined, mine
from relrep.mining.pairs import Pairs
from relrep.mining.patterns import Patterns
from relrep.mining.runs import Run
from relrep.mining.settings import MiningSettings

__all__ = ["Mined", "MiningSettings", "Pairs", "Patterns", "Run", "mine"]
