"""What the full study says, in words; every number in them comes from the rows of ``cells.csv``."""

from __future__ import annotations

from collections import Counter
from textwrap import fill
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    Row: TypeAlias = Mapping[str, str]

_LAWS = ("uniform", "normal")
_PUBLISHED_BITS = "15"  # Q16.15
_DISJOINT, _HYBRID = "linucb-disjoint", "linucb-hybrid"


def reading(rows: Sequence[Row]) -> str:
    """The last section of the page.

    Args:
        rows: of ``cells.csv``, of the size ``full``.

    Raises:
        ValueError: a run that the words are about is not among them.
    """
    points = (_lives, _causes, _optimized, _correction, _hybrid, _scaling, _tuned)
    return "\n## Reading it\n\n" + "".join(f"{_bullet(point(rows))}\n" for point in points)


def _bullet(text: str) -> str:
    return fill(
        " ".join(text.split()),
        width=100,
        initial_indent="- ",
        subsequent_indent="  ",
        break_long_words=False,
        break_on_hyphens=False,
    )


def _lives(rows: Sequence[Row]) -> str:
    paper = _of(rows, line="paper", context_scale="1")
    within = [row for row in paper if _within(row)]
    longest = []
    for law in _LAWS:
        row = max(_disjoint(rows, "standard", law), key=_life)
        longest.append(f"{_life(row):,} rounds ({row['fraction_bits']} bits, {law})")
    standard, optimized = (
        [_life(_published(rows, variant, law)) for law in _LAWS]
        for variant in ("standard", "optimized")
    )
    return f"""
        **No format of the paper line lasts** with contexts as they are: {len(within)} of
        {len(paper)} runs end within 2 % of float. A and b grow with the plays of an arm and A⁻¹
        shrinks with them, so each format is attacked from both ends: with few fraction bits the
        digits of A⁻¹ go, with many the sums leave the word. Between the two is the longest life,
        for the standard disjoint learner {_and(longest)}. The {_PUBLISHED_BITS} bits of the
        published programs last {_and(f"{life:,}" for life in standard)} rounds there, and
        {_and(f"{life:,}" for life in optimized)} in the optimised one."""


def _causes(rows: Sequence[Row]) -> str:
    paper = _of(rows, line="paper", context_scale="1")
    found = Counter(row["cause"] for row in paper)
    return f"""
        **Digits are lost long before A⁻¹ is below one unit.** Of the {len(paper)} runs,
        {found["overflow"]} leave with an overflow before, {found["underflow"]} with an element of
        A⁻¹ below one unit and no overflow, {found["rounding"]} with digits lost and neither of
        these, {found["choices"]} with none of the three. theta is A⁻¹ b, and b is as large as A⁻¹
        is small: an error of one unit in A⁻¹ is an error of |b| units in theta. With uniform
        contexts b even lies where A⁻¹ is smallest."""


def _optimized(rows: Sequence[Row]) -> str:
    pairs = [
        (_life(one), _life(two))
        for law in _LAWS
        for one, two in zip(
            _disjoint(rows, "standard", law), _disjoint(rows, "optimized", law), strict=True
        )
    ]
    earlier = sum(optimized < standard for standard, optimized in pairs)
    return f"""
        **The optimised learner is the worse one**: regret leaves earlier in {earlier} of
        {len(pairs)} pairs (disjoint). It adds each rounding error to the A⁻¹ it keeps, where the
        standard one starts anew from A in each selection. In float64 the two do not differ."""


def _correction(rows: Sequence[Row]) -> str:
    variants = ("optimized", "corrected", "standard")
    ratios = [
        f"{_and(_times(_published(rows, variant, law)) for variant in variants)} ({law})"
        for law in _LAWS
    ]
    hybrid = [
        f"{_and(_times(_published(rows, variant, law, _HYBRID)) for variant in variants[:2])}"
        f" ({law})"
        for law in _LAWS
    ]
    return f"""
        **The correction of section 3.3.3**, every 5,000 updates, comes too late for the first of
        them. Later it repairs what the optimised disjoint learner lost. With {_PUBLISHED_BITS}
        bits, regret at the end is that of float times, for the optimised, the corrected and the
        standard learner: {_and(ratios)}. It does not help the hybrid learner, whose kept A0 is lost
        as well: {_and(hybrid)} for the optimised and the corrected one."""


def _hybrid(rows: Sequence[Row]) -> str:
    paper = _of(rows, algorithm=_HYBRID, line="paper")
    standard, optimized = (
        max(_of(paper, variant=variant), key=_life) for variant in ("standard", "optimized")
    )
    return f"""
        **The hybrid learner is lost sooner**: its longest life is {_life(standard):,} rounds
        (standard, {standard["fraction_bits"]} bits, {standard["contexts"]}) and, of Algorithm 2,
        {_life(optimized):,} (optimised, {optimized["fraction_bits"]} bits,
        {optimized["contexts"]}). The two Woodbury terms of a step grow with the plays, nearly
        cancel, and leave their rounding in A0⁻¹, or overflow in between (`docs/paper-line.md`;
        `reports/linucb/` shows the same in float64, smaller)."""


def _scaling(rows: Sequence[Row]) -> str:
    scale = next(row["context_scale"] for row in rows if row["context_scale"] != "1")
    stays = {
        variant: [
            f"{_and(row['fraction_bits'] for row in found if _within(row)) or 'none'} ({law})"
            for law in _LAWS
            for found in [_disjoint(rows, variant, law, scale)]
        ]
        for variant in ("standard", "optimized")
    }
    cost = [
        float(_published(rows, "standard", law, scale=scale)["regret_float"])
        / float(_published(rows, "standard", law)["regret_float"])
        for law in _LAWS
    ]
    return f"""
        **Scaling contexts down** makes room at both ends: times {scale}, the fraction bits in which
        the standard disjoint learner stays with its float are {_and(stays["standard"])}; those of
        the optimised one, {_and(stays["optimized"])}. But the learner is another one: the prior
        stays, so the regret of float itself is {_and(f"{one:.0f}" for one in cost)} times that
        without scaling."""


def _tuned(rows: Sequence[Row]) -> str:
    tuned = _of(rows, line="tuned", context_scale="1")
    within = [row for row in tuned if _within(row)]
    ratio = max(abs(_ratio(row) - 1) for row in tuned)
    arms = min(float(row["equal_following_percent"]) for row in tuned)
    error = max(float(row["inverse_relative_error"]) for row in tuned)
    return f"""
        **What lasts** is what does not grow: theta instead of b, and A⁻¹ times a power of four that
        follows it, in 30 fraction bits, arm by arm (disjoint, `docs/tuned-line.md`), or one
        covariance of all arms with a scale for each (hybrid, `docs/tuned-hybrid.md`). Contexts,
        rewards and scores keep the {_PUBLISHED_BITS} bits of the published programs.
        {len(within)} of the {len(tuned)} runs of these tuned learners, in all environments and
        seeds here, stay with float to round {int(tuned[0]["rounds"]):,}. In the worst of them
        regret is {100 * ratio:.2f} % off that of float, {arms:.3f} % of the arms are equal when
        learning the same, and the inverse is {100 * error:.2g} % off the exact one."""


def _of(rows: Iterable[Row], **wanted: str) -> list[Row]:
    found = [row for row in rows if all(row[name] == value for name, value in wanted.items())]
    if not found:
        raise ValueError(f"no run has {wanted}")
    return found


def _disjoint(rows: Iterable[Row], variant: str, law: str, scale: str = "1") -> list[Row]:
    return _of(
        rows,
        algorithm=_DISJOINT,
        line="paper",
        variant=variant,
        contexts=law,
        context_scale=scale,
    )


def _published(
    rows: Iterable[Row], variant: str, law: str, algorithm: str = _DISJOINT, scale: str = "1"
) -> Row:
    return _of(
        rows,
        algorithm=algorithm,
        line="paper",
        variant=variant,
        contexts=law,
        context_scale=scale,
        fraction_bits=_PUBLISHED_BITS,
    )[0]


def _within(row: Row) -> bool:
    return row["regret_left_side"] == "within"


def _life(row: Row) -> int:
    """Rounds within 2 % of float, after which it was off for good."""
    return int(row["regret_left_round"] or row["rounds"])


def _ratio(row: Row) -> float:
    return float(row["regret"]) / float(row["regret_float"])


def _times(row: Row) -> str:
    ratio = _ratio(row)
    return f"{ratio:,.0f}" if ratio >= 100 else f"{ratio:.3g}"


def _and(parts: Iterable[str]) -> str:
    *most, last = [*parts] or [""]
    return f"{', '.join(most)} and {last}" if most else last
