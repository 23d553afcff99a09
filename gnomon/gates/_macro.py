"""Energy of reads and writes and leakage of memory macros, from their liberty files.

The module reads macros of IHP SG13G2, such as ``RM_IHPSG13_2P_1024x32_..._typ_1p20V_25C.lib``: two
ports, 1,024 words of 32 bits, typical corner. Slow and fast corner are the ends of an interval.
"""

from dataclasses import dataclass
from pathlib import Path

from gnomon.base.errors import GnomonError
from gnomon.gates._liberty import truth_table
from gnomon.gates._liberty_text import Units, read_library_group

_PINS = ("MEN", "WEN", "REN")  # memory, write and read enable of a port, in the names of IHP
_READ, _WRITE = 0b101, 0b011  # their values in a read and in a write


@dataclass(frozen=True, slots=True)
class Macro:
    """A memory macro: energies in pJ per clock edge of one port, leakage and area."""

    name: str
    read_pj: float
    write_pj: float
    leakage_nw: float
    area_um2: float


def macros(folder: Path, rows: int) -> tuple[Macro, Macro, Macro]:
    """Return the smallest macro with at least ``rows`` words of 32 bits.

    The result has the corners with typical, least and most energy.

    Raises:
        GnomonError: if the folder has no such macro, or a file cannot be read.
    """
    there: dict[int, list[Path]] = {}
    for path in sorted(folder.glob("*_2P_*x32_*.lib")):
        there.setdefault(int(path.name.split("_2P_")[1].split("x")[0]), []).append(path)
    fitting = [size for size in there if size >= rows]
    if not fitting:
        raise GnomonError(
            f"{folder}: no macro with two ports and {rows} words of 32 bits (files:"
            f" *_2P_*x32_*.lib; found: {', '.join(map(str, sorted(there))) or 'none'})"
        )
    files = there[min(fitting)]
    typical = [path for path in files if "_typ_" in path.name]
    if not typical:
        raise GnomonError(f"{files[0]}: no macro of the typical corner (_typ_) next to it")
    every = sorted((read_macro(path) for path in files), key=lambda each: each.read_pj)
    return read_macro(typical[0]), every[0], every[-1]


def read_macro(path: Path) -> Macro:
    """Read the liberty file of a macro whose clock pin has the energies of reads and writes.

    Raises:
        GnomonError: if the file cannot be read, or its port lacks ``MEN``, ``WEN`` or ``REN``.
    """
    library = read_library_group(path)
    units = Units.from_library(library, path)
    cells = list(library.of("cell"))
    clocks = [pin for cell in cells for pin in cell.of("pin") if pin.values.get("clock") == "true"]
    if len(cells) != 1 or not clocks:
        raise GnomonError(f"{path}: not a macro with a clock")
    clock, cell = clocks[0], cells[0]
    port = clock.names[0].removesuffix("CLK")
    names = tuple(f"{port}{pin}" for pin in _PINS)
    found: dict[int, float] = {}
    for power in clock.of("internal_power"):
        when = power.values.get("when", "")
        states = truth_table(when, names) if when else 0
        pj = units.pj * sum(
            float(part.values["values"]) for part in power.of("rise_power", "fall_power")
        )
        found |= {state: pj for state in (_READ, _WRITE) if states >> state & 1}
    if set(found) != {_READ, _WRITE}:
        raise GnomonError(f"{path}: {clock.names[0]} has no energy of reads and writes by {names}")
    if units.nw is None:
        raise GnomonError(f"{path}: leakage_power_unit is missing")
    leakage = float(cell.values.get("cell_leakage_power", 0)) * units.nw
    area = float(cell.values["area"])
    return Macro(cell.names[0], found[_READ], found[_WRITE], leakage, area)
