"""Hybrid LinearUCB with one rank-one update of A0 per step. Ours, not the paper's."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from gnomon.learn._hybrid_optimised import HybridLinUCBOptimised
from gnomon.learn.kernels import add, dot, matvec, scale, sherman_morrison, sub, transpose

if TYPE_CHECKING:
    from gnomon.learn.kernels import Floats


class HybridLinUCBRankOne(HybridLinUCBOptimised):
    """Equations (4) to (6) in one: the three changes of A0 add up to a matrix of rank one.

    A0 is the Schur complement of A in the matrix of all observations of the arm, and one
    observation changes that by rank one. With ``u = A^-1 x``, ``g = 1 + x^T u`` and
    ``w = z - B^T u``, A and B before the step,

        A0 + B^T A^-1 B + z z^T - B'^T A'^-1 B'  =  A0 + w w^T / g
        b0 + B^T A^-1 b + r z   - B'^T A'^-1 b'  =  b0 + w (r - u^T b) / g

    where ' means after the step. So one Sherman-Morrison update takes the place of lines 19, 24
    and 25 of Algorithm 2: k^2 operations instead of k^2 d, no inversion, and none of the large
    numbers that line 19 brings in and line 25 takes out, whose rounding is what drifts.
    """

    variant: ClassVar[str] = "rank-one"

    def _learn(self, contexts: Floats, arm: int, reward: float) -> None:
        x, z = contexts[arm], self._z(contexts, arm)
        u = matvec(self.a_inverse[arm], x)
        g = 1.0 + float(dot(x, u))
        w = sub(z, matvec(transpose(self.cross[arm]), u))
        surprise = reward - float(dot(u, self.b[arm]))
        b0 = add(self.b0, scale(w, surprise / g))
        a0_inverse = sherman_morrison(self.a0_inverse, scale(w, g**-0.5))
        a_inverse = sherman_morrison(self.a_inverse[arm], x)
        cross, b = self._own(arm, x, z, reward)
        self.a0_inverse[...], self.b0[...] = a0_inverse, b0
        self.a_inverse[arm], self.cross[arm], self.b[arm] = a_inverse, cross, b
