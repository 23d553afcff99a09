"""The tables of the study, as they are in its CSV files."""

from __future__ import annotations

from operator import attrgetter
from typing import TYPE_CHECKING, Any

import pandas as pd

from gnomon.base.content import content
from gnomon.base.frames import frame
from gnomon.learn import Call, operations_of_call

from .drift import correction_gain

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gnomon.learn import MemoryRow

    from .drift import DriftResult
    from .study import LinucbExperiment

COUNTED = ("mac", "multiply", "add", "divide", "sqrt", "compare")
OVER = {"dimensions": "d", "features": "f"}


def published() -> pd.DataFrame:
    """What the paper says about the learners in floating point, by quantity."""
    path = content("models", "published", "linucb-float.csv")
    return pd.read_csv(path, comment="#", index_col="quantity")


def claims(experiment: LinucbExperiment) -> pd.DataFrame:
    """Each statement of the paper with what was measured, in its unit, and how that is read."""
    stated: Any = published()
    return frame(
        ("quantity", "unit", "published", "ours", "where", "meaning", "reading"),
        (
            (quantity, row.unit, float(row.value), float(ours), row["where"], row.meaning, reading)
            for quantity, ours, reading in _measured(experiment)
            for row in (stated.loc[quantity],)
        ),
    )


def claims_table(experiment: LinucbExperiment) -> pd.DataFrame:
    """``claims.csv``."""
    numbers = {"published": "{:.6g}".format, "ours": "{:.6g}".format}
    return claims(experiment).assign(
        **{name: claims(experiment)[name].map(form) for name, form in numbers.items()}
    )


def last_tenth(values: Any) -> float:
    """Largest of the last tenth of the rounds."""
    return float(values[-max(len(values) // 10, 1) :].max())


def _measured(experiment: LinucbExperiment) -> Iterator[tuple[str, float, str]]:
    doolittle = "multiply-accumulates of the Doolittle inversion, structural zeros included"
    yield "inversion_of_a", operations_of_call(Call("lu_invert", (8,))).mac, doolittle
    yield "inversion_of_a0", operations_of_call(Call("lu_invert", (128,))).mac, doolittle
    for name in ("disjoint", "hybrid"):
        yield from _memory_saved(name, [m for m in experiment.memory if m.name.endswith(name)])
    for result in experiment.drift:
        yield from _drift_found(result)


def _memory_saved(name: str, rows: list[MemoryRow]) -> Iterator[tuple[str, float, str]]:
    pairs = list(zip(rows[::2], rows[1::2], strict=True))  # standard, optimized
    for arms in sorted({row.sizes.arms for row in rows if row.sizes.arms in {1, 8}}):
        of_arms = [pair for pair in pairs if pair[0].sizes.arms == arms]
        for what, peak in (
            ("select", attrgetter("select_peak_bytes")),
            ("the larger of select and update", attrgetter("peak_bytes")),
        ):
            saved, index = max((peak(a) - peak(b), at) for at, (a, b) in enumerate(of_arms))
            shape = of_arms[index][0].sizes
            words = f"d = {shape.dimensions}"
            if shape.features:
                words += f", f = {shape.features}"
            yield (
                f"memory_saving_{name}",
                saved / 1000,
                f"peak of {what}, {arms} arm(s) at once, largest saving, at {words}",
            )


def _drift_found(result: DriftResult) -> Iterator[tuple[str, float, str]]:
    case, optimized = result.case, result.variant("optimized")
    law, which = f"{case.law} contexts", case.name.removeprefix("linucb-")
    reading = f"{law}, largest of the last tenth of {case.rounds:,} rounds"
    yield f"drift_{which}", last_tenth(optimized.drift), reading
    for equal, how in (
        (optimized.equal_arms, "both learning the same"),
        (optimized.equal_arms_alone, "each playing alone"),
    ):
        yield "equal_arms", 100 * equal / case.rounds, f"{which}, {law}, {how}"
    gain = correction_gain(result)
    if gain is None or which == "disjoint":
        return
    for value, how in (
        (gain.peak, "largest over all rounds, at a correction"),
        (gain.after, "median just after a correction"),
        (gain.median, "median over all rounds"),
        (gain.before, "median just before a correction"),
        (gain.last_period, "largest drift of the last period"),
    ):
        yield "correction_gain", value, f"{law}, every {gain.period:,} rounds, {how}"


def complexity(experiment: LinucbExperiment) -> pd.DataFrame:
    """Table 1: stated and counted exponents."""
    return frame(
        ("algorithm", "variant", "stage", "over", "published", "stated", "counted", "verdict"),
        (
            (row.name, row.variant, row.stage, OVER[row.over], row.bound, row.stated,
             f"{row.counted:.3f}", row.verdict)
            for row in experiment.growth
        ),
    )  # fmt: skip


def operations(experiment: LinucbExperiment) -> pd.DataFrame:
    """Figures 1 and 3: operations of a stage, by formula and counted."""
    numbers = attrgetter(*COUNTED)
    return frame(
        ("algorithm", "variant", "stage", "arms", "d", "f",
         *(f"formula_{name}" for name in COUNTED), *(f"counted_{name}" for name in COUNTED),
         "counted_move", "formula_arithmetic", "counted_arithmetic"),
        (
            (row.name, row.variant, row.stage, *_sizes(row), *numbers(row.formula),
             *numbers(row.counted), row.counted.move, row.formula.arithmetic,
             row.counted.arithmetic)
            for row in experiment.counts
        ),
    )  # fmt: skip


def memory(experiment: LinucbExperiment) -> pd.DataFrame:
    """Figures 2 and 4: state exact, peaks measured."""
    numbers = ("state_size_bytes", "select_peak_bytes", "update_peak_bytes")
    return frame(
        ("algorithm", "variant", "arms", "d", "f", *numbers),
        (
            (row.name, row.variant, *_sizes(row), *attrgetter(*numbers)(row))
            for row in experiment.memory
        ),
    )


def _sizes(row: Any) -> tuple[int, int, int]:
    return row.sizes.arms, row.sizes.dimensions, row.sizes.features


def drift(experiment: LinucbExperiment) -> pd.DataFrame:
    """Figures 5 to 7: one row per interval."""
    rows = []
    for result in experiment.drift:
        every = result.case.log_every
        for item in result.variants:
            for index in range(len(item.residual)):
                interval = item.drift[index * every : (index + 1) * every]
                numbers = (interval[-1], interval.max(), item.residual[index], item.error[index])
                means = (item.average_reward[index], item.average_regret[index])
                rows.append(
                    (result.case.name, result.case.law, item.variant, (index + 1) * every,
                     *(f"{each:.3e}" for each in numbers), *(f"{each:.6f}" for each in means))
                )  # fmt: skip
    return frame(
        ("algorithm", "contexts", "variant", "round", "drift", "drift_largest", "residual",
         "error", "average_reward", "average_regret"),
        rows,
    )  # fmt: skip


def disagreements(experiment: LinucbExperiment) -> pd.DataFrame:
    """Every round in which a variant chose another arm than the standard learner."""
    return frame(
        ("algorithm", "contexts", "variant", "round", "standard_arm", "variant_arm",
         "standard_score", "score_margin"),
        (
            (result.case.name, result.case.law, item.variant, item.round_number,
             item.standard_arm, item.variant_arm, f"{item.score:.6f}", f"{item.margin:.3e}")
            for result in experiment.drift
            for item in result.disagreements
        ),
    )  # fmt: skip


CSV = {
    "claims": claims_table,
    "complexity": complexity,
    "operations": operations,
    "memory": memory,
    "drift": drift,
    "disagreements": disagreements,
}
