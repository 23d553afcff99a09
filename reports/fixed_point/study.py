"""``gnomon experiment fixed-point``: every embedded LinUCB and number format next to float."""

from __future__ import annotations

from gnomon.report.study import (
    Fresh,
    Json,
    Out,
    Size,
    default_out,
    finish,
    going_on,
    size_of,
    steps_progress,
)

from .cells import SIZES, run_fixed_point
from .page import fixed_point_report
from .tables import CELL, cell_names


def main(
    *, size: Size = "small", out: Out = None, fresh: Fresh = False, as_json: Json = False
) -> None:
    """Run, write, and print how each cell stayed with float."""
    chosen = size_of(size, SIZES)()
    with going_on(), steps_progress("experimenting") as progress:
        study = run_fixed_point(chosen, progress, fresh=fresh)
    rows = [
        {
            **dict(zip(CELL, cell_names(result.cell), strict=True)),
            "context_scale": result.cell.case.context_scale,
            "equal_following": result.equal_following,
            "equal_alone": result.equal_alone,
            "regret_ratio": result.left_regret.ratio,
            "regret_left_round": result.left_regret.for_good or None,
            "cause": result.cause or None,
        }
        for result in study.results
    ]
    finish(
        {"cells": rows},
        fixed_point_report(study).write(out or default_out("fixed-point")),
        as_json=as_json,
    )
