"""The embedded corpus: a small world in simple English, and the analogy questions that follow from its facts.

>>> from relrep.datasets import smallworld
>>> next(smallworld.generate(tokens=50, seed=1)).endswith((".", '"', "?"))
True
>>> smallworld.pairs()["family"][2]
('king', 'queen')
"""

from relrep.datasets.smallworld.analogies import choices, pairs, questions, write_choices, write_questions
from relrep.datasets.smallworld.generator import DEFAULT_TOKENS, generate, write_corpus

__all__ = [
    "DEFAULT_TOKENS",
    "choices",
    "generate",
    "pairs",
    "questions",
    "write_choices",
    "write_corpus",
    "write_questions",
]
