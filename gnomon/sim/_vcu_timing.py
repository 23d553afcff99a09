"""When a vector instruction starts, writes first and ends.

Source: microarchitecture.md section 5 (busy-time law 5508 rows, transfers in flight 384 rows,
contention for functional units 245 rows; residual 0 against the T13x RTL).
"""

from __future__ import annotations

from gnomon.base.compiled import State, inner, int64
from gnomon.sim import _layout as at
from gnomon.sim import _ops as op
from gnomon.sim._arbiter import request_units
from gnomon.sim._vcu_function import is_product

_ADDER = 1
_SHIFTER = 2
_MULTIPLIER = 4
_ACCUMULATOR = 8
_COMPARATOR = 16
_DIVIDER = 32


@inner
def bytes_per_beat(cfg: State, o: int, vt: int) -> int:
    """Bytes of the vector handled per cycle: 4 per lane, 2 per lane for byte products."""
    lanes = cfg[at.C_SIMD]
    return int(2 * lanes if vt == 0 and is_product(o) else 4 * lanes)


@inner
def start_up(o: int) -> int:
    """Cycles from the first read to the first write."""
    if o == op.KBCAST:
        return 1
    if o == op.KRELU:
        return 3
    if o == op.KVSLT or o == op.KSVSLT:
        return 5
    if o == op.KDOTP:
        return 6
    if o == op.KDOTPPS:
        return 8
    return 4


@inner
def _functional_units(o: int) -> int:
    if o == op.KBCAST:
        return 0
    if o == op.KSRAV or o == op.KSRLV:
        return _SHIFTER
    if o == op.KVMUL or o == op.KSVMULSC or o == op.KSVMULRF or op.KVMULPS <= o <= op.KSVMULPSRF:
        return _MULTIPLIER
    if o >= op.KVDIV:
        return _DIVIDER
    if o == op.KDOTP:
        return _MULTIPLIER | _ACCUMULATOR
    if o == op.KDOTPPS:
        return _SHIFTER | _MULTIPLIER | _ACCUMULATOR
    if o == op.KVRED:
        return _ACCUMULATOR
    if o == op.KRELU:
        return _COMPARATOR
    if o == op.KVSLT or o == op.KSVSLT:
        return _ADDER | _COMPARATOR
    return _ADDER


@inner
def watch_carries(
    st: State, o: int, h: int, cycle: int, first_read: int, first_write: int, last: int
) -> None:
    """Warn where a hart of a multithreaded unit disturbs the adder that another one uses.

    From the cycle in which a write that has to wait is due to the last one, the adder takes carries
    and complement of that hart if it has the higher number, whatever it computes itself
    (RTL-DSP_Unit.vhd, fsm_DSP_adder_stage_1, recover_state_wires).
    """
    if _functional_units(o) & _ADDER:
        st[at.S_ADDER_HART] = h
        st[at.S_ADDER_TO] = max(st[at.S_ADDER_TO], last)
        if (
            st[at.S_HELD_HART] > h
            and st[at.S_HELD_FROM] <= last
            and st[at.S_HELD_TO] >= first_read + 2
        ):
            st[at.S_WARNINGS] |= at.WARN_CARRY
        return
    due = first_read + start_up(o)
    if first_write <= due:
        return
    if st[at.S_HELD_TO] < cycle:
        st[at.S_HELD_FROM] = due
        st[at.S_HELD_HART] = h
    st[at.S_HELD_FROM] = min(st[at.S_HELD_FROM], due)
    st[at.S_HELD_HART] = max(st[at.S_HELD_HART], h)
    st[at.S_HELD_TO] = max(st[at.S_HELD_TO], last)
    if st[at.S_ADDER_TO] >= due and st[at.S_ADDER_HART] < h:
        st[at.S_WARNINGS] |= at.WARN_CARRY


@inner
def void_issue(cfg: State, st: State, h: int, o: int, cycle: int) -> None:
    """A vector instruction that traps or has no length: it asks for units, and does nothing."""
    st[at.S_VOID_CYCLE] = cycle
    if cfg[at.C_SHARING] == 2:
        request_units(
            st, cfg[at.C_HARTS], h, _functional_units(o), cycle, int64(0), int64(0), int64(0),
            int64(0), int64(0),
        )  # fmt: skip


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
        st: its state; the busy time of the unit is updated, and of those that wait for others.
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
    free = 0  # first cycle after the transfer in flight, if it is of this accelerator
    spm = -1
    if (st[at.S_XFER_UNITS] >> unit) & 1:
        free = st[at.S_XFER_LAST] + 1
        spm = st[at.S_XFER_SPM]
    read_free = free if spm >= 0 and (sources >> spm) & 1 else 0
    write_free = free if spm == target else 0
    if cfg[at.C_SHARING] == 2:
        first_read, last = request_units(
            st, cfg[at.C_HARTS], unit, _functional_units(o), cycle, to_write, after_write,
            read_free, write_free, int64(1),
        )  # fmt: skip
        return first_read, max(first_read + to_write, write_free), last
    first_read = max(cycle, read_free)
    first_write = max(first_read + to_write, write_free)
    last = first_write + after_write
    st[at.S_VCU0 + unit] = last
    return first_read, first_write, last
