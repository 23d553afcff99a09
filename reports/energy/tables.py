"""The tables of the energy study as numbers, as on the page, and the page."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from gnomon.base.frames import frame
from gnomon.cost.energy import power_table
from gnomon.report.study import study_page

from .cells import TABLE_OF, cell_energy
from .cross import CONSTANT, DIRECTIONS, OURS, SIZE, correlation
from .prices import CLASS_DATA, KERNEL_SIZE, POWER, SIMD, VECTOR, WORDS

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pandas as pd

    from .cells import EnergyCell
    from .factors import Factor
    from .measure import EnergyStudy
    from .prices import KernelEnergy, ScalarEnergy, VectorEnergy

_OPERANDS = (
    "zeros", "sparse", "small8", "dense", "q15", "rand32", "hamming-0", "hamming-8", "hamming-16",
)  # fmt: skip
_EVEN = 0.05
"""Percentage points of error that count as equal."""
_FOLLOWS = 0.9
"""Correlation within a column from which activity counts as following the power."""


def scalar_rows(rows: Sequence[ScalarEnergy]) -> pd.DataFrame:
    """Scalar classes, energies in nJ."""
    return frame(
        ["class", "active_harts", "cycles", *(f"switching_{data}_nj" for data in CLASS_DATA),
         "clock_nj"],
        [
            [row.name, row.harts, f"{row.cycles:g}", *_nj(row.switching_nj), f"{row.clock_nj:.4f}"]
            for row in rows
        ],
    )  # fmt: skip


def vector_rows(rows: Sequence[VectorEnergy]) -> pd.DataFrame:
    """Vector instructions, energies in nJ."""
    kinds = ("switching", "per_word")
    return frame(
        ["instruction", "simd", "words", *(f"{kind}_{data}_nj" for kind in kinds
                                           for data in CLASS_DATA), "estimated"],
        [
            [row.name, row.simd, WORDS, *_nj(row.switching_nj), *_nj(row.per_word_nj),
             str(row.estimated).lower()]
            for row in rows
        ],
    )  # fmt: skip


def kernels_rows(rows: Sequence[KernelEnergy]) -> pd.DataFrame:
    """Kernels with intervals."""
    return frame(
        ["kernel", "extents", "variant", "simd", "wall_cycles", "energy_uj", "energy_low_uj",
         "energy_high_uj", "power_mw", "power_low_mw", "power_high_mw", "energy_delay_uj_us",
         "toggles_per_cycle", "extrapolated"],
        [
            [row.kernel, "x".join(map(str, row.extents)), row.variant, row.simd or "",
             row.energy.wall_cycles,
             *(f"{getattr(of, end):.5g}" for of in (row.energy.energy_uj, row.energy.power_mw)
               for end in ("value", "low", "high")),
             f"{row.energy.energy_delay_uj_us.value:.5g}", f"{row.energy.toggles_per_cycle:.1f}",
             str(row.energy.extrapolated).lower()]
            for row in rows
        ],
    )  # fmt: skip


def energy_page(study: EnergyStudy, factors: Sequence[Factor]) -> str:
    """The page; the same study gives the same text."""
    table = power_table(POWER)
    verdicts = verdict(study)
    return study_page(
        Path(__file__).parent,
        models=_models(study),
        verdicts=verdicts,
        beats=all(one["word"] == "better than" for one in verdicts),
        **_evidence(study.cells),
        slopes={of: power_table(TABLE_OF[of]).groups[0].value for of in (2, 3)},
        clock=table.clock,
        toggle=table.groups[0],
        loo=table.leave_one_out.rms_mw,
        unknown="; ".join(table.not_identified) or "all parameters",
        rounding=max(cell.rounding_mw for cell in study.cells),
        cells=study.cells,
        cell_rows=_cells(study),
        split=_split(study),
        factors=_factors(factors),
        scalar=_scalar(study),
        words=WORDS,
        spread=_spread(study.vector),
        vector=_vector(study),
        size=KERNEL_SIZE,
        kernels=_kernels(study),
        operands=_operands(study),
    )


def verdict(study: EnergyStudy) -> list[dict[str, Any]]:
    """Whether ours beats the constant; equal within 0.05 points is not better."""
    found = []
    for fitted, predicted in DIRECTIONS:
        ours, constant, slope = (
            study.prediction(model, fitted).errors.mean_percent for model in (OURS, CONSTANT, SIZE)
        )
        gap = constant - ours
        word = "better than" if gap > _EVEN else "equal to" if gap >= -_EVEN else "worse than"
        found.append(
            {"fitted": fitted, "predicted": predicted, "word": word, "ours": ours,
             "constant": constant, "slope": slope}
        )  # fmt: skip
    return found


def _evidence(cells: Sequence[EnergyCell]) -> dict[str, Any]:
    """How published power and our activity go together, over a table and within its columns."""
    columns: dict[tuple[int, str], list[EnergyCell]] = {}
    for cell in cells:
        columns.setdefault((cell.cell.key.table, cell.cell.key.variant), []).append(cell)
    power = {key: np.array([c.published_mw for c in of]) for key, of in columns.items()}
    activity = {
        key: np.array([c.energy.toggles_per_cycle for c in of]) for key, of in columns.items()
    }
    growth = {key: (of[-1] / of[0] - 1) * 100 for key, of in power.items()}
    most = max(growth, key=lambda key: growth[key])
    follows = {
        key: bool(np.corrcoef(power[key], activity[key])[0, 1] > _FOLLOWS) for key in columns
    }
    second = sorted((key for key in columns if key[0] == 2), key=lambda key: -activity[key].mean())
    lowest = sorted(second, key=lambda key: power[key].mean())
    return {
        "correlation": {table: correlation(cells, table) for table in (2, 3)},
        "most_active": [variant for _, variant in second[:2]],
        "least_power": [variant for _, variant in lowest[:2]],
        "growth": {"percent": growth[most], "table": most[0], "variant": most[1]},
        "follows": _FOLLOWS,
        "rising": [f"{variant} of Table {table}" for (table, variant) in columns
                   if follows[table, variant]],
        "others": [
            f"{activity[key][-1] / activity[key][0] - 1:+.0%} in {key[1]} of Table {key[0]}"
            for key in columns if not follows[key]
        ],
    }  # fmt: skip


def _models(study: EnergyStudy) -> pd.DataFrame:
    return frame(
        ["calibrated on", "predicted", "model", "parameters", "mean error", "worst", "rms, mW"],
        [
            [
                *(f"Table {p.fitted}", f"Table {p.predicted}"),
                f"**{p.model}**" if p.model == OURS else p.model,
                p.parameters,
                *(f"{p.errors.mean_percent:.2f} %", f"{p.errors.max_percent:.2f} %"),
                f"{p.errors.rms_mw:.1f}",
            ]
            for p in study.predictions
        ],
    )


def _cells(study: EnergyStudy) -> pd.DataFrame:
    rows = []
    for fitted, predicted in sorted(DIRECTIONS, key=lambda pair: pair[1]):
        constant, size = (study.prediction(m, fitted).power_mw for m in (CONSTANT, SIZE))
        for cell, flat, sloped in zip(_of(study, predicted), constant, size, strict=True):
            power, ours = cell.energy.power_mw, cell.ours_uj("hart")
            rows.append([
                *_case(cell), f"{cell.published_uj:,}", f"{ours:,.0f}",
                f"{ours / cell.published_uj:.3f}", f"{cell.ours_uj('wall'):,.0f}",
                f"{cell.published_mw:.1f}", f"{power.value:.1f}{_star(cell.energy.extrapolated)}",
                f"{power.low:.0f} to {power.high:.0f}", f"{flat:.1f}", f"{sloped:.1f}",
            ])  # fmt: skip
    return frame(
        ["table", "variant", "size", "published µJ", "hart µJ", "ratio", "wall µJ", "published mW",
         "ours mW", "interval", "constant", "size slope"],
        rows,
    )  # fmt: skip


def _split(study: EnergyStudy) -> pd.DataFrame:
    """Error of the energy, of its time and of its power."""
    rows = []
    for table in sorted(predicted for _, predicted in DIRECTIONS):
        own = _of(study, table)
        row: list[object] = [table]
        for ratios in (
            [cell.ours_uj("hart") / cell.published_uj for cell in own],
            [cell.time_ratio("hart") for cell in own],
            [cell.power_ratio for cell in own],
        ):
            errors = np.abs(np.array(ratios) - 1)
            worst = int(np.argmax(errors))
            _, variant, size = _case(own[worst])
            row += [f"{errors.mean():.1%}", f"{ratios[worst] - 1:+.1%}, {variant} {size}"]
        rows.append(row)
    return frame(
        ["table", "energy, mean", "worst", "of it time, mean", "worst ", "power, mean", "worst  "],
        rows,
    )


def _factors(factors: Sequence[Factor]) -> pd.DataFrame:
    rows: dict[tuple[object, ...], list[str]] = {}
    for f in factors:
        both = ("none" if value is None else f"{value:.3f}" for value in (f.published, f.hart))
        rows.setdefault((f.figure, f.table, f.platform, f.variant), []).append(", ".join(both))
    params = sorted({f.param for f in factors})
    return frame(
        ["figure", "table", "platform", "variant", *(f"{p}: published, ours" for p in params)],
        [[*map(str, case), *words] for case, words in rows.items()],
    )


def _scalar(study: EnergyStudy) -> pd.DataFrame:
    one, three = ([r for r in study.scalar if r.harts == harts] for harts in (1, 3))
    return frame(
        ["class", "1 hart: cycles", "sparse", "dense", "clock", "3 harts: cycles", "sparse ",
         "dense ", "clock "],
        [
            [pair[0].name]
            + [
                word
                for r in pair
                for word in (f"{r.cycles:.3g}", f"{r.switching_nj['sparse']:.2f}",
                             f"{r.switching_nj['dense']:.2f}", f"{r.clock_nj:.2f}")
            ]
            for pair in zip(one, three, strict=True)
        ],
    )  # fmt: skip


def _vector(study: EnergyStudy) -> pd.DataFrame:
    rows = []
    for name in VECTOR:
        own = [row for row in study.vector if row.name == name]
        words = (f"{r.switching_nj['dense']:.1f} ({r.per_word_nj['dense']:.3f})" for r in own)
        rows.append([f"{name}{_star(own[0].estimated)}", *words])
    return frame(["instruction", *(f"SIMD {simd}" for simd in SIMD)], rows)


def _spread(rows: Sequence[VectorEnergy]) -> float:
    """By how much the energy of a word changes with SIMD; median over the instructions."""
    words = [[r.per_word_nj["dense"] for r in rows if r.name == name] for name in VECTOR]
    return float(np.median([max(own) / min(own) - 1 for own in words if min(own) > 0]))


def _kernels(study: EnergyStudy) -> pd.DataFrame:
    return frame(
        ["kernel", "code", "cycles", "µJ", "interval", "mW", "µJ µs"],
        [
            [
                row.kernel,
                row.variant if row.simd is None else f"{row.variant}, SIMD {row.simd}",
                f"{energy.wall_cycles:,}",
                f"{energy.energy_uj.value:.3g}",
                f"{energy.energy_uj.low:.3g} to {energy.energy_uj.high:.3g}",
                f"{energy.power_mw.value:.0f}{_star(energy.extrapolated)}",
                f"{energy.energy_delay_uj_us.value:.3g}",
            ]
            for row in study.kernels
            for energy in [row.energy]
        ],
    )


def _operands(study: EnergyStudy) -> pd.DataFrame:
    """Mean power of some cells by operand values."""
    rows = []
    for cell in study.cells:
        if cell.cell.key.param == 8:
            priced = (cell_energy(cell.cell, POWER, data) for data in _OPERANDS)
            words = (f"{e.toggles_per_cycle:.0f}, {e.power_mw.value:.1f}" for e in priced)
            rows.append([*_case(cell), *words])
    return frame(["table", "variant", "size", *_OPERANDS], rows)


def _of(study: EnergyStudy, table: int) -> list[EnergyCell]:
    return [cell for cell in study.cells if cell.cell.key.table == table]


def _case(cell: EnergyCell) -> tuple[str, str, str]:
    key = cell.cell.key
    return str(key.table), key.variant, f"{key.param_name} = {key.param}"


def _star(marked: object) -> str:
    return " *" if marked else ""


def _nj(values: dict[str, float]) -> list[str]:
    return [f"{values[data]:.4f}" for data in CLASS_DATA]
