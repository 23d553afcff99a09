"""A learner's own choices without rounding, and the errors of its inverses."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gnomon.learn import Rounds
from gnomon.learn.kernels import Floats
from gnomon.measure.regret import WORD_BITS
from gnomon.measure.regret import RegretCase as StudyCase
from gnomon.measure.regret import RegretCell as Cell

from .layout import Layout


@dataclass(frozen=True, slots=True)
class Exact:
    """State after some rounds, in float64 from a form in which nothing cancels."""

    plays: NDArray[np.int64]  # of each arm so far
    inverses: Floats  # A^-1 of each arm, (N, d, d)
    shared: Floats | None  # A0^-1, (k, k); None for the disjoint algorithm
    # the covariance of the weights of each arm given those of all, (N, d, d), the shared ones
    # included; None for the disjoint algorithm
    joint: Floats | None
    thetas: Floats | None  # A^-1 b of each arm, (N, d); None for the hybrid algorithm


class History:
    """History of one run: contexts as the learner sees them, and the arms that it played."""

    def __init__(self, case: StudyCase, rounds: Rounds, arms: NDArray[np.uint8]) -> None:
        self._case = case
        self._contexts = rounds.contexts * case.context_scale
        self._rewards = (rounds.expected + rounds.noise[:, None])[np.arange(len(arms)), arms]
        self._features = rounds.arm_features
        self._arms = arms

    def exact(self, stops: tuple[int, ...]) -> Iterator[Exact]:
        """Return the inverses after each of some numbers of rounds, which ascend."""
        case = self._case
        unit = np.eye(case.dimensions)
        a = np.tile(unit, (case.arms, 1, 1))
        b = np.zeros((case.arms, case.dimensions))
        start = 0
        for stop in stops:
            for arm in range(case.arms):
                played = start + np.flatnonzero(self._arms[start:stop] == arm)
                x = self._contexts[played]
                a[arm] += x.T @ x
                b[arm] += self._rewards[played] @ x
            start = stop
            inverses = np.asarray(np.linalg.inv(a), dtype=np.float64)
            plays = np.bincount(self._arms[:stop], minlength=case.arms)
            if case.features:
                yield Exact(plays, inverses, self._shared(inverses), self._joint(a), None)
            else:
                yield Exact(plays, inverses, None, None, np.einsum("aij,aj->ai", inverses, b))

    def _shared(self, inverses: Floats) -> Floats:
        """Return the inverse of A0 = I + sum over arms of (f f^T) x (I - A^-1)."""
        size = self._case.features * self._case.dimensions
        inner = np.eye(self._case.dimensions) - inverses
        features = self._features
        terms = np.einsum("ap,aq,aij->piqj", features, features, inner).reshape(size, size)
        return np.asarray(np.linalg.inv(np.eye(size) + terms), dtype=np.float64)

    def _joint(self, a: Floats) -> Floats:
        """Return covariances of psi_a = theta_a + beta phi_a; prior (phi_a^T phi_b + [a = b]) I."""
        arms, d = self._case.arms, self._case.dimensions
        prior = np.kron(self._features @ self._features.T + np.eye(arms), np.eye(d))
        precision = np.linalg.inv(prior)
        for arm in range(arms):
            own = slice(arm * d, (arm + 1) * d)
            precision[own, own] += a[arm] - np.eye(d)
        covariance = np.linalg.inv(precision)
        return np.array([covariance[i : i + d, i : i + d] for i in range(0, arms * d, d)])

    def below_one_unit(self, fraction_bits: int) -> int:
        """Return the first round after which a diagonal of an arm's exact A^-1 is below 2^-bits.

        Return 0 if there is none. Diagonal elements only decrease, so bisection finds it.
        """
        found = []
        for played in self._plays():
            x = self._contexts[played]
            if len(x) == 0 or self._smallest(x) >= 2.0**-fraction_bits:
                continue
            low, high = 0, len(x)  # of plays: still above after low, below after high
            while high - low > 1:
                middle = (low + high) // 2
                if self._smallest(x[:middle]) < 2.0**-fraction_bits:
                    high = middle
                else:
                    low = middle
            found.append(int(played[high - 1]) + 1)
        return min(found, default=0)

    def _smallest(self, x: Floats) -> float:
        inverse = np.linalg.inv(np.eye(x.shape[1]) + x.T @ x)
        return float(np.diagonal(inverse).min())

    def out_of_range(self, what: str, fraction_bits: int) -> int:
        """Return the first round after which an exact A, b or B does not fit; 0: none."""
        limit = 2.0 ** (WORD_BITS - fraction_bits)
        found = []
        for arm, played in enumerate(self._plays()):
            x = self._contexts[played]
            if what == "b":
                sums = np.cumsum(self._rewards[played, None] * x, axis=0)
            else:
                sums = np.cumsum(x[:, :, None] * x[:, None, :], axis=0).reshape(
                    len(x), self._case.dimensions**2
                )
                if what == "A":
                    sums[:, :: self._case.dimensions + 1] += 1
                else:  # z is the product of the arm's features with x
                    sums *= np.abs(self._features[arm]).max()
            outside = np.flatnonzero((np.abs(sums) >= limit).any(axis=1))
            if len(outside):
                found.append(int(played[outside[0]]) + 1)
        return min(found, default=0)

    def _plays(self) -> list[NDArray[np.int64]]:
        return [np.flatnonzero(self._arms == arm) for arm in range(self._case.arms)]


@dataclass(frozen=True, slots=True)
class InverseError:
    """Error at one checkpoint, relative to the exact inverse of the learner's own history."""

    round_number: int  # rounds so far
    absolute: float  # Frobenius norm of the difference, of A^-1 of the arm played most
    relative: float  # that over the norm of the exact inverse
    # share of the elements of that exact inverse below one unit of the format in magnitude
    below_unit: float
    # of the A^-1 that are used (their symmetric parts), the smallest of all arms
    smallest_eigenvalue: float
    shared_absolute: float | None  # as ``absolute``, of A0^-1; None for the disjoint algorithm
    shared_relative: float | None  # as ``relative``, likewise
    # norm of the difference of the weights of that arm to the exact ones, over the norm of these;
    # None for the hybrid algorithm
    theta: float | None


def inverse_errors(
    cell: Cell, layout: Layout, models: Mapping[int, NDArray[np.int32]], history: History
) -> tuple[InverseError, ...]:
    """Return the error for each number of rounds in ``models``, the words of the learner then."""
    found = []
    for (stop, words), exact in zip(models.items(), history.exact(tuple(models)), strict=True):
        kept = layout.read(cell, cell.case.sizes, words)
        most = int(exact.plays.argmax())
        reference = exact.inverses if exact.joint is None or not layout.joint else exact.joint
        absolute, relative = _distance(kept.inverses[most], reference[most])
        below = np.abs(reference[most]) < 2.0**-cell.fraction_bits
        symmetric = (kept.inverses + kept.inverses.transpose(0, 2, 1)) / 2
        shared: tuple[float | None, float | None] = (None, None)
        if kept.shared is not None and exact.shared is not None:
            shared = _distance(kept.shared, exact.shared)
        theta = None
        if kept.thetas is not None and exact.thetas is not None:
            _, theta = _distance(kept.thetas[most], exact.thetas[most])
        found.append(
            InverseError(
                round_number=stop, absolute=absolute, relative=relative,
                below_unit=float(below.mean()),
                smallest_eigenvalue=float(np.linalg.eigvalsh(symmetric).min()),
                shared_absolute=shared[0], shared_relative=shared[1], theta=theta,
            )
        )  # fmt: skip
    return tuple(found)


def _distance(kept: Floats, exact: Floats) -> tuple[float, float]:
    absolute = float(np.linalg.norm(kept - exact))
    return absolute, absolute / float(np.linalg.norm(exact))
