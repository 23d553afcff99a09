"""Operation counts of the paper code by formula, as ``docs/notes/paper-code.md`` states them."""

from __future__ import annotations

from dataclasses import dataclass

from gnomon.measure.learners import EmbeddedSizes


@dataclass(frozen=True, slots=True)
class Counts:
    """Number of 64-bit products (one MULH each) and 64-bit divisions (four DIVU or REMU each)."""

    products: int
    divisions: int = 0

    def __add__(self, other: Counts) -> Counts:
        """Return the sum of both."""
        return Counts(self.products + other.products, self.divisions + other.divisions)

    def __mul__(self, times: int) -> Counts:
        """Return the counts of ``times`` repetitions."""
        return Counts(self.products * times, self.divisions * times)


@dataclass(frozen=True, slots=True)
class StageCounts:
    """Counts of one selection and one update."""

    select: Counts
    update: Counts


DIVIDE_INSTRUCTIONS = 4
"""DIVU and REMU of one division whose quotient fits 32 bits."""


def inverse_counts(n: int) -> Counts:
    """Count the LU factorisation of an n x n matrix and both substitutions at full length."""
    return Counts(
        products=n * (n * n - 1) // 6 + n * (n - 1) * (n - 2) // 6 + 2 * n * n * (n - 1),
        divisions=n + n * (n - 1) // 2 + 2 * n * n,
    )


def disjoint_standard(sizes: EmbeddedSizes) -> StageCounts:
    """Count the disjoint learner that inverts A for every arm."""
    d = sizes.d
    score = inverse_counts(d) + Counts(2 * d * d + 2 * d + 1)
    return StageCounts(score * sizes.arms, Counts(d * d + d))


def disjoint_optimized(sizes: EmbeddedSizes) -> StageCounts:
    """Count the disjoint learner that updates the inverse by the Sherman-Morrison formula."""
    d = sizes.d
    score = Counts(2 * d * d + 2 * d + 1)
    return StageCounts(score * sizes.arms, Counts(3 * d * d + 2 * d, d * d))


def _hybrid_score(sizes: EmbeddedSizes) -> Counts:
    d, k = sizes.d, sizes.k
    return Counts(3 * k * k + 4 * d * k + 5 * d * d + 4 * k + 3 * d + 1)


def hybrid_standard(sizes: EmbeddedSizes) -> StageCounts:
    """Count the hybrid learner that inverts A0 and every A."""
    d, k = sizes.d, sizes.k
    own = inverse_counts(d)
    select = inverse_counts(k) + Counts(k * k) + (own + _hybrid_score(sizes)) * sizes.arms
    rest = Counts(2 * d * k * k + 2 * d * d * k + k * k + 3 * d * k + 3 * d * d + 2 * k + d)
    return StageCounts(select, own * 2 + rest)


def hybrid_optimized(sizes: EmbeddedSizes) -> StageCounts:
    """Count the hybrid learner that updates both inverses, A0's also by Woodbury's identity."""
    d, k = sizes.d, sizes.k
    select = Counts(k * k) + _hybrid_score(sizes) * sizes.arms
    rest = Counts(
        products=6 * d * k * k + 4 * d * d * k + 3 * k * k + 3 * d * k + 5 * d * d + 3 * k + 2 * d,
        divisions=d * d + k * k,
    )
    return StageCounts(select, inverse_counts(d) * 4 + rest)


def disjoint_corrected(sizes: EmbeddedSizes) -> StageCounts:
    """Count the optimized learner that also updates A."""
    counts = disjoint_optimized(sizes)
    return StageCounts(counts.select, counts.update + Counts(sizes.d**2))


def hybrid_corrected(sizes: EmbeddedSizes) -> StageCounts:
    """Count the optimized learner that also updates A0 and A as the standard one does."""
    d, k = sizes.d, sizes.k
    counts = hybrid_optimized(sizes)
    direct = Counts(2 * d * k * k + 2 * d * d * k + k * k + d * d)
    return StageCounts(counts.select, counts.update + direct)


def correction_counts(sizes: EmbeddedSizes) -> Counts:
    """Count the extra work of a correction on the scalar core: every matrix is inverted."""
    own = inverse_counts(sizes.d) * sizes.arms
    return own if sizes.f is None else own + inverse_counts(sizes.k)


def disjoint_vector(sizes: EmbeddedSizes) -> StageCounts:
    """Count the scalar core's work in either variant: alpha times the width, and r x."""
    return StageCounts(Counts(sizes.arms), Counts(sizes.d))


def hybrid_vector(sizes: EmbeddedSizes) -> StageCounts:
    """Count the scalar core's work in either variant: alpha times the width, r x and r z."""
    return StageCounts(Counts(sizes.arms), Counts(sizes.d + sizes.k))
