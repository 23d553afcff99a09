"""A model of wires and clock tree, which a netlist without placement lacks.

The model computes wire lengths from the number of cells (Rent's rule) and their area, and the
capacitance from the length. Each constant has a low and a high end. The result is an interval that
states the uncertainty before placement; it is not suitable to rank designs.

Sources: W. E. Donath, "Placement and average interconnection lengths of computer logic", IEEE
Transactions on Circuits and Systems 26(4), 1979, whose bound placements undercut by about half;
B. S. Landman and R. L. Russo, "On a pin versus block relationship for partitions of logic graphs",
IEEE Transactions on Computers C-20(12), 1971 (exponents of Rent's rule); R. Ho, K. W. Mai and M. A.
Horowitz, "The future of wires", Proceedings of the IEEE 89(4), 2001 (capacitance by length, nearly
the same in every technology); J. Beardwood, J. H. Halton and J. M. Hammersley, "The shortest path
through many points", Mathematical Proceedings of the Cambridge Philosophical Society 55(4), 1959.
``UTILIZATION`` and the sinks of a buffer of the clock tree are gnomon's assumptions, not
measurements.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt

from gnomon.base.errors import GnomonError
from gnomon.base.interval import Interval
from gnomon.gates._liberty import EDGES, Cell, Library, energies

UTILIZATION = 0.7
"""Share of the area that cells take; the rest is for wires."""
_TOUR = 0.7124  # length through n points in an area A, over sqrt(n A)
_CLOCK_SLEW_NS = 0.1
_FF_PER_PF = 1000


@dataclass(frozen=True, slots=True)
class _Constants:
    rent: float  # exponent of Rent's rule
    of_bound: float  # ratio of wire length to Donath's bound
    ff_per_um: float
    sinks: int  # of a buffer of the clock tree


# Value, low end, high end.
_ENDS = (
    _Constants(0.65, 0.5, 0.2, 16), _Constants(0.55, 0.5, 0.15, 32), _Constants(0.75, 1.0, 0.25, 8),
)  # fmt: skip


def length_bound(cells: int, rent: float) -> float:
    """Return Donath's bound of the mean wire length, in distances of neighboring cells.

    Args:
        cells: number of cells, at least 2.
        rent: exponent of Rent's rule, between 0.5 and 1.
    """
    near = 7 * (cells ** (rent - 0.5) - 1) / (4 ** (rent - 0.5) - 1)
    far = (1 - cells ** (rent - 1.5)) / (1 - 4 ** (rent - 1.5))
    return float(2 / 9 * (near - far) * (1 - 4 ** (rent - 1)) / (1 - cells ** (rent - 1)))


def wire_ff(cells: int, area_um2: float) -> Interval:
    """Return the capacitance of a wire per input that it drives, in fF.

    Args:
        cells: number of cells.
        area_um2: sum of their areas in µm².
    """
    pitch_um = sqrt(area_um2 / UTILIZATION / cells)
    value, low, high = (
        length_bound(cells, each.rent) * each.of_bound * pitch_um * each.ff_per_um for each in _ENDS
    )
    return Interval(value, low, high, "fF")


def clock_tree_pj(flip_flops: int, area_um2: float, library: Library) -> Interval:
    """Return the energy per cycle of buffers and wires of an ungated clock tree, in pJ.

    The clock pins of the flip-flops are excluded.

    Raises:
        GnomonError: if the library has no buffer.
    """

    def pj(each: _Constants) -> float:
        buffers = -(-flip_flops // (each.sinks - 1))  # of all levels
        wire_pf = _TOUR * sqrt(flip_flops * area_um2 / UTILIZATION) * each.ff_per_um / _FF_PER_PF
        load_pf = wire_pf / buffers
        cells = (_buffer_pj(cell, load_pf, library.volt) for cell in _list_buffers(library))
        return wire_pf * library.volt**2 + buffers * min(cells)

    value, low, high = map(pj, _ENDS)
    return Interval(value, low, high, "pJ")


def _list_buffers(library: Library) -> Sequence[Cell]:
    cells = [each for each in library.cells.values()
             if len(each.inputs) == 1 and not each.clock and each.truth == 0b10]  # fmt: skip
    if not cells:
        raise GnomonError(f"{library.name}: has no buffer, which a clock tree needs")
    return cells


def _buffer_pj(cell: Cell, load_pf: float, volt: float) -> float:
    """Return the energy of a buffer per cycle in pJ: its input pin, and both internal edges."""
    (pin,) = cell.inputs
    inside = sum(
        energies(cell.energy_pj[edge], cell.states, load_pf, _CLOCK_SLEW_NS)[0]
        + energies(cell.passive_pj[pin][edge], cell.states, 0, _CLOCK_SLEW_NS)[0]
        for edge in EDGES
    )
    return cell.capacitance_pf[pin] * volt**2 + inside
