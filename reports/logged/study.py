"""``gnomon experiment logged``: learners on click logs, by replay and by inverse propensities."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from gnomon.base.progress import rounds_progress
from gnomon.report.study import Json, Out, Size, default_out, finish

from .experiment import run_logged
from .page import NAME, logged_report

Data = Annotated[
    Path | None,
    typer.Option(
        "--data",
        metavar="PATH",
        help="Click log: its file, or the folder that it is in.",
        show_default="synthetic stand-ins",
    ),
]
Format = Annotated[
    str | None,
    typer.Option(
        "--format",
        metavar="FORMAT",
        help="Of the log: yahoo-r6a, yahoo-r6b or open-bandit.",
        show_default="of stand-ins: all",
    ),
]
Learners = Annotated[
    list[str] | None,
    typer.Option(
        "--learner",
        metavar="LEARNER",
        help="Again and again: NAME, NAME/VARIANT, NAME:KEY=NUMBER, or all.",
        show_default="15 learners whose steps stay cheap",
    ),
]
Rounds = Annotated[
    int | None,
    typer.Option(
        "--rounds", metavar="N", help="Only the first rounds of the log.", show_default="all"
    ),
]
Dimensions = Annotated[
    int,
    typer.Option(
        "--dimensions",
        metavar="D",
        help="Most values of a context: 1, then the features that vary most.",
    ),
]
Seed = Annotated[
    int,
    typer.Option(
        "--seed",
        metavar="N",
        help="Of learners, stand-ins and the rounds that are kept.",
    ),
]
SkipMalformed = Annotated[
    bool,
    typer.Option(
        "--skip-malformed", help="Pass over malformed lines of the log; the page counts them."
    ),
]


def main(
    *,
    size: Size = "small",
    out: Out = None,
    data: Data = None,
    log_format: Format = None,
    learners: Learners = None,
    rounds: Rounds = None,
    dimensions: Dimensions = 12,
    seed: Seed = 0,
    skip_malformed: SkipMalformed = False,
    as_json: Json = False,
) -> None:
    """Evaluate learners and write the page."""
    with rounds_progress() as progress:
        result = run_logged(
            size,
            data=data,
            log_format=log_format,
            learners=learners or (),
            rounds=rounds,
            dimensions=dimensions,
            seed=seed,
            skip_malformed=skip_malformed,
            progress=progress,
        )
    folder = out or (Path("out/logged") if data else default_out(NAME))
    report = logged_report(result)
    finish(report.answer, report.write(folder), as_json=as_json)
