"""The page of the report, in Markdown."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gnomon.learn import Sizes, count_step
from gnomon.report.canvas import TITLES
from gnomon.report.linucb._claims import claims, largest_at_end
from gnomon.report.linucb._tables import verdict
from gnomon.report.linucb._words import COMPLEXITY, DRIFT, INTRODUCTION, MEMORY

if TYPE_CHECKING:
    from collections.abc import Iterable

    import numpy as np
    from numpy.typing import NDArray

    from gnomon.learn import DriftResult, LinucbExperiment


def page(experiment: LinucbExperiment) -> str:
    """The page."""
    return "\n".join(
        (
            INTRODUCTION.format(size=experiment.size.name, claims=_claims(experiment)),
            COMPLEXITY.format(table=_growth(experiment)),
            MEMORY.format(table=_memory(experiment)),
            DRIFT.format(
                cases=_cases(experiment),
                drift=_drift(experiment),
                arms=_arms(experiment),
                disagreements=_disagreements(experiment),
                gain=_gain(experiment),
                updates=_updates(experiment),
            ),
        )
    )


def _claims(experiment: LinucbExperiment) -> str:
    return _table(
        ("quantity", "published", "ours", "unit", "reading", "where"),
        "l r r l l l",
        (
            (
                claim.quantity,
                _published(claim.published.value),
                _number(claim.ours),
                claim.published.unit,
                claim.reading,
                claim.published.where,
            )
            for claim in claims(experiment)
        ),
    )


def _growth(experiment: LinucbExperiment) -> str:
    return _table(
        ("algorithm", "variant", "stage", "published", "over", "stated", "counted", ""),
        "l l l l l r r l",
        (
            (
                TITLES[row.name],
                row.variant,
                row.stage,
                row.bound,
                {"dimensions": "d", "features": "f"}[row.over],
                row.stated,
                f"{row.counted:.2f}",
                verdict(within=row.within, tight=row.tight),
            )
            for row in experiment.growth
        ),
    )


def _memory(experiment: LinucbExperiment) -> str:
    rows = []
    for row in experiment.memory:
        sizes = row.sizes
        if sizes.arms not in {1, 8} or (sizes.features and sizes.dimensions not in {4, 8}):
            continue
        rows.append(
            (
                TITLES[row.name],
                row.variant,
                sizes.arms,
                sizes.dimensions,
                sizes.features or "",
                f"{row.state_size_bytes:,}",
                f"{row.select_peak_bytes:,}",
                f"{row.update_peak_bytes:,}",
            )
        )
    return _table(
        ("algorithm", "variant", "N", "d", "f", "state (B)", "select peak (B)", "update peak (B)"),
        "l l r r r r r r",
        rows,
    )


def _cases(experiment: LinucbExperiment) -> str:
    lines = []
    for result in experiment.drift:
        case = result.case
        features = f", f = {case.features}" if case.features else ""
        lines.append(
            f"- {TITLES[case.name]}, {case.law} contexts: {case.rounds:,} rounds, N = {case.arms},"
            f" d = {case.dimensions}{features}, alpha = {case.alpha:g}, corrected every"
            f" {case.correction_period:,} rounds, seed {case.seed}; the arms were played"
            f" {', '.join(f'{count:,}' for count in result.pulls)} times."
        )
    return "\n".join(lines)


def _drift(experiment: LinucbExperiment) -> str:
    rows = [
        (
            *_title(result),
            item.variant,
            f"{largest_at_end(result, item.variant):.1e}",
            f"{_last_tenth(item.residual):.1e}",
            f"{_last_tenth(item.error):.1e}",
            f"{item.average_reward[-1]:.6f}",
            item.clamped_variances,
            f"{item.state_size_bytes:,}",
        )
        for result in experiment.drift
        for item in result.variants
    ]
    return _table(
        ("algorithm", "contexts", "variant", "largest drift", "residual", "to the exact inverse",
         "average reward", "variances below 0", "state (B)"),
        "l l l r r r r r r",
        rows,
    )  # fmt: skip


def _arms(experiment: LinucbExperiment) -> str:
    rows = [
        (
            *_title(result),
            item.variant,
            f"{100 * item.equal_arms / result.case.rounds:.3f} %",
            f"{100 * item.equal_arms_alone / result.case.rounds:.3f} %",
        )
        for result in experiment.drift
        for item in result.variants[1:]
    ]
    return _table(
        ("algorithm", "contexts", "variant", "learning the same", "playing alone"),
        "l l l r r",
        rows,
    )


def _disagreements(experiment: LinucbExperiment) -> str:
    found = [(result, item) for result in experiment.drift for item in result.disagreements]
    if not found:
        return "No variant chose another arm than the standard learner in any round."
    shown = _table(
        ("algorithm", "contexts", "variant", "round", "arm", "instead of", "score margin"),
        "l l l r r r r",
        (
            (
                *_title(result),
                item.variant,
                f"{item.round_number:,}",
                item.variant_arm,
                item.standard_arm,
                f"{item.margin:.1e}",
            )
            for result, item in found[:50]
        ),
    )
    rest = f"\n\n{len(found) - 50} more are in `disagreements.csv`." if len(found) > 50 else ""
    return f"The rounds in which a variant chose another arm:\n\n{shown}{rest}"


def _gain(experiment: LinucbExperiment) -> str:
    rows = [
        (claim.reading, f"{claim.ours:.2f}")
        for claim in claims(experiment)
        if claim.quantity == "correction_gain"
    ]
    return _table(("reading", "orders of magnitude"), "l r", rows)


def _last_tenth(values: NDArray[np.float64]) -> float:
    return float(values[-max(len(values) // 10, 1) :].max())


def _updates(experiment: LinucbExperiment) -> str:
    rows = []
    for features in experiment.size.grid:
        counts = [
            count_step("linucb-hybrid", variant, Sizes(8, 4, features))["update"].arithmetic
            for variant in ("standard", "optimized", "rank-one")
        ]
        rows.append((features, *(f"{count:,}" for count in counts)))
    return _table(("f", "standard", "optimized", "rank-one"), "r r r r", rows)


def _title(result: DriftResult) -> tuple[str, str]:
    return TITLES[result.case.name], result.case.law


def _published(value: float) -> str:
    return f"{value:.0e}" if value < 1e-3 else f"{value:,.0f}"


def _number(value: float) -> str:
    if value == int(value) and abs(value) >= 1:
        return f"{int(value):,}"
    return f"{value:.1e}" if 0 < abs(value) < 0.01 else f"{value:.2f}"


def _table(header: Iterable[str], align: str, rows: Iterable[Iterable[object]]) -> str:
    lines = [
        f"| {' | '.join(header)} |",
        f"| {' | '.join('---:' if side == 'r' else '---' for side in align.split())} |",
    ]
    lines += [f"| {' | '.join(map(str, row))} |" for row in rows]
    return "\n".join(lines)
