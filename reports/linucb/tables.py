"""The tables of the study, as they are in its CSV files."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pandas as pd

from gnomon.base.content import content
from gnomon.base.frames import frame, worded
from gnomon.learn import Call

from .drift import DriftResult, correction_gain
from .study import LinucbExperiment


def published() -> pd.DataFrame:
    """Return the paper's statements on the learners in floating point, by quantity."""
    path = content("models", "published", "linucb-float.csv")
    return pd.read_csv(path, comment="#", index_col="quantity")


def claims(experiment: LinucbExperiment) -> pd.DataFrame:
    """Return each statement of the paper with its measurement, unit and interpretation."""
    stated: Any = published()
    return frame(
        ("quantity", "unit", "published", "ours", "where", "meaning", "reading"),
        (
            (quantity, row.unit, float(row.value), float(ours), row["where"], row.meaning, reading)
            for quantity, ours, reading in _measured(experiment)
            for row in (stated.loc[quantity],)
        ),
    )


def last_tenth(values: Any) -> float:
    """Return the largest value of the last tenth of the rounds."""
    return float(values[-max(len(values) // 10, 1) :].max())


def _measured(experiment: LinucbExperiment) -> Iterator[tuple[str, float, str]]:
    doolittle = "multiply-accumulates of the Doolittle inversion, structural zeros included"
    yield "inversion_of_a", Call("lu_invert", (8,)).operations().mac, doolittle
    yield "inversion_of_a0", Call("lu_invert", (128,)).operations().mac, doolittle
    for name in ("disjoint", "hybrid"):
        yield from _memory_saved(name, peaks(experiment).loc[f"linucb-{name}"])
    for result in experiment.drift:
        yield from _drift_found(result)


def peaks(experiment: LinucbExperiment) -> pd.DataFrame:
    """Return peaks of memory by algorithm, arms, d, f: ``select``, ``update``, larger ``most``."""
    named = pd.DataFrame(experiment.memory).rename(columns=lambda name: name.split("_peak_")[0])
    named["most"] = named[["select", "update"]].max(axis=1)
    index = ["algorithm", "arms", "d", "f"]
    return named.pivot_table(index=index, columns="variant", sort=False)


def saved(of: Any, what: str) -> pd.Series[Any]:
    """Return the memory of the standard learner less that of the optimized one."""
    difference: pd.Series[Any] = of[what]["standard"] - of[what]["optimized"]
    return difference


def _memory_saved(name: str, of: Any) -> Iterator[tuple[str, float, str]]:
    for arms in (each for each in (1, 8) if each in of.index):
        for what, words in (("select", "select"), ("most", "the larger of select and update")):
            difference = saved(of.loc[arms], what)
            d, f = difference[difference == difference.max()].index[-1]
            shape = f"d = {d}, f = {f}" if f else f"d = {d}"
            reading = f"peak of {words}, {arms} arm(s) at once, largest saving, at {shape}"
            yield f"memory_saving_{name}", difference.max() / 1000, reading


def _drift_found(result: DriftResult) -> Iterator[tuple[str, float, str]]:
    case, optimized = result.case, result.variant("optimized")
    law, which = f"{case.law} contexts", case.name.removeprefix("linucb-")
    reading = f"{law}, largest of the last tenth of {case.rounds:,} rounds"
    yield f"drift_{which}", last_tenth(optimized.drift), reading
    same, alone = (100 * each / case.rounds
                   for each in (optimized.equal_arms, optimized.equal_arms_alone))  # fmt: skip
    yield "equal_arms", same, f"{which}, {law}, both learning the same"
    yield "equal_arms", alone, f"{which}, {law}, each playing alone"
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


def drift(experiment: LinucbExperiment) -> pd.DataFrame:
    """Return Figures 5 to 7: one row for four intervals of the curves, enough for a table."""
    rows = []
    for result in experiment.drift:
        every = result.case.log_every
        for item in result.variants:
            for index in range(3, len(item.residual), 4):
                interval = item.drift[(index - 3) * every : (index + 1) * every]
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
    """Return every round in which a variant chose another arm than the standard learner."""
    return frame(
        ("algorithm", "contexts", "variant", "round", "standard_arm", "variant_arm",
         "standard_score", "score_margin"),
        (
            (result.case.name, result.case.law, item.variant, item.round_number,
             item.standard_arm, item.variant_arm, item.score, item.margin)
            for result in experiment.drift
            for item in result.disagreements
        ),
    )  # fmt: skip


def linucb_tables(experiment: LinucbExperiment) -> dict[str, pd.DataFrame]:
    return {
        "claims": worded(claims(experiment), {"published": ".6g", "ours": ".6g"}),
        "complexity": worded(pd.DataFrame(experiment.growth), {"counted": ".3f"}),
        "operations": pd.DataFrame(experiment.counts),
        "memory": pd.DataFrame(experiment.memory),
        "drift": drift(experiment),
        "disagreements": worded(
            disagreements(experiment), {"standard_score": ".6f", "score_margin": ".3e"}
        ),
    }
