"""The results as CSV."""

from __future__ import annotations

import csv
import io
from typing import TYPE_CHECKING

from gnomon.report.correction._device import ARMS

if TYPE_CHECKING:
    from collections.abc import Iterable

    from gnomon.report.correction._study import CorrectionStudy

GAIN_COLUMNS = (
    "contexts", "variant", "period", "peak_orders", "after_orders", "median_orders",
    "before_orders", "last_orders", "largest_drift", "state_bytes",
)  # fmt: skip
DEVICE_COLUMNS = (
    "learner", "d", "f", "arms", "arch", "variant", "update", "select_hart_cycles",
    "select_wall_cycles", "update_hart_cycles", "update_wall_cycles", "model_bytes",
    "static_bytes", "text_bytes", "stack_bytes",
)  # fmt: skip

FIXED_COLUMNS = (
    "seed", "period", "first_step_beyond_0.01", "median_error_after_correction",
    "last_median_error",
)  # fmt: skip


def gain_csv(study: CorrectionStudy) -> str:
    """One row per law, variant and period."""
    return _csv(
        GAIN_COLUMNS,
        (
            (
                gain.law,
                gain.variant,
                gain.period,
                *(
                    None if value is None else f"{value:.4f}"
                    for value in (gain.peak, gain.after, gain.median, gain.before, gain.last)
                ),
                f"{gain.largest_drift:.4e}",
                gain.state_size_bytes,
            )
            for gain in study.gains
        ),
    )


def device_csv(study: CorrectionStudy) -> str:
    """One row per measured step."""
    return _csv(
        DEVICE_COLUMNS,
        (
            (
                run.learner,
                run.sizes.d,
                run.sizes.f,
                ARMS,
                run.arch,
                run.variant,
                "correcting" if run.correcting else "ordinary",
                run.select.hart_cycles,
                run.select.wall_cycles,
                run.update.hart_cycles,
                run.update.wall_cycles,
                run.model_bytes,
                run.static_bytes,
                run.text_bytes,
                run.stack_bytes[0],
            )
            for cost in study.costs
            for run in (cost.optimized, cost.ordinary, cost.correcting)
        ),
    )


def fixed_csv(study: CorrectionStudy) -> str:
    """One row per seed and period."""
    return _csv(
        FIXED_COLUMNS,
        (
            (
                error.seed,
                error.period,
                error.first_beyond,
                None if error.after is None else f"{error.after:.6f}",
                f"{error.last_median:.6f}",
            )
            for error in study.fixed
        ),
    )


def _csv(columns: Iterable[str], rows: Iterable[Iterable[object]]) -> str:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(["" if cell is None else cell for cell in row] for row in rows)
    return text.getvalue()
