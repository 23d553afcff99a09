"""The tables of the energy page as CSV."""

from __future__ import annotations

import csv
import io
from typing import TYPE_CHECKING

from .classes import CLASS_DATA, WORDS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .classes import ScalarEnergy, VectorEnergy
    from .kernels import KernelEnergy


def scalar_csv(rows: Sequence[ScalarEnergy]) -> str:
    """Scalar classes, energies in nJ."""
    header = ["class", "active_harts", "cycles"]
    header += [f"switching_{data}_nj" for data in CLASS_DATA]
    return _csv(
        [*header, "clock_nj"],
        (
            [row.name, row.harts, f"{row.cycles:g}", *_nj(row.switching_nj), f"{row.clock_nj:.4f}"]
            for row in rows
        ),
    )


def vector_csv(rows: Sequence[VectorEnergy]) -> str:
    """Vector instructions, energies in nJ."""
    header = ["instruction", "simd", "words"]
    header += [f"switching_{data}_nj" for data in CLASS_DATA]
    header += [f"per_word_{data}_nj" for data in CLASS_DATA]
    return _csv(
        [*header, "estimated"],
        (
            [row.name, row.simd, WORDS, *_nj(row.switching_nj), *_nj(row.per_word_nj),
             str(row.estimated).lower()]
            for row in rows
        ),
    )  # fmt: skip


def kernels_csv(rows: Sequence[KernelEnergy]) -> str:
    """Kernels with intervals."""
    return _csv(
        ["kernel", "extents", "variant", "simd", "wall_cycles", "energy_uj", "energy_low_uj",
         "energy_high_uj", "power_mw", "power_low_mw", "power_high_mw", "energy_delay_uj_us",
         "toggles_per_cycle", "extrapolated"],
        (
            [row.kernel, "x".join(map(str, row.extents)), row.variant, row.simd or "",
             row.energy.wall_cycles, *_estimate(row.energy.energy_uj),
             *_estimate(row.energy.power_mw), f"{row.energy.energy_delay_uj_us.value:.5g}",
             f"{row.energy.toggles_per_cycle:.1f}", str(row.energy.extrapolated).lower()]
            for row in rows
        ),
    )  # fmt: skip


def _nj(values: dict[str, float]) -> list[str]:
    return [f"{values[data]:.4f}" for data in CLASS_DATA]


def _estimate(estimate: object) -> list[str]:
    return [f"{getattr(estimate, end):.5g}" for end in ("value", "low", "high")]


def _csv(header: Sequence[object], rows: object) -> str:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(header)
    writer.writerows(rows)  # type: ignore[arg-type]
    return text.getvalue()
