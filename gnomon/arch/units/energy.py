"""``energy.yaml`` of a unit: energies of its gates, by parameters and cell library.

The energy of a unit in a run is a sum of prices: of each issue, of each bit that differs from the
previous value at the ports of the unit, and of each execution by instruction. Clock, leakage and
wires are separate. Each point states its netlist, its tools, and its errors on operand streams that
the fit did not see.
"""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import Annotated, Final, Literal, get_args

from pydantic import Field, field_validator, model_validator

from gnomon.arch.units._unit import Unit
from gnomon.arch.units.area import parameters_text
from gnomon.arch.units.lanes import hardware_of
from gnomon.base.digest import digest
from gnomon.base.files import is_file
from gnomon.base.interval import Interval
from gnomon.base.schema import ProblemAt, Section, Version, key, version_key
from gnomon.base.tables import check_table, read_yaml_table, shown_path

ENERGY_FILE: Final = "energy.yaml"
NO_VECTOR_ENERGY: Final = "energies of vector instructions are not measured"

PortBus = Literal["instruction", "rs1_read", "rs2_read", "rd_read", "product"]
"""Bus that reaches the ports of a unit: word, a, b, c, and the partial products of a and b."""
PORT_BUSES: Final[tuple[PortBus, ...]] = get_args(PortBus)

_Pj = Annotated[float, Field(ge=0, le=1e6)]


class EndsKeys(Section):
    """A figure with its interval."""

    value: float = key("figure", ge=0)
    low: float = key("lower end", ge=0)
    high: float = key("upper end", ge=0)

    @model_validator(mode="after")
    def _ordered(self) -> EndsKeys:
        if not self.low <= self.value <= self.high:
            raise ValueError(f"{self.value:g} is not within {self.low:g} to {self.high:g}")
        return self

    def interval(self, unit: str) -> Interval:
        """Return the figure with its interval."""
        return Interval(self.value, self.low, self.high, unit)


class StreamErrorKeys(Section):
    """Errors of the energy of operand streams left out of the fit, without clock and wires."""

    streams: int = key("number of streams of the fit", ge=1)
    held_out: int = key("number of streams left out", ge=1)
    median_percent: float = key("median error", unit="%", ge=0)
    worst_percent: float = key("largest error; ends of the intervals of a run", unit="%", ge=0)


class UnitEnergy(Section):
    """Energies of a unit with some parameters in a cell library."""

    parameters: str = key(
        "values of the parameters, such as `bits=32`",
        pattern=r"^(none|\w+=-?[0-9]+( \w+=-?[0-9]+)*)$", allowed="NAME=NUMBER ..., or none",
    )  # fmt: skip
    library: str = key("cell library with voltage")
    liberty: str = key("SHA-256 of the file of cells")
    yosys: str = key("version of yosys that synthesized the netlist")
    rtl: str = key("digest of the SystemVerilog")
    instructions: str = key(
        "digest of the encodings, operands and cycles of the instructions, of which the operand"
        " streams are made; empty: not stated",
        default="",
    )
    netlist: str = key("SHA-256 of the netlist")
    cells: int = key("number of cells", ge=0)
    flip_flops: int = key("number of flip-flops", ge=0)
    area_um2: float = key("area of the cells", unit="µm²", ge=0)
    path_ns: float = key("longest path from a port or a flip-flop", unit="ns", ge=0)
    leakage_uw: float = key("leakage of the cells", unit="µW", ge=0)
    clock_pj: float = key("energy of the clock pins per cycle, not gated", unit="pJ", ge=0)
    clock_tree: EndsKeys = key("energy of the clock tree per cycle by a stated model, in pJ")
    wires: EndsKeys = key("energy of wires over that of the cells, by a stated model")
    issue_pj: _Pj = key("energy per issue of any instruction")
    toggle_pj: dict[PortBus, _Pj] = key(
        "energy per bit that differs from the previous value, at each issue", default={}
    )
    execution_pj: dict[str, _Pj] = key("further energy per execution, by instruction")
    random_pj: float = key(
        "mean energy of an execution with random operands, one after another", unit="pJ", ge=0
    )
    errors: StreamErrorKeys = key("errors at streams left out of the fit")

    def spread(self) -> tuple[float, float]:
        """Return the ends of the interval of an energy, relative to its value."""
        worst = self.errors.worst_percent / 100
        return max(0.0, 1 - worst), 1 + worst


class UnitEnergyFile(Section):
    """Content of ``energy.yaml``."""

    schema_version: Version = version_key()
    kind: Literal["gate-level"] = key("method of its figures")
    points: list[UnitEnergy] = key("energies by parameters and library")

    @field_validator("points")
    @classmethod
    def _differ(cls, points: list[UnitEnergy]) -> list[UnitEnergy]:
        seen = set()
        for number, each in enumerate(points):
            if (each.library, each.parameters) in seen:
                raise ProblemAt(number, f"is a second point for {each.parameters}, {each.library}")
            seen.add((each.library, each.parameters))
        return points


def read_unit_energies(path: Path) -> list[UnitEnergy]:
    """Return the points of an energy file, an empty list without the file.

    Raises:
        GnomonError: if the file is wrong; one line per problem.
    """
    return _read(path, path.stat().st_mtime_ns) if is_file(path) else []


@lru_cache(maxsize=64)
def _read(path: Path, _changed_ns: int) -> list[UnitEnergy]:
    return check_table(read_yaml_table(path, "table of energies"), UnitEnergyFile).points


def instructions_digest(unit: Unit) -> str:
    """Return the digest of the instructions as a point names it.

    It covers all of them that the operand streams depend on: order, words, operands and cycles.
    """
    found = [
        (row.mnemonic, row.format, row.match, row.mask, row.rd, row.rs1, row.rs2, each.third,
         each.vector, each.model.by, each.model.cycles, each.model.parameters,
         each.model.magnitudes)
        for each in unit.instructions for row in [each.row]
    ]  # fmt: skip
    return digest(found)[:16]


def find_unit_energy(unit: Unit, library: str, liberty: str | None) -> UnitEnergy | str:
    """Return the energies of a unit in a cell library, or the reason why they are unavailable.

    Args:
        unit: with the parameters of a machine.
        library: cell library with voltage, as a gate-level table names it.
        liberty: SHA-256 of its file; None: not recorded.

    Raises:
        GnomonError: if the energy file of the unit is wrong.
    """
    if unit.rtl is None or unit.is_vector:
        return "it has no SystemVerilog" if unit.rtl is None else NO_VECTOR_ENERGY
    path, wanted = Path(unit.folder, ENERGY_FILE), parameters_text(unit.values)
    points, where = read_unit_energies(path), shown_path(path)
    if not points:
        return f"it has no {ENERGY_FILE}"
    points = [each for each in points if each.parameters == wanted]
    if not points:
        return f"{where} has no point for {wanted}"
    known = ", ".join(each.library for each in points)
    points = [each for each in points if each.library == library]
    if not points:
        return f"{where} has {wanted} in {known}, not in {library}"
    if points[0].rtl != hardware_of(unit).digest:
        return f"its SystemVerilog has changed since {where} was made"
    if points[0].instructions != instructions_digest(unit):
        return (
            f"{where} was made for another set of instructions: mnemonics, encodings, operands or"
            " cycles have changed"
        )
    if liberty is not None and points[0].liberty != liberty:
        return f"{where} was made with another file of cells of {library} than the table"
    return points[0]
