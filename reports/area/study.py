"""``gnomon report area``: machines by part, area x time and energy x time of kernels."""

from __future__ import annotations

from pathlib import Path

from gnomon.base.files import write_files
from gnomon.base.frames import csv_text
from gnomon.report.study import Json, Out, default_out, finish, steps_progress

from .measure import AreaStudy, area_page, kernels_rows, machines_rows, parts_rows, run_area
from .pictures import kernels_figure, machines_figure


def main(*, out: Out = None, as_json: Json = False) -> None:
    """Measure and write."""
    with steps_progress("measuring kernels") as progress:
        study = run_area(progress)
    finish({}, write_area(study, out or default_out("area")), as_json=as_json)


def write_area(study: AreaStudy, folder: Path) -> tuple[Path, ...]:
    """Write page, tables and pictures; the same study gives the same bytes."""
    return write_files(
        folder,
        {
            "area.md": area_page(study),
            "machines.csv": csv_text(machines_rows(study.machines)),
            "parts.csv": csv_text(parts_rows(study.machines)),
            "kernels.csv": csv_text(kernels_rows(study.kernels)),
            "machines": machines_figure(study.machines),
            "kernels": kernels_figure(study.kernels),
        },
    )
