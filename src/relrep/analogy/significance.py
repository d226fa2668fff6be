"""How far a score can be trusted: Wilson intervals, the exact binomial test, McNemar's exact test."""

import math
from dataclasses import dataclass

LEVEL = 0.05
"""Differences with p below this are called significant (95 %)."""


def wilson_interval(right: int, questions: int, level: float = LEVEL) -> tuple[float, float]:
    """Wilson's interval of a proportion, in percent.

    >>> [round(bound, 2) for bound in wilson_interval(143, 374)]
    [33.45, 43.26]
    """
    from scipy.stats import norm  # half a second to import: only where it is needed

    if questions == 0:
        return 0.0, 100.0
    z = float(norm.ppf(1 - level / 2))
    share = right / questions
    centre = share + z * z / (2 * questions)
    half = z * math.sqrt(share * (1 - share) / questions + z * z / (4 * questions * questions))
    scale = 1 + z * z / questions
    return max(0.0, 100 * (centre - half) / scale), min(100.0, 100 * (centre + half) / scale)


def binomial_test(right: int, questions: int, rate: float) -> float:
    """The exact two-sided binomial test of `right` out of `questions` against a rate between 0 and 1.

    As usual, the probability of all outcomes that are no likelier than the one seen.

    >>> round(binomial_test(8, 10, 0.5), 4)
    0.1094
    """
    from scipy.stats import binomtest

    return float(binomtest(right, questions, rate).pvalue) if questions else 1.0


@dataclass(frozen=True)
class McNemar:
    """The questions that only one of two systems answers right, and the exact p-value of their balance."""

    only_first: int
    only_second: int

    @property
    def p_value(self) -> float:
        """Two-sided; 1 where the two never differ.

        >>> McNemar(1, 5).p_value
        0.21875
        """
        differing = self.only_first + self.only_second
        if differing == 0:
            return 1.0
        from scipy.stats import binom

        return min(1.0, 2.0 * float(binom.cdf(min(self.only_first, self.only_second), differing, 0.5)))

    @property
    def significant(self) -> bool:
        """Whether chance alone is an unlikely reason."""
        return self.p_value < LEVEL


def p_in_words(p: float) -> str:
    """A p-value as one writes it.

    >>> p_in_words(0.0213), p_in_words(1e-9)
    ('p = 0.021', 'p < 0.0001')
    """
    if p < 1e-4:
        return "p < 0.0001"
    return f"p = {p:.4f}" if p < 0.001 else f"p = {p:.3f}"
