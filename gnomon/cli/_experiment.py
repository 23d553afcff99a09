"""``gnomon experiment``: the experiments of the papers with the learners, as reports."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from gnomon.cli._options import Json  # noqa: TC001 - typer reads it
from gnomon.cli._progress import steps_progress
from gnomon.errors import GnomonError, did_you_mean

EXPERIMENTS = ("linucb",)

Name = Annotated[str, typer.Argument(help=f"One of: {', '.join(EXPERIMENTS)}.")]
Size = Annotated[
    str, typer.Option("--size", help="small: 5,000 rounds; full: 100,000, as published.")
]
Out = Annotated[
    Path | None,
    typer.Option("--out", metavar="FOLDER", help="Where the files go. [default: reports/NAME]"),
]


def experiment(*, name: Name, size: Size = "small", out: Out = None, as_json: Json = False) -> None:
    """Run an experiment; write page, tables and figures."""
    if name not in EXPERIMENTS:
        raise GnomonError(
            f"there is no experiment {name!r}"
            f" (allowed: {', '.join(EXPERIMENTS)}{did_you_mean(name, EXPERIMENTS)})"
        )

    from gnomon.learn import experiment_steps, find_size, run_linucb
    from gnomon.report.linucb import claims, write_linucb

    chosen = find_size(size)
    with steps_progress("experimenting", experiment_steps(chosen)) as progress:
        result = run_linucb(chosen, progress)
    paths = write_linucb(result, out or Path("reports") / name)
    if as_json:
        rows = [
            {
                "quantity": claim.quantity,
                "unit": claim.published.unit,
                "published": claim.published.value,
                "ours": claim.ours,
                "reading": claim.reading,
            }
            for claim in claims(result)
        ]
        print(json.dumps({"claims": rows, "files": [str(path) for path in paths]}))
        return
    for path in paths:
        print(path)
