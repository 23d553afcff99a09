"""Recorded beside the trace of a run: requests on the data bus, busy intervals of units."""

from __future__ import annotations

from gnomon.base.compiled import State, inner
from gnomon.sim._layout import B_ADDRESS, B_CYCLE, B_DATA, B_ENABLES, S_BUS_ROWS, S_SPANS

_M32 = 0xFFFFFFFF


@inner
def record_span(
    st: State, spans: State, unit: int, first: int, last: int, rd: int, rs1: int, rs2: int,
    length: int,
) -> None:  # fmt: skip
    """Record a busy interval of a unit, with the operands and bytes of what keeps it busy."""
    row = st[S_SPANS]
    spans[row, 0] = unit
    spans[row, 1] = first
    spans[row, 2] = last
    spans[row, 3] = rd & _M32
    spans[row, 4] = rs1 & _M32
    spans[row, 5] = rs2 & _M32
    spans[row, 6] = length
    st[S_SPANS] += 1


@inner
def record_request(
    st: State, bus: State, cycle: int, address: int, enables: int, data: int
) -> None:
    """Record a request on the data bus; ``enables`` is 0 for a read."""
    row = st[S_BUS_ROWS]
    bus[row, B_CYCLE] = cycle
    bus[row, B_ENABLES] = enables
    bus[row, B_ADDRESS] = address & ~3
    bus[row, B_DATA] = data & _M32
    st[S_BUS_ROWS] += 1
