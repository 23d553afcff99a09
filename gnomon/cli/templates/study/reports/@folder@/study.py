"""``gnomon experiment @name@``: the matrix product on wider vector units."""

from __future__ import annotations

from pathlib import Path

import gnomon
from gnomon.base.frames import frame
from gnomon.cli.study import study_command
from gnomon.report.study import Steps, StudyReport

MACHINES = ("t13-simd1", "t13-simd2", "t13-simd4", "t13-simd8")


def report(size: int, progress: Steps) -> StudyReport:
    """Measure products of two ``size`` x ``size`` matrices."""
    rows = []
    for machine in progress.over(MACHINES, str):
        run = gnomon.measure_kernel("multiply", machine, n=size, variant="vector")
        rows.append((machine, run.wall_cycles, run.time_us))
    table = frame(("machine", "wall_cycles", "time_us"), rows)
    facts = {"n": size, "rows": rows, "table": table}
    answer = {"rows": table.to_dict("records")}
    return StudyReport(Path(__file__).parent, "@name@", facts, {"@name@": table}, answer=answer)


main = study_command(report, {"small": 4, "full": 16}, title="measuring")
