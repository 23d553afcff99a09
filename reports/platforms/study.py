"""``gnomon report platforms``: Tables 2 and 3 on the Cortex-M4 and the Cortex-A72."""

from __future__ import annotations

from gnomon.report.study import Json, Out, default_out, finish, steps_progress

from .counts import counts_steps, run_counts
from .files import write_platforms
from .selection import run_selection


def main(*, out: Out = None, as_json: Json = False) -> None:
    """Count, compile and write; the cells go into the table of the paper's report."""
    with steps_progress("counting", counts_steps()) as progress:
        counts = run_counts(progress)
    paths = write_platforms(counts, run_selection(), out or default_out("paper"))
    finish({}, paths, as_json=as_json)
