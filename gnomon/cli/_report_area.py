"""``gnomon report area``: machines by part, area x time and energy x time of kernels."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from gnomon.cli._options import Json  # noqa: TC001 - typer reads it
from gnomon.cli._progress import steps_progress

DEFAULT_AREA_OUT = Path("reports/area")

Out = Annotated[Path, typer.Option("--out", metavar="FOLDER", help="Where the files go.")]


def area(*, out: Out = DEFAULT_AREA_OUT, as_json: Json = False) -> None:
    """LUT, FF, DSP, BRAM of machines; area x time and energy x time of kernels."""
    from gnomon.report.area import area_steps, run_area, write_area

    with steps_progress("measuring kernels", area_steps()) as progress:
        study = run_area(progress)
    paths = list(write_area(study, out))
    if as_json:
        print(json.dumps({"files": [str(path) for path in paths]}))
        return
    for path in paths:
        print(path)
