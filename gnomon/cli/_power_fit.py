"""``gnomon power fit``: fit a power table to activity and measured power."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from gnomon.base.errors import GnomonError
from gnomon.cli._answer import CommandOutput, as_typed, with_json_output
from gnomon.cli._options import argument, option, output_file

if TYPE_CHECKING:
    from gnomon.cost.energy.fit import Fit


@with_json_output()
def fit(
    activity: Annotated[
        Path,
        argument(
            "ACTIVITY",
            "CSV with column point and toggles per cycle by unit, or a folder of activity files.",
        ),
    ],
    power: Path = argument("POWER.csv", "CSV with columns point and power_mw."),
    *,
    out: Path | None = output_file("--out FILE", "Power table to write (YAML).", None),
    clock: str = option("--clock", "Clock of the measured points.", "100 MHz"),
    by: str = option(
        "--by GROUPS",
        "total: one price for all units. unit: one price per unit. a+b,c: one price per group.",
        "total",
    ),
    select: str = option("--select TEXT", "Prefix of the names of the points to use.", ""),
    title: str = option("--title", "Title of the table.", "A table of your own"),
    source: str = option("--source", "Source of the measured power.", "not stated"),
    library: str = option("--library", "Device on which the power was measured.", ""),
    static: str = option(
        "--static", "Statement about static power.", "not included: not stated by the source"
    ),
    activity_table: str = option("--activity-table", "Activity table of the units.", "t13x"),
    activity_data: str = option(
        "--activity-data", "Operand values that the activity assumes.", "not stated"
    ),
    draws: int = option("--draws N", "Number of sets of relative prices to sample.", 64),
    seed: int = option("--seed", "Seed for these samples.", 0),
) -> CommandOutput:
    """Fit a power table; print the residual and the prices that the data do not identify."""
    from gnomon.base.files import write_file
    from gnomon.base.units import parse_frequency
    from gnomon.cost.energy import read_points
    from gnomon.cost.energy.fit import Fit, format_power_table

    if draws < 0 or seed < 0:
        raise GnomonError(f"--draws and --seed must not be negative, not {draws} and {seed}")
    points = read_points(activity, power, parse_frequency(clock), select=select)
    result = Fit.from_points(points, _parse_groups(by, points.units))
    if out is not None:
        files = shlex.join([activity.as_posix(), power.as_posix()])
        command = as_typed({
            f"gnomon power fit {files}": True, "--out": out.as_posix(), "--clock": clock,
            "--by": by, "--select": select or None, "--draws": draws, "--seed": seed,
            "--title": title, "--source": source, "--library": library or None,
            "--static": static,
            "--activity-table": activity_table, "--activity-data": activity_data,
        })  # fmt: skip
        text = format_power_table(
            result,
            draws=draws, seed=seed, name=out.stem, title=title, source=source,
            library=library, static=static, activity=activity_table, data=activity_data,
            made_by=[" ".join(command)],
        )  # fmt: skip
        write_file(out, text)

    def show() -> None:
        from gnomon.report.cost_text import print_fit

        print_fit(result)
        if out is not None:
            print(out)

    yield _fit_json(result), show


def _parse_groups(text: str, units: tuple[str, ...]) -> dict[str, tuple[str, ...]]:
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


def _fit_json(fit: Fit) -> dict[str, object]:
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
        "leave_one_out": fit.leave_one_out._asdict(),
        "not_identified": list(fit.not_identified),
    }
