"""``gnomon experiment @name@``: what a wider vector unit gives to the matrix product."""

from __future__ import annotations

from pathlib import Path

import gnomon
from gnomon.base.files import write_files
from gnomon.base.frames import csv_text, frame
from gnomon.report.page import render_markdown
from gnomon.report.study import Json, Out, Size, default_out, finish, steps_progress

MACHINES = ("t13-simd1", "t13-simd2", "t13-simd4", "t13-simd8")
SIZES = {"small": 4, "full": 16}


def main(*, size: Size = "small", out: Out = None, as_json: Json = False) -> None:
    """Measure and write."""
    n = SIZES[size]
    rows = []
    with steps_progress("measuring", len(MACHINES)) as progress:
        for machine in MACHINES:
            run = gnomon.measure_kernel("multiply", machine, n=n, variant="vector")
            rows.append((machine, run.wall_cycles, run.time_us))
            progress(machine)
    table = frame(("machine", "wall_cycles", "time_us"), rows)
    page = render_markdown(
        Path(__file__).parent, "page.md.j2", {"n": n, "rows": rows, "table": table}
    )
    files = {"@name@.md": page, "@name@.csv": csv_text(table)}
    paths = write_files(out or default_out("@name@"), files)
    finish({"rows": table.to_dict("records")}, paths, as_json=as_json)
