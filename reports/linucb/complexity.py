"""Table 1: operations of a step by formula, by counting a run, and how they grow with size."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from gnomon.base.errors import GnomonError
from gnomon.learn import Operations, Sizes, count_step, find_learner


def formula(name: str, variant: str, stage: str, sizes: Sizes) -> Operations:
    """Return operations of one stage of one step, as polynomials in N, d and k = f d.

    Standard variants are the counts of the authors' public code; optimized ones are Algorithms 1
    and 2. Moves are left out.
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
    """Return multiply-accumulates of an inversion, 7/3 n^3 in the leading term."""
    return (14 * n**3 - 15 * n**2 + n) // 6


def _divisions(n: int) -> int:
    return (5 * n**2 + n) // 2


def _hybrid_scores(n: int, d: int, k: int) -> tuple[int, int, int]:
    mac = k * k + n * (3 * k * k + 4 * d * k + 5 * d * d + 4 * k + 3 * d)
    return mac, 2 * n, n * d + 5 * n


def _hybrid_standard_select(n: int, d: int, k: int) -> tuple[int, int, int, int]:
    mac, multiply, add = _hybrid_scores(n, d, k)
    add += 3 * k * k + 3 * n * d * d
    return _lu(k) + n * _lu(d) + mac, multiply, add, _divisions(k) + n * _divisions(d)


def _hybrid_standard_update(_: int, d: int, k: int) -> tuple[int, int, int, int]:
    products = 2 * (_lu(d) + d * d * k + d * k * k + d * d + d * k) + k + d * d + d * k + k * k
    return products, d + k, 7 * d * d + d * k + d + 3 * k * k + 3 * k, 2 * _divisions(d)


def _hybrid_optimized_update(_: int, d: int, k: int) -> tuple[int, int, int, int]:
    # 3 inversions; 2 Woodbury updates; Sherman-Morrison of A and A0; A, B; b0 twice; z
    products = 3 * _lu(d) + 2 * (3 * k * k * d + 2 * k * d * d) + (3 * d * d + d) + (3 * k * k + k)
    products += (d * d + d * k) + 2 * (d * d + d * k) + k
    # inversions; Woodbury; Sherman-Morrison; A, B, b; b0
    add = 9 * d * d + 2 * (d * d + k * k) + (d * d + 1 + k * k + 1) + (d * d + d * k + d) + 3 * k
    return products, d + k, add, 3 * _divisions(d) + d * d + k * k


_FORMULAS: dict[
    tuple[str, str, str], Callable[[int, int, int], tuple[int, int, int, int]]
] = {
    ("linucb-disjoint", "standard", "select"): lambda n, d, _: (
        n * (_lu(d) + 2 * d * d + 2 * d), n, n + 3 * n * d * d, n * _divisions(d)
    ),
    ("linucb-disjoint", "standard", "update"): lambda _n, d, _k: (d * d, d, d * d + d, 0),
    ("linucb-disjoint", "optimized", "select"): lambda n, d, _: (n * (2 * d * d + 2 * d), n, n, 0),
    ("linucb-disjoint", "optimized", "update"): lambda _n, d, _k: (
        3 * d * d + d, d, d * d + d + 1, d * d
    ),
    ("linucb-hybrid", "standard", "select"): _hybrid_standard_select,
    ("linucb-hybrid", "standard", "update"): _hybrid_standard_update,
    ("linucb-hybrid", "optimized", "select"): lambda n, d, k: (*_hybrid_scores(n, d, k), 0),
    ("linucb-hybrid", "optimized", "update"): _hybrid_optimized_update,
}  # fmt: skip
"""(mac, multiply, add, divide) of N, d, k."""


def verdict(counted: float, stated: int) -> str:
    """Compare a counted exponent with the stated one; lower-order terms are given 0.1."""
    if counted > stated + 0.1:
        return "grows faster"
    return "as stated" if counted >= stated - 0.1 else "grows slower"


# Table 1 of the paper, and its exponents over d and over f, as k = f d.
_TABLE_1: tuple[tuple[str, str, str, str, dict[str, int]], ...] = (
    ("linucb-disjoint", "standard", "select", "O(d^3)", {"dimensions": 3}),
    ("linucb-disjoint", "standard", "update", "O(d^2)", {"dimensions": 2}),
    ("linucb-disjoint", "optimized", "select", "O(d^2)", {"dimensions": 2}),
    ("linucb-disjoint", "optimized", "update", "O(d^2)", {"dimensions": 2}),
    ("linucb-hybrid", "standard", "select", "O(k^3)", {"dimensions": 3, "features": 3}),
    ("linucb-hybrid", "standard", "update", "O(k^2 d)", {"dimensions": 3, "features": 2}),
    ("linucb-hybrid", "optimized", "select", "O(k^2 d)", {"dimensions": 3, "features": 2}),
    ("linucb-hybrid", "optimized", "update", "O(k^2 d)", {"dimensions": 3, "features": 2}),
)
_OVER = {"dimensions": "d", "features": "f"}
_FIT_SIZES: dict[str, tuple[int, ...]] = {
    "linucb-disjoint": (64, 96, 128, 192, 256),
    "linucb-hybrid": (32, 48, 64, 96),
}


def table_1(base: Sizes) -> list[dict[str, Any]]:
    """Return exponents of all stages, counted in runs of sizes at which leading terms dominate.

    Args:
        base: N for all; d and f for those that stay while the other one grows.

    Returns:
        Rows: ``over`` the size that grows, the ``published`` complexity, its exponent as ``stated``
        and as ``counted``.
    """
    rows = []
    for name, variant, stage, bound, exponents in _TABLE_1:
        for over, stated in exponents.items():
            fixed = base if name == "linucb-hybrid" else replace(base, features=0)
            values = _FIT_SIZES[name]
            learners = (find_learner(name, variant).from_sizes(replace(fixed, **{over: value}))
                        for value in values)  # fmt: skip
            counts = [count_step(each)[stage].arithmetic for each in learners]
            counted = fit_exponent(values, counts)
            rows.append(
                {"algorithm": name, "variant": variant, "stage": stage, "over": _OVER[over],
                 "published": bound, "stated": stated, "counted": counted,
                 "verdict": verdict(counted, stated)}
            )  # fmt: skip
    return rows


def fit_exponent(sizes: tuple[int, ...], counts: list[int]) -> float:
    """Return the slope of a straight line through logarithms, by least squares."""
    return float(np.polyfit(np.log(sizes), np.log(counts), 1)[0])
