"""Energy of a unit from its gates: its netlist alone, with operand streams at its ports.

The energy of the cells in a window of issues = sum over terms of price x count, with prices of zero
or more: an issue, a bit that changes at a port, an execution of each instruction. The streams of
the fit have random and correlated operands; other streams check it. Clock and leakage are of the
netlist, wires and clock tree by the model of ``_wires.py``.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np
import numpy.typing as npt

from gnomon.arch.units import Unit
from gnomon.arch.units.area import parameter_values, parameters_text
from gnomon.arch.units.energy import (
    ENERGY_FILE,
    NO_VECTOR_ENERGY,
    PORT_BUSES,
    EndsKeys,
    StreamErrorKeys,
    UnitEnergy,
    instructions_digest,
    read_unit_energies,
)
from gnomon.arch.units.lanes import hardware_of
from gnomon.arch.units.load import load_unit
from gnomon.base.content import find
from gnomon.base.errors import GnomonError
from gnomon.base.files import write_file
from gnomon.base.interval import Interval
from gnomon.cost.energy.fit import nonnegative_least_squares
from gnomon.gates._engine import apply
from gnomon.gates._liberty import Library
from gnomon.gates._netlist import Netlist, cells_of
from gnomon.gates._timing import Timed, has_loop, timed
from gnomon.gates._unit_streams import LEFT_OUT, TRAINED, Streams
from gnomon.gates._wires import clock_tree_pj, wire_ff
from gnomon.gates.flow import OSU018, load_library
from gnomon.rtl.designs import Design
from gnomon.rtl.synthesis import parameter_steps
from gnomon.rtl.tools import tool

_SHARES: Final = (0.0, 0.1, 0.3, 0.6, 1.0)
"""Shares of executions in streams; only the streams of the fit may have none."""
_TRAINED_STREAMS: Final = 60
_LEFT_OUT_STREAMS: Final = 24
_ISSUES: Final = 40  # of a stream
_WINDOW: Final = 8  # issues of a window of the fit
_SEED: Final = 1
_ISSUE: Final = "issue"

_HEAD: Final = """\
# Made by `gnomon rtl unit {name}`; do not edit. Energies of gates by operand toggles, fitted to
# simulated operand streams (docs/guide/unit.md); wires and clock tree by a stated model.
schema: 1
kind: gate-level
points:
"""


@dataclass(frozen=True, slots=True, eq=False)
class UnitGates:
    """A unit as cells of a library."""

    unit: Unit
    library: Library
    netlist: Netlist
    timed: Timed

    @classmethod
    def from_unit(cls, unit: Unit, liberty: Path = OSU018) -> UnitGates:
        """Synthesize a unit with its parameters; netlists are cached.

        Raises:
            GnomonError: if the unit has no SystemVerilog, the library or yosys is missing, the unit
                cannot be synthesized, or it has a combinational loop.
        """
        if unit.is_vector:
            raise GnomonError(f"unit {unit.name}: {NO_VECTOR_ENERGY}")
        library, (sources, top, values) = load_library(liberty), hardware_of(unit)
        steps = (
            f"read_verilog -sv {' '.join(name for name, _ in sources)}",
            *parameter_steps(values, top),
            f"synth -top {top}",
        )
        files = {name: text.encode("utf-8") for name, text in sources}
        netlist = cells_of(Design(top, files, steps), liberty, library)
        found = timed(netlist, library)
        if has_loop(found.cells, library):
            raise GnomonError(f"unit {unit.name}: {top} has a combinational loop")
        return cls(unit, library, netlist, found)

    def simulate(self, streams: Streams) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.int64]]:
        """Return the energy of the cells by issue in pJ, and the toggles by net."""
        signals, starts = streams.rows()
        names = tuple(name for name in signals if name in self.netlist.ports)
        bits = [
            signals[name][:, None] >> np.arange(len(self.netlist.ports[name])) & 1 for name in names
        ]
        values = np.concatenate(bits, axis=1).astype(np.uint8)
        toggles, energy = apply(self.netlist, self.timed, self.library, names, values)
        return np.add.reduceat(energy.sum(axis=1), starts), toggles


def measure_unit_energy(unit: Unit, liberty: Path = OSU018) -> UnitEnergy:
    """Synthesize a unit, simulate operand streams on its gates, and fit its prices.

    Raises:
        GnomonError: see :meth:`UnitGates.from_unit`.
    """
    gates = UnitGates.from_unit(unit, liberty)
    rng = np.random.default_rng(_SEED)
    trained, left_out, random = (
        Streams.draw(unit, kinds, shares, rng, streams=count, issues=_ISSUES)
        for kinds, shares, count in (
            (TRAINED, _SHARES, _TRAINED_STREAMS), (LEFT_OUT, _SHARES[1:], _LEFT_OUT_STREAMS),
            ({"random": TRAINED["random"]}, _SHARES[-1:], 1),
        )
    )  # fmt: skip
    pj, toggles = gates.simulate(trained)
    prices = fit_prices(trained, pj)
    errors = _judge(prices, left_out, gates.simulate(left_out)[0])
    timing, library, instances = gates.timed, gates.library, gates.netlist.record(gates.library)
    cells, flip_flops, um2 = (
        sum(float(row[name]) for row in instances) for name in ("cells", "flip_flops", "area_um2")
    )
    pj_per_ff = float(toggles @ timing.sinks) * library.volt**2 / 2 * 1e-3
    nothing = Interval(0.0, 0.0, 0.0, "pJ")
    ratio = pj_per_ff / pj.sum() if pj.any() else 0.0  # a unit may have no cells, as a byte swap
    wires = wire_ff(int(cells), um2) * ratio if ratio else nothing
    clock = timing.clock_pj.mean(axis=1).sum() if flip_flops else 0.0
    tree = clock_tree_pj(int(flip_flops), um2, library) if flip_flops else nothing
    mnemonics = [each.mnemonic for each in unit.instructions]
    return UnitEnergy(
        parameters=parameters_text(unit.values),
        library=library.title,
        liberty=hashlib.sha256(liberty.read_bytes()).hexdigest(),
        yosys=tool("yosys").check().version,
        rtl=hardware_of(unit).digest,
        instructions=instructions_digest(unit),
        netlist=gates.netlist.digest(library),
        cells=int(cells),
        flip_flops=int(flip_flops),
        area_um2=um2,
        path_ns=timing.path_ps / 1000,
        leakage_uw=float(timing.leakage_nw.sum()) / 1000,
        clock_pj=float(clock),
        clock_tree=_ends(tree),
        wires=_ends(wires),
        issue_pj=prices[_ISSUE],
        toggle_pj={bus: prices[bus] for bus in PORT_BUSES if bus in prices},
        execution_pj={name: prices[name] for name in mnemonics},
        random_pj=float(gates.simulate(random)[0].mean()),
        errors=errors,
    )


def fit_prices(streams: Streams, pj: npt.NDArray[np.float64]) -> dict[str, float]:
    """Return the price of each term in pJ.

    Args:
        streams: streams of the fit.
        pj: energy of the cells by issue, shape (issues,).
    """
    counts, windows = count_port_terms(streams), np.arange(len(pj)) // _WINDOW
    design = np.column_stack([np.bincount(windows, each) for each in counts.values()])
    sums = np.bincount(windows, pj).astype(np.float64)
    fitted = nonnegative_least_squares(design.astype(np.float64), sums)
    return dict(zip(counts, fitted.tolist(), strict=True))


def count_port_terms(streams: Streams) -> dict[str, npt.NDArray[np.float64]]:
    """Return the counts of each term by issue; products only if an instruction has both factors."""
    of = streams.unit.instructions
    counts = {_ISSUE: np.ones(len(streams.number)), **streams.toggles()}
    if not any(each.row.rs1 is not None and each.row.rs2 is not None for each in of):
        del counts["product"]
    for k, each in enumerate(of):
        counts[each.mnemonic] = (streams.number == k).astype(np.float64)
    return counts


def _judge(
    prices: Mapping[str, float], streams: Streams, pj: npt.NDArray[np.float64]
) -> StreamErrorKeys:
    """Return the errors of prices at streams that the fit did not see."""
    counts = count_port_terms(streams)
    predicted = sum(price * counts[term] for term, price in prices.items())
    taken, found = (np.bincount(streams.stream, each) for each in (pj, predicted))
    percent = 100 * np.abs(found - taken) / np.where(taken > 0, taken, taken.mean() or 1.0)
    return StreamErrorKeys(
        streams=_TRAINED_STREAMS,
        held_out=_LEFT_OUT_STREAMS,
        median_percent=float(np.median(percent)),
        worst_percent=float(percent.max()),
    )


def _ends(figure: Interval) -> EndsKeys:
    return EndsKeys(value=figure.value, low=figure.low, high=figure.high)


def write_unit_energy(
    name: str, points: Sequence[Mapping[str, int]], liberty: Path = OSU018
) -> Iterator[tuple[Path, UnitEnergy]]:
    """Measure a unit at some points and add them to its file; yield path and energies of each.

    Other points remain if they were made for the files that the unit has now.

    Raises:
        GnomonError: if a point, the unit or the file is wrong, or see :func:`measure_unit_energy`.
    """
    units = [load_unit(name, point) for point in points]
    path = find("units", name).folder / ENERGY_FILE
    known = {(each.library, each.parameters): each for each in read_unit_energies(path)
             if _is_current(name, each)}  # fmt: skip
    for unit in units:
        found = measure_unit_energy(unit, liberty)
        known[found.library, found.parameters] = found
        yield write_file(path, energy_text(name, list(known.values()))), found


def _is_current(name: str, point: UnitEnergy) -> bool:
    """Return whether a point of a file was made for the files of the unit."""
    try:
        unit = load_unit(name, parameter_values(point.parameters))
    except GnomonError:  # it has other parameters now
        return False
    now = hardware_of(unit).digest, instructions_digest(unit)
    return (point.rtl, point.instructions) == now


def energy_text(name: str, points: Sequence[UnitEnergy]) -> str:
    """Return the text of an energy file."""
    return _HEAD.format(name=name) + "".join(map(_point_text, sorted(points, key=_order)))


def _order(point: UnitEnergy) -> tuple[str, list[int]]:
    return point.library, [*parameter_values(point.parameters).values()]


def _point_text(point: UnitEnergy) -> str:
    lines = []
    for name, value in point.to_dict().items():
        if isinstance(value, dict):
            inside = ", ".join(f"{each}: {_number(number)}" for each, number in value.items())
            lines.append(f"    {name}: {{{inside}}}\n")
        else:
            lines.append(f"    {name}: {_number(value)}\n")
    return "  - " + "".join(lines)[4:]


def _number(value: object) -> str:
    if isinstance(value, float):
        text = f"{value:.6g}"
        return f"{value:.9f}" if "e-" in text else text  # YAML reads 1e-05 as text
    return str(value) if isinstance(value, int) else f'"{value}"'
