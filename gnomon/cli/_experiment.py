"""``gnomon experiment``: the experiments of the papers with the learners, as reports."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from gnomon.base.options import Json  # noqa: TC001 - typer reads it
from gnomon.cli._experiment_logged import (
    Data,
    Dimensions,
    Format,
    Learners,
    Rounds,
    Seed,
    SkipMalformed,
    given_of_log,
    run_on_log,
)
from gnomon.cli._studies import Studies
from gnomon.report.study import Out, Size  # noqa: TC001 - typer reads them

if TYPE_CHECKING:
    from gnomon.report.learners import LearnerReport

LEARNERS = Path("reports/learners")

experiment_app = typer.Typer(
    name="experiment",
    cls=Studies,
    help="Experiments with learners: page, tables and figures. One that was stopped goes on.",
    no_args_is_help=True,
)


@experiment_app.callback()
def experiment() -> None:
    """Experiments with learners: page, tables and figures. One that was stopped goes on."""


@experiment_app.command()
def logged(
    *,
    size: Size = "small",
    out: Out = None,
    data: Data = None,
    log_format: Format = None,
    learners: Learners = None,
    rounds: Rounds = None,
    dimensions: Dimensions = None,
    seed: Seed = None,
    skip_malformed: SkipMalformed = False,
    as_json: Json = False,
) -> None:
    """Learners on a click log: yours, or synthetic stand-ins in the same formats."""
    given = given_of_log(
        "logged",
        data=data,
        log_format=log_format,
        learners=learners,
        rounds=rounds,
        dimensions=dimensions,
        seed=seed,
        skip_malformed=skip_malformed or None,
    )
    result = run_on_log(size, given)
    _write_report(result, out or Path("out/logged" if data else LEARNERS), as_json=as_json)


def _write_report(report: LearnerReport, folder: Path, *, as_json: bool) -> None:
    from gnomon.report.learners import write_learner_report

    paths = write_learner_report(report, folder)
    rows = [
        {
            "name": each.name,
            "quantity": each.what,
            "found": each.found,
            "limit": each.limit,
            "met": each.met,
            "before": each.before,
            "remark": each.remark,
        }
        for each in report.criteria
    ]
    _print({"criteria": rows}, paths, as_json=as_json)


def _print(results: dict[str, Any], paths: tuple[Path, ...], *, as_json: bool) -> None:
    if as_json:
        print(json.dumps({**results, "files": [str(path) for path in paths]}))
        return
    for path in paths:
        print(path)
