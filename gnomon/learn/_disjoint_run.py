"""Many steps of the optimised disjoint learner in one call, bit for bit those of its kernels.

A step of ``select`` and ``update`` spends most of its time on checks and on small arrays that live
for one operation. Here the input is checked beforehand and the arrays stay. Every operation is that
of the kernels, on operands of the same shape and in the same order, so every bit is the same; only
theta, which the kernels compute for all arms in every selection, is kept and computed anew for the
one arm that has learned. ``tests/learn/test_run.py`` holds all of it to that.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from gnomon.learn._disjoint_optimised import DisjointLinUCBOptimised
    from gnomon.learn.kernels import Floats
    from gnomon.learn.learner import Arms


def run_disjoint(
    learner: DisjointLinUCBOptimised, contexts: Floats, rewards: Floats, chosen: Arms
) -> None:
    """Run all steps; ``chosen`` gets the arms.

    Raises:
        GnomonError: the state has lost its precision; the steps before are learned.
    """
    arms, dimensions = learner.sizes.arms, learner.sizes.dimensions
    inverses, b, alpha = learner.a_inverse, learner.b, learner.alpha
    # Sums over d of two products per arm, in one call: spread x gives variances, theta x means.
    factors = np.empty((2, arms, dimensions))
    spread, theta = factors[0], factors[1]
    np.matmul(inverses, b[..., None], out=theta[..., None])
    terms, sums = np.empty_like(factors), np.empty((2, arms))
    variances, means = sums[0], sums[1]
    scores = np.empty(arms)
    product = np.empty((dimensions, dimensions))
    step_b = np.empty(dimensions)
    matmul, multiply, reduce, sqrt, add = np.matmul, np.multiply, np.add.reduce, np.sqrt, np.add
    subtract, divide = np.subtract, np.divide

    with np.errstate(invalid="ignore"):
        for step, x in enumerate(contexts):
            matmul(inverses, x, out=spread)
            multiply(factors, x, out=terms)
            reduce(terms, axis=-1, out=sums)
            sqrt(variances, out=scores)
            multiply(scores, alpha, out=scores)
            add(means, scores, out=scores)
            arm = int(scores.argmax())
            score = scores[arm]
            if score != score:  # noqa: PLR0124 - NaN: a variance below 0, and the first NaN is found
                arm = chosen[step] = learner._step(x, rewards[step])  # noqa: SLF001 - of this class
            else:
                chosen[step] = arm
                inverse = inverses[arm]
                left = spread[arm]
                right = x @ inverse
                multiply(left[:, None], right, out=product)
                divide(product, 1.0 + x @ left, out=product)
                subtract(inverse, product, out=inverse)
                multiply(x, rewards[step, arm], out=step_b)
                add(b[arm], step_b, out=b[arm])
                learner.steps += 1
            matmul(inverses[arm], b[arm], out=theta[arm])
