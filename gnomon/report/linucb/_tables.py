"""The tables of the report, as CSV."""

from __future__ import annotations

import csv
import io
from typing import TYPE_CHECKING

from gnomon.report.linucb._claims import claims

if TYPE_CHECKING:
    from collections.abc import Iterable

    from gnomon.learn import LinucbExperiment


def claims_csv(experiment: LinucbExperiment) -> str:
    """What the paper says, and what was measured."""
    header = ("quantity", "unit", "published", "ours", "where", "meaning", "reading")
    return _csv(
        header,
        (
            (
                claim.quantity,
                claim.published.unit,
                f"{claim.published.value:.6g}",
                f"{claim.ours:.6g}",
                claim.published.where,
                claim.published.meaning,
                claim.reading,
            )
            for claim in claims(experiment)
        ),
    )


def complexity_csv(experiment: LinucbExperiment) -> str:
    """Table 1: stated and counted exponents."""
    header = ("algorithm", "variant", "stage", "over", "published", "stated", "counted", "verdict")
    return _csv(
        header,
        (
            (
                row.name,
                row.variant,
                row.stage,
                {"dimensions": "d", "features": "f"}[row.over],
                row.bound,
                row.stated,
                f"{row.counted:.3f}",
                verdict(within=row.within, tight=row.tight),
            )
            for row in experiment.growth
        ),
    )


def verdict(*, within: bool, tight: bool) -> str:
    """What a counted exponent says about a stated one."""
    if not within:
        return "grows faster"
    return "as stated" if tight else "grows slower"


def operations_csv(experiment: LinucbExperiment) -> str:
    """Figures 1 and 3: operations of a stage, by formula and counted."""
    names = ("mac", "multiply", "add", "divide", "sqrt", "compare")
    header = (
        "algorithm", "variant", "stage", "arms", "d", "f",
        *(f"formula_{name}" for name in names), *(f"counted_{name}" for name in names),
        "counted_move", "formula_arithmetic", "counted_arithmetic",
    )  # fmt: skip
    return _csv(
        header,
        (
            (
                row.name,
                row.variant,
                row.stage,
                row.sizes.arms,
                row.sizes.dimensions,
                row.sizes.features,
                *(getattr(row.formula, name) for name in names),
                *(getattr(row.counted, name) for name in names),
                row.counted.move,
                row.formula.arithmetic,
                row.counted.arithmetic,
            )
            for row in experiment.counts
        ),
    )


def memory_csv(experiment: LinucbExperiment) -> str:
    """Figures 2 and 4: state exact, peaks measured."""
    header = (
        "algorithm", "variant", "arms", "d", "f", "state_size_bytes",
        "select_peak_bytes", "update_peak_bytes",
    )  # fmt: skip
    return _csv(
        header,
        (
            (
                row.name,
                row.variant,
                row.sizes.arms,
                row.sizes.dimensions,
                row.sizes.features,
                row.state_size_bytes,
                row.select_peak_bytes,
                row.update_peak_bytes,
            )
            for row in experiment.memory
        ),
    )


def drift_csv(experiment: LinucbExperiment) -> str:
    """Figures 5 to 7: one row per interval."""
    header = (
        "algorithm", "contexts", "variant", "round", "drift", "drift_largest", "residual",
        "error", "average_reward", "average_regret",
    )  # fmt: skip
    lines = []
    for result in experiment.drift:
        every = result.case.log_every
        for item in result.variants:
            for index in range(len(item.residual)):
                interval = item.drift[index * every : (index + 1) * every]
                lines.append(
                    (
                        result.case.name,
                        result.case.law,
                        item.variant,
                        (index + 1) * every,
                        f"{interval[-1]:.3e}",
                        f"{interval.max():.3e}",
                        f"{item.residual[index]:.3e}",
                        f"{item.error[index]:.3e}",
                        f"{item.average_reward[index]:.6f}",
                        f"{item.average_regret[index]:.6f}",
                    )
                )
    return _csv(header, lines)


def disagreements_csv(experiment: LinucbExperiment) -> str:
    """Every round in which a variant chose another arm than the standard learner."""
    header = (
        "algorithm", "contexts", "variant", "round", "standard_arm", "variant_arm",
        "standard_score", "score_margin",
    )  # fmt: skip
    return _csv(
        header,
        (
            (
                result.case.name,
                result.case.law,
                item.variant,
                item.round_number,
                item.standard_arm,
                item.variant_arm,
                f"{item.score:.6f}",
                f"{item.margin:.3e}",
            )
            for result in experiment.drift
            for item in result.disagreements
        ),
    )


def _csv(header: Iterable[str], rows: Iterable[Iterable[object]]) -> str:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(header)
    writer.writerows(rows)
    return text.getvalue()
