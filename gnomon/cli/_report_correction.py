"""``gnomon report correction``: the periodic correction of the inverses."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from gnomon.base.options import Json  # noqa: TC001 - typer reads it
from gnomon.base.progress import steps_progress

DEFAULT_OUT = Path("reports/linucb")

Size = Annotated[str, typer.Option("--size", help="small: seconds. full: minutes, as committed.")]
Out = Annotated[Path, typer.Option("--out", metavar="FOLDER", help="Where the files go.")]


def correction(*, size: Size = "small", out: Out = DEFAULT_OUT, as_json: Json = False) -> None:
    """What correcting the inverses periodically gains in float64 and costs on the machine."""
    from gnomon.report.correction import (
        correction_steps,
        find_correction_size,
        run_correction,
        write_correction,
    )

    chosen = find_correction_size(size)
    with steps_progress("measuring", correction_steps(chosen)) as progress:
        study = run_correction(chosen, progress)
    paths = write_correction(study, out)
    if as_json:
        print(json.dumps({"files": [str(path) for path in paths]}))
        return
    for path in paths:
        print(path)
