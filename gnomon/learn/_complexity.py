"""Table 1: operations of a step by formula, by counting a run, and how they grow with size."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import numpy as np

from gnomon.base.errors import GnomonError
from gnomon.learn._operations import Operations, operations_of
from gnomon.learn._trace import record
from gnomon.learn.algorithm import find_learner

if TYPE_CHECKING:
    from gnomon.learn.learner import Learner, Sizes

Stage: TypeAlias = Literal["select", "update"]
"""The paper's stage 1 and stage 2."""

STAGES: tuple[Stage, ...] = ("select", "update")


def formula(name: str, variant: str, stage: Stage, sizes: Sizes) -> Operations:
    """Operations of one stage of one step, as polynomials in N, d and k = f d.

    Standard variants are the counts of the authors' public code; optimised ones are Algorithms 1
    and 2. Moves are left out.

    Raises:
        GnomonError: there is no formula for this learner; count a run instead.
    """
    if (name, variant, stage) not in _FORMULAS:
        known = ", ".join(sorted({f"{of} {variant}" for of, variant, _ in _FORMULAS}))
        raise GnomonError(f"there is no formula for {name} {variant} (there is for: {known})")
    mac, multiply, add, divide = _FORMULAS[name, variant, stage](
        sizes.arms, sizes.dimensions, sizes.features * sizes.dimensions
    )
    choice = sizes.arms if stage == "select" else 0
    return Operations(mac, multiply, add, divide, sqrt=choice, compare=max(choice - 1, 0))


def _lu(n: int) -> int:
    """Multiply-accumulates of an inversion, 7/3 n^3 in the leading term."""
    return (14 * n**3 - 15 * n**2 + n) // 6


def _divisions(n: int) -> int:
    return (5 * n**2 + n) // 2


def _hybrid_scores(n: int, d: int, k: int) -> tuple[int, int, int]:
    mac = k * k + n * (3 * k * k + 4 * d * k + 5 * d * d + 4 * k + 3 * d)
    return mac, 2 * n, n * d + 5 * n


# (mac, multiply, add, divide) of N, d, k.
_FORMULAS: dict[tuple[str, str, Stage], Any] = {
    ("linucb-disjoint", "standard", "select"): lambda n, d, _: (
        n * (_lu(d) + 2 * d * d + 2 * d),
        n,
        n + 3 * n * d * d,
        n * _divisions(d),
    ),
    ("linucb-disjoint", "standard", "update"): lambda _n, d, _k: (d * d, d, d * d + d, 0),
    ("linucb-disjoint", "optimized", "select"): lambda n, d, _: (
        n * (2 * d * d + 2 * d),
        n,
        n,
        0,
    ),
    ("linucb-disjoint", "optimized", "update"): lambda _n, d, _k: (
        3 * d * d + d,
        d,
        d * d + d + 1,
        d * d,
    ),
    ("linucb-hybrid", "standard", "select"): lambda n, d, k: (
        _lu(k) + n * _lu(d) + _hybrid_scores(n, d, k)[0],
        _hybrid_scores(n, d, k)[1],
        3 * k * k + 3 * n * d * d + _hybrid_scores(n, d, k)[2],
        _divisions(k) + n * _divisions(d),
    ),
    ("linucb-hybrid", "standard", "update"): lambda _n, d, k: (
        2 * (_lu(d) + d * d * k + d * k * k + d * d + d * k) + k + d * d + d * k + k * k,
        d + k,
        6 * d * d + d * d + d * k + d + 3 * k * k + 3 * k,
        2 * _divisions(d),
    ),
    ("linucb-hybrid", "optimized", "select"): lambda n, d, k: (*_hybrid_scores(n, d, k), 0),
    ("linucb-hybrid", "optimized", "update"): lambda _n, d, k: (
        # 3 inversions; 2 Woodbury updates; Sherman-Morrison of A and A0; A, B; b0 twice; z
        3 * _lu(d)
        + 2 * (3 * k * k * d + 2 * k * d * d)
        + (3 * d * d + d)
        + (3 * k * k + k)
        + (d * d + d * k)
        + 2 * (d * d + d * k)
        + k,
        d + k,
        # inversions; Woodbury; Sherman-Morrison; A, B, b; b0
        9 * d * d + 2 * (d * d + k * k) + (d * d + 1 + k * k + 1) + (d * d + d * k + d) + 3 * k,
        3 * _divisions(d) + d * d + k * k,
    ),
}


def learner_of(name: str, variant: str, sizes: Sizes) -> Learner:
    """An empty learner of these sizes; its arm features are all one."""
    settings: dict[str, Any] = {"dimensions": sizes.dimensions}
    if sizes.features:
        settings["arm_features"] = np.ones((sizes.arms, sizes.features))
    else:
        settings["arms"] = sizes.arms
    return find_learner(name, variant)(**settings)


def count_step(name: str, variant: str, sizes: Sizes) -> dict[Stage, Operations]:
    """Operations of each stage, counted by running one step under the recorder."""
    learner = learner_of(name, variant, sizes)
    context = np.full(sizes.dimensions, 1.0 / sizes.dimensions)
    with record() as trace:
        learner.update(context, learner.select(context), 1.0)
    return {stage: operations_of(trace, stage) for stage in STAGES}


@dataclass(frozen=True, slots=True)
class Growth:
    """How a stage grows with one size while the others stay.

    Attributes:
        over: ``dimensions`` or ``features``.
        counted: exponent fitted to the arithmetic operations of runs.
        stated: exponent of the published complexity.
        bound: the published complexity.
    """

    name: str
    variant: str
    stage: Stage
    over: str
    counted: float
    stated: int
    bound: str

    @property
    def within(self) -> bool:
        """Whether the code grows no faster than published; lower-order terms are given 0.1."""
        return self.counted <= self.stated + 0.1

    @property
    def tight(self) -> bool:
        """Whether it grows as fast as published."""
        return abs(self.counted - self.stated) <= 0.1


# Table 1 of the paper, and what it means over d and over f, as k = f d.
_TABLE_1: tuple[tuple[str, str, Stage, str, dict[str, int]], ...] = (
    ("linucb-disjoint", "standard", "select", "O(d^3)", {"dimensions": 3}),
    ("linucb-disjoint", "standard", "update", "O(d^2)", {"dimensions": 2}),
    ("linucb-disjoint", "optimized", "select", "O(d^2)", {"dimensions": 2}),
    ("linucb-disjoint", "optimized", "update", "O(d^2)", {"dimensions": 2}),
    ("linucb-hybrid", "standard", "select", "O(k^3)", {"dimensions": 3, "features": 3}),
    ("linucb-hybrid", "standard", "update", "O(k^2 d)", {"dimensions": 3, "features": 2}),
    ("linucb-hybrid", "optimized", "select", "O(k^2 d)", {"dimensions": 3, "features": 2}),
    ("linucb-hybrid", "optimized", "update", "O(k^2 d)", {"dimensions": 3, "features": 2}),
)
_FIT_SIZES: dict[tuple[str, str], tuple[int, ...]] = {
    ("linucb-disjoint", "dimensions"): (64, 96, 128, 192, 256),
    ("linucb-hybrid", "dimensions"): (32, 48, 64, 96),
    ("linucb-hybrid", "features"): (32, 48, 64, 96),
}


def table_1(base: Sizes) -> list[Growth]:
    """Exponents of all stages, from counted runs of sizes at which leading terms dominate.

    Args:
        base: N for all; d and f for those that stay while the other one grows.
    """
    rows = []
    for name, variant, stage, bound, exponents in _TABLE_1:
        for over, stated in exponents.items():
            fixed = base if name == "linucb-hybrid" else replace(base, features=0)
            values = _FIT_SIZES[name, over]
            counts = [
                count_step(name, variant, replace(fixed, **{over: value}))[stage].arithmetic
                for value in values
            ]
            rows.append(
                Growth(name, variant, stage, over, fit_exponent(values, counts), stated, bound)
            )
    return rows


def fit_exponent(sizes: tuple[int, ...], counts: list[int]) -> float:
    """Slope of a straight line through logarithms, by least squares."""
    return float(np.polyfit(np.log(sizes), np.log(counts), 1)[0])
