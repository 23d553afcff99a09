"""The tables of the energy study as numbers, and the facts on its page."""

from typing import Any

import numpy as np
import pandas as pd

from gnomon.base.frames import frame, rows_of, worded
from gnomon.cost.energy import PowerTable

from .cells import TABLE_OF, cell_energy
from .cross import CONSTANT, DIRECTIONS, OURS, SIZE, EnergyStudy, of_table
from .prices import KERNEL_COLUMNS, KERNEL_SIZE, PER_WORD_NJ, POWER, SWITCHING_NJ, WORDS

_OPERANDS = (
    "zeros", "sparse", "small8", "dense", "q15", "rand32", "hamming-0", "hamming-8", "hamming-16",
)  # fmt: skip
_KERNEL_FIGURES = [*KERNEL_COLUMNS[6:12], "energy_delay_uj_us"]
_SHOWN_PARAM = 8
_EVEN = 0.05
"""Percentage points of error that count as equal."""
_FOLLOWS = 0.9
"""Correlation within a column from which activity counts as following the power."""


def scalar_rows(table: pd.DataFrame) -> pd.DataFrame:
    """Return the rows of ``instructions.csv``."""
    return worded(table, {"cycles": "g", **dict.fromkeys((*SWITCHING_NJ, "clock_nj"), ".4f")})


def vector_rows(table: pd.DataFrame) -> pd.DataFrame:
    """Return the rows of ``vector-instructions.csv``."""
    estimated = table["estimated"].map({True: "true", False: "false"})
    forms = dict.fromkeys((*SWITCHING_NJ, *PER_WORD_NJ), ".4f")
    return worded(table.assign(estimated=estimated), forms)


def kernels_rows(table: pd.DataFrame) -> pd.DataFrame:
    """Return the rows of ``kernels.csv``."""
    forms = dict.fromkeys(_KERNEL_FIGURES, ".5g") | {"toggles_per_cycle": ".1f"}
    shown = table.assign(
        simd=table["simd"].astype(object).where(table["simd"] != 0, ""),
        extrapolated=table["extrapolated"].map({True: "true", False: "false"}),
    )
    heads = [*KERNEL_COLUMNS[:5], *_KERNEL_FIGURES, *KERNEL_COLUMNS[-2:]]
    return worded(shown, forms)[heads]


def energy_facts(study: EnergyStudy, factors: pd.DataFrame) -> dict[str, Any]:
    table, verdicts = PowerTable.load(POWER), verdict(study)
    return {
        "models": _models(study),
        "verdicts": verdicts,
        "beats": all(one["word"] == "better than" for one in verdicts),
        **_evidence(study.cells),
        "slopes": {of: _toggle(PowerTable.load(name)).value for of, name in TABLE_OF.items()},
        "clock": table.clock_power_mw,
        "toggle": _toggle(table),
        "loo": table.fit.leave_one_out.rms_mw,
        "unknown": "; ".join(table.fit.not_identified) or "all parameters",
        "rounding": study.cells["rounding_mw"].max(),
        "cells": study.cells,
        "cell_rows": _cells(study),
        "split": _split(study),
        "factors": _factors(factors),
        "scalar": _scalar(study.scalar),
        "words": WORDS,
        "spread": _spread(study.vector),
        "vector": _vector(study.vector),
        "size": KERNEL_SIZE,
        "kernels": _kernels(study.kernels),
        **_operands(study),
    }


def _toggle(table: PowerTable) -> Any:
    return table.energy_pj_per_toggle["toggles"]


def verdict(study: EnergyStudy) -> list[dict[str, Any]]:
    """Return whether gnomon's model beats the constant; equal within 0.05 points is not better."""
    models, found = {"ours": OURS, "constant": CONSTANT, "slope": SIZE}, []
    for fitted, predicted in DIRECTIONS:
        errors = {name: study.prediction(of, fitted)["mean_percent"] for name, of in models.items()}
        gap = errors["constant"] - errors["ours"]
        word = "better than" if gap > _EVEN else "equal to" if gap >= -_EVEN else "worse than"
        found.append({"fitted": fitted, "predicted": predicted, "word": word, **errors})
    return found


def _evidence(cells: pd.DataFrame) -> dict[str, Any]:
    """Return the correlation of published power and gnomon's activity, per table and column."""
    heads = {"published_mw": "power", "toggles": "activity"}
    points = cells.rename(columns=heads)[["table", "variant", *heads.values()]]
    columns: Any = points.groupby(["table", "variant"], sort=False)
    growth = columns.last() / columns.first() - 1
    table, variant = growth["power"].idxmax()
    both = points.groupby("table")[["power", "activity"]].corr().xs("activity", level=-1)["power"]
    follows = columns[["power", "activity"]].corr().xs("activity", level=-1)["power"] > _FOLLOWS
    means = columns.mean().loc[2]
    by_activity = means.sort_values("activity", ascending=False, kind="stable")
    return {
        "correlation": both.to_dict(),
        "most_active": list(by_activity.index[:2]),
        "least_power": list(means.sort_values("power", kind="stable").index[:2]),
        "growth": {"percent": growth["power"].max() * 100, "table": table, "variant": variant},
        "follows": _FOLLOWS,
        "rising": [f"{variant} of Table {table}" for table, variant in follows[follows].index],
        "others": [
            f"{growth.loc[key, 'activity']:+.0%} in {key[1]} of Table {key[0]}"
            for key in follows[~follows].index
        ],
    }


def _models(study: EnergyStudy) -> pd.DataFrame:
    percent = {"mean_percent": "mean error", "max_percent": "worst"}
    texts = worded(study.predictions, {**dict.fromkeys(percent, ".2f"), "rms_mw": ".1f"})
    for name, head in percent.items():
        texts[head] = texts[name] + " %"
    return pd.DataFrame({
        "calibrated on": "Table " + texts["fitted"].astype(str),
        "predicted": "Table " + texts["predicted"].astype(str),
        "model": texts["model"].replace(OURS, f"**{OURS}**"),
        **{name: texts[name] for name in ("parameters", *percent.values())},
        "rms, mW": texts["rms_mw"],
    })  # fmt: skip


def _cells(study: EnergyStudy) -> pd.DataFrame:
    parts = []
    for fitted, predicted in sorted(DIRECTIONS, key=lambda pair: pair[1]):
        own = of_table(study.cells, predicted)
        constant, sloped = (study.prediction(m, fitted)["power_mw"] for m in (CONSTANT, SIZE))
        ratio = own["hart_uj"] / own["published_uj"]
        parts.append(own.assign(constant=constant, sloped=sloped, ratio=ratio))
    cells = pd.concat(parts)
    forms = {
        "published_uj": ",", "hart_uj": ",.0f", "ratio": ".3f", "wall_uj": ",.0f",
        "published_mw": ".1f", "mw": ".1f", "interval": "", "constant": ".1f", "sloped": ".1f",
    }  # fmt: skip
    ends = worded(cells, dict.fromkeys(("mw_low", "mw_high"), ".0f"))
    texts = worded(cells.assign(interval=ends["mw_low"] + " to " + ends["mw_high"]), forms)
    texts["mw"] += cells["extrapolated"].map(_star)
    heads = ("table", "variant", "size", "published µJ", "hart µJ", "ratio", "wall µJ",
             "published mW", "ours mW", "interval", "constant", "size slope")  # fmt: skip
    return frame(heads, (
        (*_case(cell), *row)
        for cell, row in zip(rows_of(cells), texts[list(forms)].to_numpy(), strict=True)
    ))  # fmt: skip


def _split(study: EnergyStudy) -> pd.DataFrame:
    """Return the errors of the energy, of its time and of its power."""
    heads = {"energy, mean": "worst", "of it time, mean": "worst ", "power, mean": "worst  "}
    units = ("hart_uj", "uj"), ("hart_us", "us"), ("mw", "mw")
    rows: list[dict[str, object]] = []
    for table, cells in study.cells.groupby("table"):
        row: dict[str, object] = {"table": table}
        own: Any = cells.reset_index()
        for (mean, worst), (name, unit) in zip(heads.items(), units, strict=True):
            off = own[name] / own[f"published_{unit}"] - 1
            at = off.abs().idxmax()
            _, variant, size = _case(own.loc[at])
            row |= {mean: f"{off.abs().mean():.1%}", worst: f"{off[at]:+.1%}, {variant} {size}"}
        rows.append(row)
    return pd.DataFrame(rows, dtype=object)


def _factors(factors: pd.DataFrame) -> pd.DataFrame:
    numbers = dict.fromkeys(("published", "ours"), ".3f")
    texts = worded(factors, numbers, missing="none")
    texts = texts.assign(both=texts["published"] + ", " + texts["ours"])
    keys = ["figure", "table", "platform", "variant"]
    table = texts.pivot_table("both", keys, "param", aggfunc="first", sort=False)
    table.columns = [f"{param}: published, ours" for param in table.columns]
    return table.reset_index().astype({"figure": str, "table": str})


def _scalar(scalar: pd.DataFrame) -> pd.DataFrame:
    forms = {"cycles": ".3g", **dict.fromkeys((*SWITCHING_NJ, "clock_nj"), ".2f")}
    one, three = (
        worded(of, forms).set_index("class")[list(forms)]
        for _, of in scalar.groupby("active_harts")
    )
    heads = ["1 hart: cycles", "sparse", "dense", "clock", "3 harts: cycles", "sparse ", "dense ",
             "clock "]  # fmt: skip
    return pd.concat([one, three], axis=1).set_axis(heads, axis=1).reset_index()


def _vector(vector: pd.DataFrame) -> pd.DataFrame:
    dense, per_word = SWITCHING_NJ[-1], PER_WORD_NJ[-1]
    texts = worded(vector, {dense: ".1f", per_word: ".3f"})
    table = texts.assign(
        instruction=texts["instruction"] + texts["estimated"].map(_star),
        width="SIMD " + texts["simd"].astype(str),
        both=texts[dense] + " (" + texts[per_word] + ")",
    ).pivot_table("both", "instruction", "width", aggfunc="first", sort=False)
    return table.reset_index()


def _spread(vector: pd.DataFrame) -> float:
    """Return the change of the energy of a word with SIMD; median over the instructions."""
    words = vector.groupby("instruction")[PER_WORD_NJ[-1]].agg(["min", "max"])
    words = words[words["min"] > 0]
    return float((words["max"] / words["min"] - 1).median())


def _kernels(kernels: pd.DataFrame) -> pd.DataFrame:
    shown = (*_KERNEL_FIGURES[:3], "energy_delay_uj_us")
    texts = worded(kernels, {**dict.fromkeys(shown, ".3g"), "power_mw": ".0f", "wall_cycles": ","})
    width = kernels["simd"].map(lambda simd: f", SIMD {simd}" if simd else "")
    return pd.DataFrame({
        "kernel": texts["kernel"], "code": texts["variant"] + width,
        "cycles": texts["wall_cycles"], "µJ": texts["energy_uj"],
        "interval": texts["energy_low_uj"] + " to " + texts["energy_high_uj"],
        "mW": texts["power_mw"] + kernels["extrapolated"].map(_star),
        "µJ µs": texts["energy_delay_uj_us"],
    })  # fmt: skip


def _operands(study: EnergyStudy) -> dict[str, Any]:
    """Return activity and mean power of some cells by operand values, and the larger influence."""
    cells = rows_of(study.cells[study.cells["param"] == _SHOWN_PARAM])
    priced = [[cell_energy(cell.cell, POWER, data) for data in _OPERANDS] for cell in cells]
    rows = [
        [*_case(cell), *(f"{e.toggles_per_cycle:.0f}, {e.power_mw.value:.1f}" for e in energies)]
        for cell, energies in zip(cells, priced, strict=True)
    ]
    toggles = np.array([[e.toggles_per_cycle for e in energies] for energies in priced])
    finer = np.array([data.startswith("hamming") for data in _OPERANDS])
    span = [np.ptp(toggles[:, of], axis=1) for of in (finer, ~finer)]
    return {
        "operands": frame(["table", "variant", "size", *_OPERANDS], rows),
        "values_matter_more": bool((span[0] < span[1]).all()),
    }


def _case(cell: Any) -> tuple[str, str, str]:
    return str(cell.table), cell.variant, f"{cell.param_name} = {cell.param}"


def _star(marked: object) -> str:
    return " *" if marked else ""
