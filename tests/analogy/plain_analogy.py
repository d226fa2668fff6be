"""The plain loop that the kernels of the analogy measures and of the open search are held to."""

from relrep.reference.analogy import EPSILON, MEASURES, cosadd, cosmult, dot, pairdiff, ranking, unit

__all__ = ["EPSILON", "MEASURES", "cosadd", "cosmult", "dot", "pairdiff", "ranking", "unit"]
