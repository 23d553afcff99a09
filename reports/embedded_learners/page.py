"""The page, its tables and its figure."""

from __future__ import annotations

from dataclasses import asdict
from functools import partial
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any

import matplotlib.pyplot as plt
import pandas as pd
from matplotlib.ticker import MultipleLocator

from gnomon.base.frames import frame, worded
from gnomon.report.canvas import COLOURS
from gnomon.report.step_costs import lossless_bits
from gnomon.report.study import StudyReport

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from .formats import LearnerFormat
    from .study import EmbeddedLearners, StepCost

_COSTS = (
    "learner", "case", "variant", "arch", "select_cycles", "update_cycles", "time_us", "select_uj",
    "update_uj", "energy_uj", "energy_low_uj", "energy_high_uj", "model_bytes", "static_bytes",
    "text_bytes", "stack_bytes",
)  # fmt: skip


def report_of(learners: EmbeddedLearners) -> StudyReport:
    """Page, tables and figure of all results."""
    formats, costs = _formats(learners), _costs(learners)
    arms = frame(
        ("learner", "case", "variant", "arm"),
        ((cost.run.learner, cost.case, cost.run.variant, cost.run.arm) for cost in learners.costs),
    )
    choices = arms.groupby(["learner", "variant", "case"])["arm"].nunique()
    apart = {f"{learner} {variant}" for learner, variant, _ in choices[choices > 1].index}
    return StudyReport(
        folder=Path(__file__).parent,
        name="embedded",
        prefix="embedded_",
        facts={
            "size": learners.size,
            "apart": sorted(apart),
            "least": _least(learners.formats),
            "formats": _shown(formats),
            "costs": _sharing(costs),
        },
        tables={
            "formats": worded(formats, {
                "equal_following": ".6f", "equal_alone": ".6f", "regret": ".4f",
                "regret_float": ".4f", "regret_ratio": ".4f",
            }),
            "costs": worded(costs, {"time_us": ".2f", **dict.fromkeys(_COSTS[7:12], ".4f")}),
        },
        figures={"formats": partial(draw_formats, learners.formats)},
        answer={
            "formats": [
                {**asdict(each), "regret_ratio": each.ratio} for each in learners.formats
            ],
            "costs": [
                {"case": each.case, **each.run.to_json(), "energy_uj": each.both_uj.value}
                for each in learners.costs
            ],
        },
    )  # fmt: skip


def _least(formats: tuple[LearnerFormat, ...]) -> pd.DataFrame:
    kinds: dict[str, dict[int, float]] = {}
    for each in formats:
        same = each.inverse_bits == each.fraction_bits
        name = f"{each.learner} {each.variant}{', V^-1 alike' if same else ''}, {each.case}"
        kinds.setdefault(name, {})[each.fraction_bits] = each.ratio
    return frame(
        ("implementation", "fewest fraction bits from which on regret is at most 2 % above"),
        ((name, lossless_bits(pd.Series(of)) or "none measured") for name, of in kinds.items()),
    )


def _formats(learners: EmbeddedLearners) -> pd.DataFrame:
    rows = ({**asdict(each), "regret_ratio": each.ratio} for each in learners.formats)
    table = pd.DataFrame(list(rows), dtype=object).rename(columns={"float_regret": "regret_float"})
    return table.astype({"inverse_bits": object}).where(table.notna(), None)


def _shown(formats: pd.DataFrame) -> pd.DataFrame:
    heads = {
        "implementation": "implementation", "fraction_bits": "fraction bits",
        "inverse_bits": "bits of V^-1", "equal_following": "equal, following",
        "equal_alone": "equal, alone", "regret": "regret", "regret_ratio": "over float",
    }  # fmt: skip
    name = formats["learner"] + " " + formats["variant"] + ", " + formats["case"]
    texts = worded(formats.assign(implementation=name), {
        "inverse_bits": "", "equal_following": ".2%", "equal_alone": ".2%", "regret": ".3g",
        "regret_ratio": ".3f",
    })  # fmt: skip
    return texts[list(heads)].rename(columns=heads)


def _costs(learners: EmbeddedLearners) -> pd.DataFrame:
    def row(cost: StepCost) -> tuple[object, ...]:
        run, both = cost.run, cost.both_uj
        return (
            run.learner, cost.case, run.variant, run.arch, run.select.wall_cycles,
            run.update.wall_cycles, run.time_us, cost.select_uj, cost.update_uj, both.value,
            both.low, both.high, run.model_bytes, run.static_bytes, run.text_bytes,
            max(run.stack_bytes),
        )  # fmt: skip

    return frame(_COSTS, map(row, learners.costs))


def _sharing(costs: pd.DataFrame) -> pd.DataFrame:
    """Machines with the same figures share a row."""
    forms = dict.fromkeys(("energy_uj", "energy_low_uj", "energy_high_uj"), ".3g")
    texts: Any = worded(costs, {
        **dict.fromkeys(("select_cycles", "update_cycles", "model_bytes", "text_bytes",
                         "stack_bytes"), ","),
        "time_us": ",.1f", "select_uj": ".3g", "update_uj": ".3g", **forms,
    })  # fmt: skip
    value, low, high = (texts[name] for name in forms)
    texts["µJ"] = value + " (" + low + " to " + high + ")"
    heads = {
        "learner": "learner", "case": "case", "variant": "variant",
        "select_cycles": "select cycles", "update_cycles": "update cycles", "time_us": "µs",
        "select_uj": "µJ select", "update_uj": "µJ update", "µJ": "µJ",
        "model_bytes": "model bytes", "text_bytes": "text bytes", "stack_bytes": "stack bytes",
    }  # fmt: skip
    table: pd.DataFrame = texts.groupby(list(heads), sort=False)["arch"].agg(_names).reset_index()
    table.insert(3, "machine", table.pop("arch"))
    return table.rename(columns=heads)


def _names(machines: pd.Series[str]) -> str:
    """Those that differ in their last letter alone by that: t13-simd1, 2, 4, 8."""
    families = groupby(machines, key=lambda machine: machine[:-1])
    return "; ".join(family + ", ".join(name[-1] for name in of) for family, of in families)


_KINDS = (
    ("softucb", "standard", False, "literal"),
    ("softucb", "optimized", False, "incremental"),
    ("softucb", "optimized", True, "incremental, V⁻¹ alike"),
    ("softucb", "online", False, "online"),
    ("softucb", "optimized-vector", False, "vector"),
    ("ares", "standard", False, "windows"),
    ("ares", "optimized", False, "one factor"),
    ("ares", "standard", True, "windows, V⁻¹ alike"),
    ("ares", "standard-vector", False, "vector"),
)


def draw_formats(formats: tuple[LearnerFormat, ...]) -> Figure:
    """A column for each learner."""
    figure, grid = plt.subplots(2, 2, figsize=(8.4, 5.6), sharex=True, layout="constrained")
    for column, learner in enumerate(("softucb", "ares")):
        equal, regret = grid[0][column], grid[1][column]
        kinds = [kind for kind in _KINDS if kind[0] == learner]
        for colour, (_, variant, alike, label) in zip(COLOURS, kinds, strict=False):
            found = [
                each
                for each in formats
                if (each.learner, each.variant) == (learner, variant)
                and (each.inverse_bits is not None) == alike
            ]
            first = found[0].case if found else ""
            found = [each for each in found if each.case == first]
            bits = [each.fraction_bits for each in found]
            style = {"color": colour, "marker": "o", "markersize": 3.5, "linewidth": 1.2}
            equal.plot(bits, [100 * each.equal_following for each in found], label=label, **style)
            regret.plot(bits, [each.ratio for each in found], **style)
            equal.set_title(f"{'SoftUCB' if learner == 'softucb' else 'ARES-P'}: {first}", size=9)
        regret.axhspan(0.98, 1.02, color="#DDDDDD", zorder=0)
        regret.set_xlabel("fraction bits")
        regret.xaxis.set_major_locator(MultipleLocator(2))
        equal.legend(frameon=False, fontsize=8, loc="lower right")
    grid[0][0].set_ylabel("equal arms, following (%)")
    grid[1][0].set_ylabel("regret over float (grey: ±2 %)")
    return figure
