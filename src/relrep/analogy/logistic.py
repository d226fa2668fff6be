"""Logistic regression, small and deterministic."""

import numpy as np

from relrep.core.arrays import Doubles, Flags

_STEPS, _STILL = 50, 1e-9


def logistic_regression(rows: Doubles, is_positive: Flags, weights: Doubles) -> Doubles:
    """The coefficients, and behind them the intercept, that part the positive rows from the others.

    They minimise ½ |w|² + Σ weight · log(1 + exp(∓(w · row + intercept))), by Newton's method.

    >>> rows = np.array([[1.0], [3.0]])
    >>> logistic_regression(rows, np.array([False, True]), np.ones(2)).round(3).tolist()
    [0.675, -1.35]
    """
    design = np.column_stack([rows, np.ones(len(rows))])
    penalty = np.append(np.ones(rows.shape[1]), 0.0)
    found = np.zeros(len(penalty))
    for _ in range(_STEPS):
        likely = probabilities(design @ found)
        gradient = design.T @ (weights * (likely - is_positive)) + penalty * found
        hessian = (design.T * (weights * likely * (1 - likely))) @ design + np.diag(penalty)
        step = np.linalg.solve(hessian, gradient)
        found -= step
        if np.abs(step).max() < _STILL:
            break
    return found


def probabilities(scores: Doubles) -> Doubles:
    """The logistic function.

    >>> probabilities(np.array([0.0, 1000.0])).tolist()
    [0.5, 1.0]
    """
    return np.asarray(0.5 + 0.5 * np.tanh(0.5 * scores))
