"""The inverses of a step without rounding: what all variants are measured against."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from gnomon.learn._disjoint_standard import DisjointLinUCB
from gnomon.learn._hybrid_standard import HybridLinUCB
from gnomon.learn.kernels import lu_invert as invert

if TYPE_CHECKING:
    from gnomon.learn.kernels import Floats
    from gnomon.learn.learner import Learner


def exact_inverse(learner: Learner, arm: int) -> Floats:
    """The inverse that a step would give without rounding, from a standard learner's A.

    For A that is the inverse of A: a sum of outer products loses next to nothing. For A0 it is
    that of :func:`closed_form_inverse`.
    """
    if isinstance(learner, DisjointLinUCB):
        return invert(learner.a[arm])
    assert isinstance(learner, HybridLinUCB)
    return closed_form_inverse(invert(learner.a), learner.arm_features, learner.regularisation)


def closed_form_inverse(a_inverse: Floats, features: Floats, regularisation: float) -> Floats:
    """The inverse of A0 from those of all A.

    A0 = lambda I + sum over arms of (f_a f_a^T) x lambda (I - lambda A_a^-1), x the Kronecker
    product and f_a the features of an arm. This is what equations (4) to (6) add up to where every
    z is the product of fixed arm features with the context; nothing large cancels in it.

    Args:
        a_inverse: inverse of A of each arm, (N, d, d).
        features: of each arm, (N, f).
        regularisation: lambda.
    """
    dimensions = a_inverse.shape[-1]
    size = features.shape[-1] * dimensions
    inner = regularisation * (np.eye(dimensions) - regularisation * a_inverse)
    terms = np.einsum("ap,aq,aij->piqj", features, features, inner).reshape(size, size)
    return invert(regularisation * np.eye(size) + terms)
