"""``gnomon report area``: machines by part, area x time and energy x time of kernels."""

from __future__ import annotations

from gnomon.report.study import Json, Out, default_out, finish, steps_progress

from .files import write_area
from .measure import area_steps, run_area


def main(*, out: Out = None, as_json: Json = False) -> None:
    """Measure and write."""
    with steps_progress("measuring kernels", area_steps()) as progress:
        study = run_area(progress)
    finish({}, write_area(study, out or default_out("area")), as_json=as_json)
