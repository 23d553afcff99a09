"""What a memory macro takes, from its liberty file: a read, a write, leakage.

Macros of IHP SG13G2 are known: ``RM_IHPSG13_2P_1024x32_..._typ_1p20V_25C.lib`` with two ports,
1,024 words of 32 bits, at a typical corner; those of the slow and the fast corner are the ends.
"""

from dataclasses import dataclass
from pathlib import Path

from gnomon.base.errors import GnomonError
from gnomon.gates._liberty import truth_table
from gnomon.gates._liberty_text import Units, library_of

_PINS = ("MEN", "WEN", "REN")  # memory, write and read enable of a port, as IHP calls them
_READ, _WRITE = 0b101, 0b011  # which of them are 1


@dataclass(frozen=True, slots=True)
class Macro:
    """Energies in pJ of an edge of the clock of one port."""

    name: str
    read_pj: float
    write_pj: float
    leakage_nw: float
    area_um2: float


def macros(folder: Path, rows: int) -> tuple[Macro, Macro, Macro]:
    """The smallest macro with so many words: typical, least and most energy of its corners.

    Raises:
        GnomonError: the folder has none, or a file cannot be read.
    """
    there: dict[int, list[Path]] = {}
    for path in sorted(folder.glob("*_2P_*x32_*.lib")):
        there.setdefault(int(path.name.split("_2P_")[1].split("x")[0]), []).append(path)
    fitting = [size for size in there if size >= rows]
    if not fitting:
        raise GnomonError(
            f"{folder}: no macro with two ports and {rows} words of 32 bits (files:"
            f" *_2P_*x32_*.lib; there: {', '.join(map(str, sorted(there))) or 'none'})"
        )
    files = there[min(fitting)]
    typical = [path for path in files if "_typ_" in path.name]
    if not typical:
        raise GnomonError(f"{files[0]}: the macro of the typical corner (_typ_) is not beside it")
    every = sorted((read_macro(path) for path in files), key=lambda each: each.read_pj)
    return read_macro(typical[0]), every[0], every[-1]


def read_macro(path: Path) -> Macro:
    """Read the liberty file of a macro whose clock pin says what reads and writes take.

    Raises:
        GnomonError: it cannot be read, or its port has no pins ``MEN``, ``WEN`` and ``REN``.
    """
    library = library_of(path)
    units = Units.of(library, path)
    cells = list(library.of("cell"))
    clocks = [pin for cell in cells for pin in cell.of("pin") if pin.values.get("clock") == "true"]
    if len(cells) != 1 or not clocks:
        raise GnomonError(f"{path}: is no macro with a clock")
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
