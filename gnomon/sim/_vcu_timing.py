"""When a vector instruction starts, writes first and ends.

Source: microarchitecture.md section 5 (busy-time law 5508 rows, transfers in flight 384 rows,
contention for functional units 245 rows; residual 0 against the T13x RTL).
"""

from __future__ import annotations

from gnomon.sim._jit import State, inner
from gnomon.sim._layout import (
    C_SHARING,
    C_SIMD,
    S_FU0,
    S_VCU0,
    S_XFER_LAST,
    S_XFER_SPM,
    S_XFER_UNITS,
)
from gnomon.sim._ops import (
    KBCAST,
    KDOTP,
    KDOTPPS,
    KRELU,
    KSRAV,
    KSRLV,
    KSVMULPSRF,
    KSVMULRF,
    KSVMULSC,
    KSVSLT,
    KVDIV,
    KVMUL,
    KVMULPS,
    KVRED,
    KVSLT,
)
from gnomon.sim._vcu_function import is_product

_ADDER = 1
_SHIFTER = 2
_MULTIPLIER = 4
_ACCUMULATOR = 8
_COMPARATOR = 16
_DIVIDER = 32
_UNITS = 6


@inner
def bytes_per_beat(cfg: State, o: int, vt: int) -> int:
    """Bytes of the vector handled per cycle: 4 per lane, 2 per lane for byte products."""
    lanes = cfg[C_SIMD]
    return int(2 * lanes if vt == 0 and is_product(o) else 4 * lanes)


@inner
def start_up(o: int) -> int:
    """Cycles from the first read to the first write."""
    if o == KBCAST:
        return 1
    if o == KRELU:
        return 3
    if o == KVSLT or o == KSVSLT:
        return 5
    if o == KDOTP:
        return 6
    if o == KDOTPPS:
        return 8
    return 4


@inner
def _functional_units(o: int) -> int:
    if o == KBCAST:
        return 0
    if o == KSRAV or o == KSRLV:
        return _SHIFTER
    if o == KVMUL or o == KSVMULSC or o == KSVMULRF or KVMULPS <= o <= KSVMULPSRF:
        return _MULTIPLIER
    if o >= KVDIV:
        return _DIVIDER
    if o == KDOTP:
        return _MULTIPLIER | _ACCUMULATOR
    if o == KDOTPPS:
        return _SHIFTER | _MULTIPLIER | _ACCUMULATOR
    if o == KVRED:
        return _ACCUMULATOR
    if o == KRELU:
        return _COMPARATOR
    if o == KVSLT or o == KSVSLT:
        return _ADDER | _COMPARATOR
    return _ADDER


@inner
def _start(st: State, o: int, cycle: int) -> int:
    """First cycle with the shared functional units of the multithreaded vector unit."""
    needed = _functional_units(o)
    waits = False
    start = cycle + 2
    for unit in range(_UNITS):
        if (needed >> unit) & 1:
            free = st[S_FU0 + unit] + 2
            waits |= cycle < free
            start = max(start, free)
    return start + 1 if waits else cycle


@inner
def schedule(
    cfg: State,
    st: State,
    o: int,
    unit: int,
    cycle: int,
    to_write: int,
    after_write: int,
    sources: int,
    target: int,
) -> tuple[int, int, int]:
    """Reserve the vector unit for one instruction issued in ``cycle``.

    Args:
        cfg: the machine.
        st: its state; the busy times of unit and functional units are updated.
        o: instruction number.
        unit: accelerator that executes it.
        cycle: issue cycle.
        to_write: cycles from the first read to the first write.
        after_write: cycles from the first to the last write.
        sources: bit mask of the scratchpads read.
        target: scratchpad written.

    Returns:
        The cycles of the first read and the first write, and the last busy one.
    """
    multithreaded = cfg[C_SHARING] == 2
    start = _start(st, o, cycle) if multithreaded else cycle
    free = 0  # first cycle after the transfer in flight, if it is of this accelerator
    spm = -1
    if (st[S_XFER_UNITS] >> unit) & 1:
        free = st[S_XFER_LAST] + 1
        spm = st[S_XFER_SPM]
    first_read = start
    if spm >= 0 and (sources >> spm) & 1:
        first_read = max(start, free)
    first_write = first_read + to_write
    if spm == target:
        first_write = max(first_write, free)
    last = first_write + after_write
    st[S_VCU0 + unit] = last
    if multithreaded:
        needed = _functional_units(o)
        for k in range(_UNITS):
            if (needed >> k) & 1:
                st[S_FU0 + k] = last
    return first_read, first_write, last
