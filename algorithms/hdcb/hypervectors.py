"""Encoder, and base of the hyperdimensional learners.

OUR READING of HD-CB (arXiv 2501.16863) and of its probabilistic successor (arXiv 2605.13346): only
their abstracts were available, which state that contexts map to hypervectors, that each action has
one, and that rewards update it. Every equation here is inferred. The encoder resembles that of the
public code of the same group (klessydra/HDCU): quantize, multiply a level vector by an identity
vector, sum, take signs.
"""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from gnomon.base.errors import GnomonError
from gnomon.learn import Learner, Sizes
from gnomon.learn.draws import STEP, random_words
from gnomon.learn.kernels import Floats, note
from gnomon.learn.settings import positive, whole

LARGEST = 32767.0
"""Limit of the components of hypervectors, which embedded learners store in 16 bits."""

_STATES = 1 << 32


def signs(words: NDArray[np.int64], components: int) -> Floats:
    """Return packed components, 32 a word, the lowest bit first, as 1 for a clear bit, else -1.

    Args:
        words: from 0 to 2^32 - 1, (..., words).
        components: number of components, (..., components) in the result.
    """
    bits = words[..., None] >> np.arange(32) & 1
    flat = bits.reshape(*words.shape[:-1], -1)[..., :components]
    return (1 - 2 * flat).astype(np.float64)


def share_of_range(low: float, high: float, value: Floats | float) -> Floats:
    """Return the distance from ``low``, for values outside of the range that of its ends."""
    clipped: Floats = np.clip(value, low, high) - low
    return clipped


class Hyperdimensional(Learner):
    """Encoder of contexts, weights of rewards, and the hypervectors of rewards.

    Level q is level 0 with its first span D q / (L - 1) components negated. Components are
    independent samples, so which of them are negated, the first or random ones, changes no
    distribution. All sums and dot products are whole numbers, and exact.

    Args:
        components: D, components of a hypervector.
        levels: L, levels of a feature between ``low`` and ``high``.
        span: share of the components that differ between the first and the last level, in
            hundredths: 0.5 makes them orthogonal, 1 opposed.
        low: value at which the first level begins; smaller ones belong to it.
        high: value at which the last level ends; larger ones belong to it.
        reward_low: reward that weighs -``weights``, as all smaller ones. With the negative of
            ``reward_high``, a weight is proportional to the reward.
        reward_high: reward that weighs ``weights``, as all larger ones.
        seed: seed of the vectors and of all choices, the numbers of ``random.h``.

    Raises:
        GnomonError: if a setting is out of range.
    """

    keeps: ClassVar[tuple[str, ...]] = ("rewards",)
    weights: int = 1
    """Weight of the highest reward; weights are whole numbers."""

    def __init__(
        self,
        *,
        arms: int,
        dimensions: int,
        components: int = 1000,
        levels: int = 16,
        span: float = 1.0,
        low: float = -3.0,
        high: float = 3.0,
        reward_low: float = 0.0,
        reward_high: float = 1.0,
        seed: int = 1,
    ) -> None:
        super().__init__(Sizes(arms, dimensions))
        self.components = whole("components", components, least=2)
        self.levels = whole("levels", levels, least=2)
        self.span = positive("span", span)
        if self.span > 1:
            raise GnomonError(f"span must be a number from 0 to 1, not {span!r}")
        self.low, self.high = _range("low", low, "high", high)
        self.reward_low, self.reward_high = _range(
            "reward_low", reward_low, "reward_high", reward_high
        )
        self.seed = whole("seed", seed, least=0)
        # state of the generator, after the vectors were drawn, (1)
        self.random: Floats = np.array([self.seed % _STATES], dtype=np.float64)
        words = (self.components + 31) // 32
        drawn = signs(self._draw((2 + dimensions) * words).reshape(-1, words), self.components)
        self._tie = drawn[0]  # (D)
        flips = round(100 * self.span) * self.components * np.arange(self.levels)
        flipped = np.arange(self.components) < (flips // (100 * (self.levels - 1)))[:, None]
        self._levels = np.where(flipped, -drawn[1], drawn[1])  # (L, D)
        self._identities = drawn[2:]  # (d, D)
        # one hypervector per arm, (N, D): A
        self.rewards: Floats = np.zeros((arms, self.components))

    def _draw(self, count: int) -> NDArray[np.int64]:
        """Return the next random numbers, below 2^32."""
        state = int(self.random[0])
        self.random[0] = (state + count * STEP) % _STATES
        return random_words(count, state)

    def encode(self, x: Floats) -> Floats:
        """Return the hypervector of a context (d), components -1 and 1, (D)."""
        note("add", (self.components, 1), self.sizes.dimensions)
        offset = share_of_range(self.low, self.high, np.asarray(x))
        level = (self.levels * offset / (self.high - self.low)).astype(np.int64)
        level = np.minimum(level, self.levels - 1)
        bundle = (self._identities * self._levels[level]).sum(axis=0)
        vector: Floats = np.where(bundle == 0, self._tie, np.sign(bundle))
        return vector

    def _encoded(self, contexts: Floats) -> Floats:
        """Return the hypervectors of contexts of all arms, (N, D), or of the one of all, (D)."""
        if not contexts.strides[0]:
            return self.encode(contexts[0])
        return np.stack([self.encode(x) for x in contexts])

    def weight(self, reward: float) -> int:
        """Return the weight of a reward, rounded to nearest."""
        width = self.reward_high - self.reward_low
        offset = float(share_of_range(self.reward_low, self.reward_high, reward))
        return int((4 * self.weights * offset + width) // (2 * width)) - self.weights

    def _dots(self, vectors: Floats, x: Floats) -> Floats:
        """Return dot products of the vectors of all arms with one hypervector, or one for each."""
        note("dot", (self.components,), self.sizes.arms)
        products: Floats = np.asarray(vectors) @ x if x.ndim == 1 else (vectors * x).sum(axis=-1)
        return products

    def _add(self, vectors: Floats, arm: int, step: Floats, limit: float = LARGEST) -> None:
        """Add to the vector of an arm; components stay within the limit."""
        note("add", (self.components, 1))
        row = np.asarray(vectors)[arm]
        np.clip(row + step, -limit, limit, out=row)


class Exploring(Hyperdimensional):
    """Random arm with probability epsilon, else that of the largest cosine, the lowest of equals.

    Args:
        epsilon: in steps of 2^-16.
        settings: as for the encoder.
    """

    follows_scores: ClassVar[bool] = False
    keeps: ClassVar[tuple[str, ...]] = ("rewards", "plays", "random")

    def __init__(self, *, epsilon: float = 0.1, **settings: Any) -> None:
        super().__init__(**settings)
        self.epsilon = positive("epsilon", epsilon, zero=True)
        if self.epsilon > 1:
            raise GnomonError(f"epsilon must be a number from 0 to 1, not {epsilon!r}")
        self.plays: Floats = np.zeros(self.sizes.arms)  # rewards learned, (N)

    def _squares(self) -> Floats:
        rewards = np.asarray(self.rewards)
        squares: Floats = np.maximum(np.einsum("ai,ai->a", rewards, rewards), 1.0)
        return squares

    def _scores(self, contexts: Floats) -> Floats:
        """Return the cosines, (N)."""
        dots = self._dots(self.rewards, self._encoded(contexts))
        cosines: Floats = dots / np.sqrt(self._squares() * self.components)
        return cosines

    def _nearest(self, contexts: Floats) -> int:
        """Return the arm on offer of the largest cosine, compared exactly."""
        dots = self._offered(self._dots(self.rewards, self._encoded(contexts)))
        squares = self._offered(self._squares())
        cosines = dots / np.sqrt(squares)
        note("argmax", dots.shape)
        near = np.flatnonzero(cosines >= cosines.max() - 1e-9 * abs(cosines.max()))
        best = int(near[0])
        for arm in near[1:].tolist():
            if _signed_square(dots[arm]) * int(squares[best]) > (
                _signed_square(dots[best]) * int(squares[arm])
            ):
                best = arm
        return self._offered_arm(best)

    def _choose(self, contexts: Floats) -> int:
        note("random", (1,))
        if int(self._draw(1)[0]) >> 16 < round(self.epsilon * 65536):
            return self._offered_arm(int(self._draw(1)[0]) * self._offers() >> 32)
        return self._nearest(contexts)

    def _chances(self, contexts: Floats) -> Floats:
        odds = round(self.epsilon * 65536) / 65536
        return odds * self._evenly() + (1.0 - odds) * self._surely(self._nearest(contexts))


def _signed_square(dot: float) -> int:
    whole_dot = int(dot)
    return whole_dot * abs(whole_dot)


def _range(name: str, low: float, high_name: str, high: float) -> tuple[float, float]:
    for word, value in ((name, low), (high_name, high)):
        if not isinstance(value, int | float) or not np.isfinite(value):
            raise GnomonError(f"{word} must be a finite number, not {value!r}")
    if low >= high:
        raise GnomonError(f"{name} must be below {high_name}, not {low!r} and {high!r}")
    return float(low), float(high)
