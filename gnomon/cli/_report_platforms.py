"""``gnomon report platforms``: Tables 2 and 3 on the Cortex-M4 and the Cortex-A72."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from gnomon.base.options import Json  # noqa: TC001 - typer reads it
from gnomon.base.progress import steps_progress

DEFAULT_PLATFORMS_OUT = Path("reports/paper")

Out = Annotated[Path, typer.Option("--out", metavar="FOLDER", help="Where the files go.")]


def platforms(*, out: Out = DEFAULT_PLATFORMS_OUT, as_json: Json = False) -> None:
    """Tables 2 and 3 on the Cortex-M4 and the Cortex-A72, each size predicted from the others."""
    from gnomon.report.platforms import counts_steps, run_counts, run_selection, write_platforms

    with steps_progress("counting", counts_steps()) as progress:
        counts = run_counts(progress)
    paths = write_platforms(counts, run_selection(), out)
    if as_json:
        print(json.dumps({"files": [str(path) for path in paths]}))
        return
    for path in paths:
        print(path)
