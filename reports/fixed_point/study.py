"""``gnomon experiment fixed-point``: every embedded LinUCB and number format next to float."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gnomon.base.files import Content, write_files
from gnomon.base.frames import csv_text
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
from .page import page
from .tables import CSV

if TYPE_CHECKING:
    from pathlib import Path

    from .cells import FixedPointStudy


def write_fixed_point(study: FixedPointStudy, folder: Path) -> tuple[Path, ...]:
    """Write page, tables and figures into a folder; the same results give the same bytes.

    Raises:
        GnomonError: a file cannot be written.
    """
    from .pictures import PICTURES

    files: dict[str, Content] = {"fixed-point.md": page(study)}
    files |= {f"{name}.csv": csv_text(table(study)) for name, table in CSV.items()}
    files |= {name: draw(study) for name, draw in PICTURES.items()}
    return write_files(folder, files)


def main(
    *, size: Size = "small", out: Out = None, fresh: Fresh = False, as_json: Json = False
) -> None:
    """Run, write, and print how each cell stayed with float."""
    chosen = size_of(size, SIZES)()
    with going_on(), steps_progress("experimenting", len(chosen.cells)) as progress:
        study = run_fixed_point(chosen, progress, fresh=fresh)
    rows = [
        {
            "algorithm": result.cell.case.name,
            "contexts": result.cell.case.law,
            "context_scale": result.cell.case.context_scale,
            "seed": result.cell.case.seed,
            "line": result.cell.line,
            "variant": result.cell.variant,
            "fraction_bits": result.cell.fraction_bits,
            "equal_following": result.equal_following,
            "equal_alone": result.equal_alone,
            "regret_ratio": result.left_regret.ratio,
            "regret_left_round": result.left_regret.for_good or None,
            "cause": result.cause or None,
        }
        for result in study.results
    ]
    paths = write_fixed_point(study, out or default_out("fixed-point"))
    finish({"cells": rows}, paths, as_json=as_json)
