"""The baselines as learners: LinUCB (the index of OFUL), LinTS, epsilon-greedy, on one model."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from gnomon.learn._kernels import Floats, add, matvec, scale
from gnomon.learn._learner import positive, share
from gnomon.learn._trace import note
from gnomon.learn.softucb._shared import SharedLinear

if TYPE_CHECKING:
    from numpy.typing import ArrayLike


class Oful(SharedLinear):
    """LinUCB on one model: the largest mu_hat + alpha n.

    Args:
        arms: K.
        dimensions: length of a context.
        alpha: the width beta; ``confidence_width`` gives that of equation (5).
        arm_features: see ``SharedLinear``.
        regularisation: V starts as that times I.
    """

    name: ClassVar[str] = "oful"
    variant: ClassVar[str] = "standard"

    def __init__(
        self,
        *,
        arms: int,
        dimensions: int,
        alpha: float = 1.0,
        arm_features: ArrayLike | None = None,
        regularisation: float = 1.0,
    ) -> None:
        super().__init__(
            arms=arms,
            dimensions=dimensions,
            arm_features=arm_features,
            regularisation=regularisation,
        )
        self.alpha = positive("alpha", alpha, zero=True)

    @property
    def settings(self) -> dict[str, Any]:
        return {**super().settings, "alpha": self.alpha}

    def _scores(self, contexts: Floats) -> Floats:
        joint = self._joint(contexts)
        return add(self._means(joint), scale(self._norms(joint), self.alpha))


class LinThompson(SharedLinear):
    """LinTS: plays the best arm of a theta that is drawn from N(theta_hat, variance V^-1).

    Operations are counted as of the usual implementation, a Cholesky factor of V^-1 in each round.
    What is computed is another factor of it, from its eigenvalues: rounding can leave V^-1 a hair
    short of positive definite, where Cholesky fails. A theta of either has the same distribution.

    Args:
        arms: K.
        dimensions: length of a context.
        variance: v2, above 0; 1 in the authors' synthetic runs.
        arm_features: see ``SharedLinear``.
        regularisation: V starts as that times I.
        seed: of the draws.
    """

    name: ClassVar[str] = "lin-ts"
    variant: ClassVar[str] = "standard"
    follows_scores = False

    def __init__(
        self,
        *,
        arms: int,
        dimensions: int,
        variance: float = 1.0,
        arm_features: ArrayLike | None = None,
        regularisation: float = 1.0,
        seed: int = 0,
    ) -> None:
        super().__init__(
            arms=arms,
            dimensions=dimensions,
            arm_features=arm_features,
            regularisation=regularisation,
            seed=seed,
        )
        self.variance = positive("variance", variance)

    @property
    def settings(self) -> dict[str, Any]:
        return {**super().settings, "variance": self.variance}

    def _scores(self, contexts: Floats) -> Floats:
        return self._means(self._joint(contexts))

    def _choose(self, contexts: Floats) -> int:
        assert self.generator is not None
        joint = self._joint(contexts)
        size = len(self.b)
        note("cholesky", (size,))
        # Rounding can leave a direction a hair below 0: the eigenvalues are cut there.
        values, vectors = np.linalg.eigh((self.inverse + self.inverse.T) / 2)
        factor = vectors * np.sqrt(np.maximum(values, 0.0) * self.variance)
        note("random", (size,))
        moved = matvec(factor, self.generator.standard_normal(size))
        return self._best(add(self._means(joint), matvec(joint, moved)))


class LinEpsilonGreedy(SharedLinear):
    """The largest estimate, and with probability epsilon any arm; learns from every round.

    Args:
        arms: K.
        dimensions: length of a context.
        epsilon: 0.05 as published.
        arm_features: see ``SharedLinear``.
        regularisation: V starts as that times I.
        seed: of the draws.
    """

    name: ClassVar[str] = "lin-epsilon-greedy"
    variant: ClassVar[str] = "standard"
    follows_scores = False

    def __init__(
        self,
        *,
        arms: int,
        dimensions: int,
        epsilon: float = 0.05,
        arm_features: ArrayLike | None = None,
        regularisation: float = 1.0,
        seed: int = 0,
    ) -> None:
        super().__init__(
            arms=arms,
            dimensions=dimensions,
            arm_features=arm_features,
            regularisation=regularisation,
            seed=seed,
        )
        self.epsilon = share("epsilon", epsilon)

    @property
    def settings(self) -> dict[str, Any]:
        return {**super().settings, "epsilon": self.epsilon}

    def _scores(self, contexts: Floats) -> Floats:
        return self._means(self._joint(contexts))

    def _choose(self, contexts: Floats) -> int:
        if float(self._random()[0]) < self.epsilon:
            return self._random_arm()
        return self._best(self._scores(contexts))
