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
)
from gnomon.arch.units.lanes import hardware_of
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
    hardware = hardware_of(unit)
    yosys = tool("yosys").check()
    with tempfile.TemporaryDirectory(prefix="gnomon-") as name:
        folder = Path(name)
        for file, text in hardware.files:
            (folder / file).write_text(text, encoding="utf-8")
        files = tuple(file for file, _ in hardware.files)
        configuration = Configuration(
            f"unit.{unit.name}", hardware.top, folder, files, hardware.parameters
        )
        counts = synthesize(configuration, yosys)
    return {
        "parameters": parameters_text(unit.values),
        **{key: f"{value:.10g}" for key, value in counts.items()},
        "rtl": hardware.digest,
        "tool": f"yosys {yosys.version} {configuration.command}",
    }


def write_unit_area(
    name: str, points: Sequence[Mapping[str, int]]
) -> Iterator[tuple[Path, dict[str, str]]]:
    """Synthesize a unit at some points and add the rows to its file; yield path and row of each.

    Rows of other points remain if they are of the SystemVerilog that the unit has now.

    Raises:
        GnomonError: if a point or the unit is wrong, or yosys is missing or rejects it.
    """
    units = [load_unit(name, point) for point in points]
    path = find("units", name).folder / AREA_FILE
    rows = {row["parameters"]: row for row in read_rows(read_text(path), str(path))
            if _is_current(name, row)} if is_file(path) else {}  # fmt: skip
    for unit in units:
        row = synthesize_unit(unit)
        rows[row["parameters"]] = row
        ordered = [rows[key] for key in sorted(rows, key=_order)]
        yield write_file(path, area_text(name, ordered)), row


def _is_current(name: str, row: Mapping[str, str]) -> bool:
    """Return whether a row is of the SystemVerilog of the unit."""
    try:
        unit = load_unit(name, parameter_values(row["parameters"]))
    except GnomonError:  # it has other parameters now
        return False
    return row["rtl"] == hardware_of(unit).digest


def _order(parameters: str) -> list[int]:
    return [*parameter_values(parameters).values()]
