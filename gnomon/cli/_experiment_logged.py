"""``gnomon experiment logged``: its options, and the run."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from gnomon.base.errors import GnomonError
from gnomon.base.progress import rounds_progress

if TYPE_CHECKING:
    from gnomon.report.learners import LearnerReport

Data = Annotated[
    Path | None,
    typer.Option(
        "--data",
        metavar="PATH",
        help="Click log for logged: its file, or the folder that it is in.",
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
        help="For logged, again and again: NAME, NAME/VARIANT, NAME:KEY=NUMBER, or all.",
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
    int | None,
    typer.Option(
        "--dimensions",
        metavar="D",
        help="Most values of a context for logged: 1, then the features that vary most.",
        show_default="12",
    ),
]
Seed = Annotated[
    int | None,
    typer.Option(
        "--seed",
        metavar="N",
        help="For logged: of learners, stand-ins and the rounds that are kept.",
        show_default="0",
    ),
]
SkipMalformed = Annotated[
    bool,
    typer.Option(
        "--skip-malformed", help="Pass over malformed lines of the log; the page counts them."
    ),
]

_OPTIONS = {"log_format": "format", "learners": "learner"}
"""Options whose names are not those of their arguments."""


def given_of_log(experiment: str, **options: Any) -> dict[str, Any]:
    """Those of the options that were given, not None.

    Raises:
        GnomonError: some were, to another experiment.
    """
    given = {key: value for key, value in options.items() if value is not None}
    if given and experiment != "logged":
        first = next(iter(given))
        option = _OPTIONS.get(first, first).replace("_", "-")
        raise GnomonError(f"--{option} is for the experiment logged")
    return given


def run_on_log(size: str, given: dict[str, Any]) -> LearnerReport:
    """Evaluate the learners, with progress on a terminal.

    Raises:
        GnomonError: the log or an option is wrong.
    """
    from gnomon.learn.logged import run_logged
    from gnomon.report.learners import logged_report

    with rounds_progress() as progress:
        return logged_report(run_logged(size, **given, progress=progress))
