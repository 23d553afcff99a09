"""Area of units by synthesis: ``area.csv`` in the folder of a unit."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from gnomon.arch.units import Unit
from gnomon.arch.units.area import (
    AREA_FILE,
    area_text,
    parameter_values,
    parameters_text,
    read_rows,
    rtl_digest,
)
from gnomon.arch.units.load import load_unit
from gnomon.base.content import find
from gnomon.base.errors import GnomonError
from gnomon.base.files import is_file, read_text, write_file
from gnomon.rtl.synthesis import Configuration, synthesize
from gnomon.rtl.tools import tool


def default_points(name: str) -> list[dict[str, int]]:
    """Return the defaults of a unit, and both ends of each parameter with the other defaults."""
    points: list[dict[str, int]] = [{}]
    for each in load_unit(name, {}).parameters:
        points += [{each.name: value} for value in (each.least, each.most) if value != each.default]
    return points


def synthesize_unit(unit: Unit) -> dict[str, str]:
    """Return the row of a unit with its parameters; results are cached.

    Raises:
        GnomonError: if the unit has no SystemVerilog, or yosys is missing or rejects it.
    """
    if unit.rtl is None:
        raise GnomonError(f"unit {unit.name} has no SystemVerilog (rtl in its unit.yaml)")
    yosys = tool("yosys").check()
    with tempfile.TemporaryDirectory(prefix="gnomon-") as name:
        folder = Path(name)
        for file, text in unit.rtl.files:
            (folder / file).write_text(text, encoding="utf-8")
        parameters = {each.name.upper(): each.value for each in unit.parameters}
        configuration = Configuration(
            f"unit.{unit.name}", unit.rtl.top, folder, tuple(file for file, _ in unit.rtl.files),
            parameters,
        )  # fmt: skip
        counts = synthesize(configuration, yosys)
    return {
        "parameters": parameters_text(unit.values),
        **{key: f"{value:.10g}" for key, value in counts.items()},
        "rtl": rtl_digest(unit.rtl.files, unit.rtl.top),
        "tool": f"yosys {yosys.version} {configuration.command}",
    }


def write_unit_area(
    name: str, points: Sequence[Mapping[str, int]]
) -> Iterator[tuple[Path, dict[str, str]]]:
    """Synthesize a unit at some points and add the rows to its file; yield path and row of each.

    Rows of other points remain if they are of the same SystemVerilog.

    Raises:
        GnomonError: if a point or the unit is wrong, or yosys is missing or rejects it.
    """
    units = [load_unit(name, point) for point in points]
    path = find("units", name).folder / AREA_FILE
    rows = {row["parameters"]: row for row in read_rows(read_text(path), str(path))} if is_file(
        path) else {}  # fmt: skip
    for unit in units:
        row = synthesize_unit(unit)
        rows = {key: other for key, other in rows.items() if other["rtl"] == row["rtl"]}
        rows[row["parameters"]] = row
        ordered = [rows[key] for key in sorted(rows, key=_order)]
        yield write_file(path, area_text(name, ordered)), row


def _order(parameters: str) -> list[int]:
    return [*parameter_values(parameters).values()]
