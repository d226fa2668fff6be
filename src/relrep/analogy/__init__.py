"""Analogies: measures, question sets, evaluation, significance."""

from typing import TYPE_CHECKING

from relrep.lazy_names import lazy_names

if TYPE_CHECKING:
    from relrep.analogy.comparison import compare
    from relrep.analogy.evaluation import Evaluation, evaluate
    from relrep.analogy.protocol import Protocol

__all__ = ["Evaluation", "Protocol", "compare", "evaluate"]
__getattr__ = lazy_names(
    __name__,
    {
        "Evaluation": "relrep.analogy.evaluation",
        "Protocol": "relrep.analogy.protocol",
        "compare": "relrep.analogy.comparison",
        "evaluate": "relrep.analogy.evaluation",
    },
)
