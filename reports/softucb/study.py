"""``gnomon experiment softucb``: Figures 1 and 2, Table 1 of the paper, and acceptance criteria."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from gnomon.base.errors import GnomonError
from gnomon.report.study import Fresh, Json, Out, Size, default_out, finish, running, size_of

from .experiment import SIZES, run_softucb
from .page import softucb_report

MovieLens = Annotated[
    Path | None,
    typer.Option(
        "--movielens",
        metavar="FILE",
        help="Ratings for softucb: ratings.dat, u.data or ratings.csv.",
        show_default="a synthetic stand-in",
    ),
]
Jester = Annotated[
    Path | None,
    typer.Option(
        "--jester",
        metavar="FILE",
        help="Ratings of jokes for softucb, .npy or .csv.",
        show_default="a synthetic stand-in",
    ),
]


def main(
    *,
    size: Size = "small",
    out: Out = None,
    movielens: MovieLens = None,
    jester: Jester = None,
    fresh: Fresh = False,
    as_json: Json = False,
) -> None:
    """Run and write."""
    for option, path in (("--movielens", movielens), ("--jester", jester)):
        if path is not None and size != "full":
            raise GnomonError(f"{option} is for the experiment softucb in the size full")
    size = size_of(size, SIZES)
    with running(fresh=fresh) as (progress, keeps):
        result = run_softucb(size, progress, keeps.learning, movielens=movielens, jester=jester)
    report = softucb_report(result)
    finish(report.answer, report.write(out or default_out("softucb")), as_json=as_json)
