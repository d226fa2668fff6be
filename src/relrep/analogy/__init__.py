"""Analogies: measures, question sets, evaluation, significance."""

from relrep.analogy.comparison import compare
from relrep.analogy.evaluation import Evaluation, evaluate
from relrep.analogy.protocol import Protocol

__all__ = ["Evaluation", "Protocol", "compare", "evaluate"]
