"""The tables of the energy page."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from .cells import cell_energy
from .classes import POWER, SIMD, VECTOR
from .cross import (
    CONSTANT,
    DIRECTIONS,
    OURS,
    SIZE,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .cells import EnergyCell
    from .factors import Factor
    from .measure import EnergyStudy

_CELL_COLUMNS = (
    "published µJ", "hart µJ", "ratio", "wall µJ", "published mW", "ours mW", "interval",
    "constant", "size slope",
)  # fmt: skip
_THREE_HARTS = "3 harts: cycles | sparse | dense | clock |"
_OPERANDS = (
    "zeros", "sparse", "small8", "dense", "q15", "rand32", "hamming-0", "hamming-8", "hamming-16",
)  # fmt: skip


def models_table(study: EnergyStudy) -> str:
    """Models in both directions with their errors."""
    lines = [
        "| calibrated on | predicted | model | parameters | mean error | worst | rms, mW |",
        "|---|---|---|---|---:|---:|---:|",
    ]
    for p in study.predictions:
        name = f"**{p.model}**" if p.model == OURS else p.model
        lines.append(
            f"| Table {p.fitted} | Table {p.predicted} | {name} | {p.parameters} |"
            f" {p.errors.mean_percent:.2f} % | {p.errors.max_percent:.2f} % |"
            f" {p.errors.rms_mw:.1f} |"
        )
    return "\n".join([*lines, ""])


def cells_table(study: EnergyStudy) -> str:
    """All cells, ours beside published, and power beside the simpler models."""
    lines = [
        "| table | variant | size | " + " | ".join(_CELL_COLUMNS) + " |",
        "|---|---|---|---:|---:|---:|---:|---:|---:|---|---:|---:|",
    ]
    for fitted, predicted in sorted(DIRECTIONS, key=lambda pair: pair[1]):
        own = _of(study, predicted)
        constant, size = (study.prediction(m, fitted).power_mw for m in (CONSTANT, SIZE))
        for cell, flat, sloped in zip(own, constant, size, strict=True):
            key, power = cell.cell.key, cell.energy.power_mw
            star = " *" if cell.energy.extrapolated else ""
            lines.append(
                f"| {key.table} | {key.variant} | {key.param_name} = {key.param} |"
                f" {cell.published_uj:,} | {cell.ours_uj('hart'):,.0f} |"
                f" {cell.ours_uj('hart') / cell.published_uj:.3f} | {cell.ours_uj('wall'):,.0f} |"
                f" {cell.published_mw:.1f} | {power.value:.1f}{star} |"
                f" {power.low:.0f} to {power.high:.0f} | {flat:.1f} | {sloped:.1f} |"
            )
    return "\n".join([*lines, ""])


def split_table(study: EnergyStudy) -> str:
    """Error of the energy, of its time and of its power."""
    lines = [
        "| table | energy, mean | worst | of it time, mean | worst | power, mean | worst |",
        "|---|---:|---|---:|---|---:|---|",
    ]
    for _, table in sorted(DIRECTIONS, key=lambda pair: pair[1]):
        own = _of(study, table)
        columns = (
            [cell.ours_uj("hart") / cell.published_uj for cell in own],
            [cell.time_ratio("hart") for cell in own],
            [cell.power_ratio for cell in own],
        )
        words = []
        for ratios in columns:
            errors = np.abs(np.array(ratios) - 1)
            worst = int(np.argmax(errors))
            key = own[worst].cell.key
            words.append(
                f"{errors.mean():.1%} | {ratios[worst] - 1:+.1%}, {key.variant}"
                f" {key.param_name} = {key.param}"
            )
        lines.append(f"| {table} | {' | '.join(words)} |")
    return "\n".join([*lines, ""])


def factors_table(factors: Sequence[Factor]) -> str:
    """Published and our factors at each size."""
    params = sorted({f.param for f in factors})
    lines = [
        "| figure | table | platform | variant | "
        + " | ".join(f"{p}: published, ours" for p in params)
        + " |",
        "|---|---|---|---|" + "---|" * len(params),
    ]
    rows = dict.fromkeys((f.figure, f.table, f.platform, f.variant) for f in factors)
    for row in rows:
        own = [f for f in factors if (f.figure, f.table, f.platform, f.variant) == row]
        words = [f"{_shown(f.published)}, {_shown(f.hart)}" for f in own]
        lines.append(f"| {' | '.join(map(str, row))} | {' | '.join(words)} |")
    return "\n".join([*lines, ""])


def scalar_table(study: EnergyStudy) -> str:
    """Scalar classes with one and three active harts."""
    lines = [
        "| class | 1 hart: cycles | sparse | dense | clock | " + _THREE_HARTS,
        "|---|---:|---:|---:|---:|---:|---:|---:|---:|",
    ]
    one, three = ([r for r in study.scalar if r.harts == harts] for harts in (1, 3))
    for a, b in zip(one, three, strict=True):
        words = [
            f"{r.cycles:.3g} | {r.switching_nj['sparse']:.2f} | {r.switching_nj['dense']:.2f} |"
            f" {r.clock_nj:.2f}"
            for r in (a, b)
        ]
        lines.append(f"| {a.name} | {' | '.join(words)} |")
    return "\n".join([*lines, ""])


def vector_table(study: EnergyStudy) -> str:
    """Vector instructions by SIMD."""
    lines = [
        "| instruction | " + " | ".join(f"SIMD {simd}" for simd in SIMD) + " |",
        "|---|" + "---:|" * len(SIMD),
    ]
    for name in VECTOR:
        own = [row for row in study.vector if row.name == name]
        words = [f"{r.switching_nj['dense']:.1f} ({r.per_word_nj['dense']:.3f})" for r in own]
        star = " *" if own[0].estimated else ""
        lines.append(f"| {name}{star} | {' | '.join(words)} |")
    return "\n".join([*lines, ""])


def kernels_table(study: EnergyStudy) -> str:
    """Kernels, scalar and by SIMD."""
    lines = [
        "| kernel | code | cycles | µJ | interval | mW | µJ µs |",
        "|---|---|---:|---:|---|---:|---:|",
    ]
    for row in study.kernels:
        energy = row.energy
        code = row.variant if row.simd is None else f"{row.variant}, SIMD {row.simd}"
        star = " *" if energy.extrapolated else ""
        lines.append(
            f"| {row.kernel} | {code} | {energy.wall_cycles:,} | {energy.energy_uj.value:.3g} |"
            f" {energy.energy_uj.low:.3g} to {energy.energy_uj.high:.3g} |"
            f" {energy.power_mw.value:.0f}{star} | {energy.energy_delay_uj_us.value:.3g} |"
        )
    return "\n".join([*lines, ""])


def operands_table(study: EnergyStudy) -> str:
    """Mean power of some cells by operand values."""
    lines = [
        "| table | variant | size | " + " | ".join(_OPERANDS) + " |",
        "|---|---|---|" + "---:|" * len(_OPERANDS),
    ]
    for cell in study.cells:
        if cell.cell.key.param != 8:
            continue
        priced = [cell_energy(cell.cell, POWER, data) for data in _OPERANDS]
        words = [f"{e.toggles_per_cycle:.0f}, {e.power_mw.value:.1f}" for e in priced]
        key = cell.cell.key
        lines.append(
            f"| {key.table} | {key.variant} | {key.param_name} = {key.param} |"
            f" {' | '.join(words)} |"
        )
    return "\n".join([*lines, ""])


def _of(study: EnergyStudy, table: int) -> list[EnergyCell]:
    return [cell for cell in study.cells if cell.cell.key.table == table]


def _shown(value: float | None) -> str:
    return "none" if value is None else f"{value:.3f}"
