"""``gnomon power fit``: activity and measured power to a power table."""

from __future__ import annotations

import json
import shlex
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from gnomon.base.errors import GnomonError
from gnomon.base.options import Json  # noqa: TC001 - typer reads it

if TYPE_CHECKING:
    from gnomon.cost.energy import Fit

ActivityFile = Annotated[
    Path,
    typer.Argument(
        metavar="ACTIVITY",
        help="Column point, and toggles per cycle by unit; or a folder of activity files.",
    ),
]
PowerFile = Annotated[Path, typer.Argument(metavar="POWER.csv", help="Columns point and power_mw.")]
Out = Annotated[
    Path | None, typer.Option("--out", metavar="FILE", help="Where the table goes (YAML).")
]
Clock = Annotated[str, typer.Option("--clock", help="Clock of the measured points.")]
By = Annotated[
    str,
    typer.Option(
        "--by",
        metavar="GROUPS",
        help="total: one price for all units. unit: one each. Or groups, a+b,c: with + between.",
    ),
]
Select = Annotated[
    str, typer.Option("--select", metavar="TEXT", help="Only points whose name starts with it.")
]
Title = Annotated[str, typer.Option("--title", help="One line about the table.")]
Source = Annotated[str, typer.Option("--source", help="Where the power was measured, and of what.")]
Static = Annotated[str, typer.Option("--static", help="What is known of static power.")]
ActivityTableName = Annotated[
    str, typer.Option("--activity-table", help="Activity table that the units belong to.")
]
ActivityData = Annotated[
    str, typer.Option("--activity-data", help="Operand values that the activity assumes.")
]
Draws = Annotated[
    int, typer.Option("--draws", metavar="N", help="Sets of relative prices to try as well.")
]
Seed = Annotated[int, typer.Option("--seed", help="Of these draws.")]


def fit(
    activity: ActivityFile,
    power: PowerFile,
    *,
    out: Out = None,
    clock: Clock = "100 MHz",
    by: By = "total",
    select: Select = "",
    title: Title = "A table of your own",
    source: Source = "not stated",
    static: Static = "not included: not stated by the source",
    activity_table: ActivityTableName = "t13x",
    activity_data: ActivityData = "not stated",
    draws: Draws = 64,
    seed: Seed = 0,
    as_json: Json = False,
) -> None:
    """Fit a power table, and say how well, and what the data do not identify."""
    from gnomon.base.files import write_file
    from gnomon.base.units import parse_frequency
    from gnomon.cost.energy import Fit, Points, table_text

    if draws < 0 or seed < 0:
        raise GnomonError(f"--draws and --seed must not be negative, not {draws} and {seed}")
    points = Points.read(activity, power, parse_frequency(clock), select=select)
    result = Fit.of(points, _groups(by, points.units))
    if out is not None:
        command = ["gnomon", "power", "fit", activity.as_posix(), power.as_posix()]
        command += ["--out", out.as_posix(), "--clock", clock, "--by", by]
        if select:
            command += ["--select", select]
        command += ["--draws", str(draws), "--seed", str(seed), "--title", title]
        command += ["--source", source, "--static", static]
        command += ["--activity-table", activity_table, "--activity-data", activity_data]
        text = table_text(
            result,
            draws=draws,
            seed=seed,
            name=out.stem,
            title=title,
            source=source,
            activity=activity_table,
            data=activity_data,
            static=static,
            made_by=[shlex.join(command)],
        )
        write_file(out, text.encode())
    if as_json:
        print(json.dumps(_json(result)))
    else:
        _print(result, out)


def _groups(text: str, units: tuple[str, ...]) -> dict[str, tuple[str, ...]]:
    if text == "total":
        return {"toggles": units}
    if text == "unit":
        return {unit: (unit,) for unit in units}
    groups: dict[str, tuple[str, ...]] = {}
    for word in text.split(","):
        members = tuple(part.strip() for part in word.split("+"))
        if not all(members):
            raise GnomonError(
                f"--by takes total, unit, or groups such as alu+lsu,divider; not {text!r}"
            )
        groups["+".join(members)] = members
    named = [unit for members in groups.values() for unit in members]
    for unit in named:
        if named.count(unit) > 1:
            raise GnomonError(f"--by: unit {unit!r} is in more than one group")
    return groups


def _json(fit: Fit) -> dict[str, object]:
    finite = {float("inf"): None}
    return {
        "points": len(fit.points.names),
        "parameters": {
            p.name: {
                "unit": "mW" if not p.units else "pJ per toggle",
                "value": p.value,
                "low": p.low,
                "high": finite.get(p.high, p.high),
            }
            for p in fit.parameters
        },
        "residual_mw": fit.residual_mw,
        "leave_one_out": asdict(fit.leave_one_out),
        "not_identified": list(fit.not_identified),
    }


def _print(fit: Fit, out: Path | None) -> None:
    from gnomon.report.cost_text import print_fit

    print_fit(fit)
    if out is not None:
        print(out)
