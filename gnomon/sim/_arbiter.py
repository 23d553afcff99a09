"""Who gets the functional units that multithreaded vector units share.

Source: RTL-DSP_Unit.vhd of T13x c2c62163, FU_HANDLER_MT. A hart's instruction that finds a unit it
needs free takes it for as long as it runs. If one of them is busy or wanted, the hart enters all of
them in rings of ``harts - 1`` entries and waits. In a cycle in which a unit is free and a waiting
hart wants it, the hart in the oldest entry is granted it, two cycles before its first read. While
nothing goes wrong that is first come, first served. But an instruction that traps or has no length
enters itself too, and does not wait: its entry takes a grant that nobody uses, and as long as it
wants the unit nobody finds it free.

The state of all that moves cycle by cycle where something changes, and in one step to the next end
of an instruction where nothing does. What an instruction waits for is foreseen on a copy.
"""

from __future__ import annotations

from gnomon.base.compiled import State, inner, int64
from gnomon.sim._layout import (
    A_AFTER,
    A_BUSY,
    A_COPY,
    A_COUNT,
    A_CYCLE,
    A_END,
    A_FIRST,
    A_GRANTED,
    A_HELD,
    A_READ,
    A_READ_FREE,
    A_RING,
    A_TO_WRITE,
    A_UNITS,
    A_WAITING,
    A_WANTED,
    A_WRITE,
    A_WRITE_FREE,
    NEVER,
    S_ARBITER,
    S_VCU0,
    S_WARNINGS,
    WARN_STALE_REQUEST,
)

_ENTRY_BITS = 4
_PATIENCE_CYCLES = 64  # without any running instruction, every entry has had its turn by then


@inner
def _start(st: State, at: int, h: int, first: int) -> None:
    """Let a hart read from a cycle on, or later if a transfer is in its way."""
    first_read = max(first, st[at + A_READ_FREE + h])
    first_write = max(first_read + st[at + A_TO_WRITE + h], st[at + A_WRITE_FREE + h])
    st[at + A_FIRST + h] = first_read
    st[at + A_END + h] = first_write + st[at + A_AFTER + h]


@inner
def _step(st: State, at: int, harts: int, asks: int, needed: int, runs: int) -> bool:
    """Work out one cycle, in which hart ``asks`` (or -1) needs some units; whether it changed more
    than the time.

    ``runs`` is 0 if the instruction traps or has no length, else 1.
    """
    cycle = st[at + A_CYCLE]
    busy_before = st[at + A_BUSY]
    waiting = st[at + A_WAITING]
    stay = 0
    keep = waiting
    wanted = 0
    for h in range(harts):
        if st[at + A_END + h] >= cycle:
            keep |= 1 << h
    if asks >= 0 and runs != 0:
        keep |= 1 << asks
    changed = asks >= 0
    for unit in range(A_UNITS):
        if st[at + A_WANTED + unit] != 0:
            wanted |= 1 << unit
        if st[at + A_HELD + unit] & ~keep:
            st[at + A_HELD + unit] &= keep
            changed = True
    entered = 0
    if asks >= 0:
        if needed & (busy_before | wanted):
            entered = needed
            stay = 1 << asks if runs != 0 else 0
        elif runs != 0:
            _start(st, at, asks, cycle)
    for h in range(harts):
        if not (waiting >> h) & 1:
            continue
        for unit in range(A_UNITS):
            if (st[at + A_GRANTED + unit] >> h) & 1:
                st[at + A_HELD + unit] |= 1 << h
                st[at + A_WANTED + unit] &= ~(1 << h)
            elif (st[at + A_WANTED + unit] >> h) & 1:
                stay |= 1 << h
        if not (stay >> h) & 1:
            _start(st, at, h, cycle + 1)
    busy = 0
    for unit in range(A_UNITS):
        mine = asks >= 0 and (needed >> unit) & 1 != 0
        if mine and not entered:
            st[at + A_HELD + unit] |= 1 << asks
        elif mine:
            st[at + A_WANTED + unit] |= 1 << asks
        if st[at + A_HELD + unit] != 0:
            busy |= 1 << unit
    for unit in range(A_UNITS):
        granted = 0
        wanting = st[at + A_WANTED + unit] & waiting
        if wanting != 0 and (busy >> unit) & 1 == 0:
            place = st[at + A_READ + unit]
            oldest = (st[at + A_RING + unit] >> (_ENTRY_BITS * place)) & 7
            # The RTL clears each hart's grants in its own turn, from the highest hart down: one
            # that is granted by higher harts alone is left with nothing.
            if wanting & ((2 << oldest) - 1):
                granted = 1 << oldest
            st[at + A_READ + unit] = (place + 1) % (harts - 1)
            changed = True
        elif st[at + A_GRANTED + unit] != 0:
            changed = True
        st[at + A_GRANTED + unit] = granted
        if (entered >> unit) & 1:
            place = st[at + A_WRITE + unit]
            others = st[at + A_RING + unit] & ~(7 << (_ENTRY_BITS * place))
            st[at + A_RING + unit] = others | (asks << (_ENTRY_BITS * place))
            st[at + A_WRITE + unit] = (place + 1) % (harts - 1)
    if busy != busy_before or stay != waiting:
        changed = True
    st[at + A_BUSY] = busy
    st[at + A_WAITING] = stay
    st[at + A_CYCLE] = cycle + 1
    return bool(changed)


@inner
def _pass_time(st: State, harts: int, cycle: int) -> None:
    """Go on to a cycle while no hart waits: instructions end, and nothing else happens."""
    keep = 0
    for h in range(harts):
        if st[S_ARBITER + A_END + h] >= cycle - 1:
            keep |= 1 << h
    busy = 0
    for unit in range(A_UNITS):
        st[S_ARBITER + A_GRANTED + unit] = 0
        st[S_ARBITER + A_HELD + unit] &= keep
        if st[S_ARBITER + A_HELD + unit] != 0:
            busy |= 1 << unit
    st[S_ARBITER + A_BUSY] = busy
    st[S_ARBITER + A_CYCLE] = cycle


@inner
def _next_end(st: State, at: int, harts: int) -> int:
    """The first cycle from now on behind an instruction that runs; NEVER if none does."""
    cycle = st[at + A_CYCLE]
    end = NEVER
    for h in range(harts):
        if st[at + A_END + h] + 1 >= cycle:
            end = min(end, st[at + A_END + h] + 1)
    return end


@inner
def _foresee(st: State, harts: int) -> None:
    """Fill in how long each hart is busy if nothing else is issued."""
    for k in range(A_COUNT):
        st[A_COPY + k] = st[S_ARBITER + k]
    patience = _PATIENCE_CYCLES
    while st[A_COPY + A_WAITING] != 0 and patience > 0:
        changed = _step(st, int64(A_COPY), harts, int64(-1), int64(0), int64(0))
        end = _next_end(st, int64(A_COPY), harts)
        if end == NEVER:
            patience -= 1
        elif not changed:
            st[A_COPY + A_CYCLE] = max(st[A_COPY + A_CYCLE], end)
    for h in range(harts):
        if (st[S_ARBITER + A_WAITING] >> h) & 1:
            stuck = (st[A_COPY + A_WAITING] >> h) & 1
            st[S_VCU0 + h] = NEVER if stuck else st[A_COPY + A_END + h]


@inner
def request_units(
    st: State, harts: int, h: int, needed: int, cycle: int, to_write: int, after_write: int,
    read_free: int, write_free: int, runs: int,
) -> tuple[int, int]:  # fmt: skip
    """Issue an instruction of hart ``h`` that needs some units, a bit mask.

    Args:
        st: the machine; the busy times of all waiting harts are updated.
        harts: of the machine.
        h: the hart that issues.
        needed: functional units.
        cycle: issue cycle.
        to_write: cycles from the first read to the first write.
        after_write: cycles from the first to the last write.
        read_free: first cycle in which its sources may be read.
        write_free: first cycle in which its target may be written.
        runs: 1 if it does not trap and has a length, else 0: a truth value would be compiled twice.

    Returns:
        The cycle of the first read and the last busy one, as far as can be foreseen; NEVER for a
        hart that waits for ever.
    """
    while st[S_ARBITER + A_CYCLE] < cycle and st[S_ARBITER + A_WAITING] != 0:
        if not _step(st, int64(S_ARBITER), harts, int64(-1), int64(0), int64(0)):
            end = min(_next_end(st, int64(S_ARBITER), harts), cycle)
            st[S_ARBITER + A_CYCLE] = max(st[S_ARBITER + A_CYCLE], end)
    if st[S_ARBITER + A_CYCLE] < cycle:
        _pass_time(st, harts, cycle)
    if runs != 0:
        st[S_ARBITER + A_TO_WRITE + h] = to_write
        st[S_ARBITER + A_AFTER + h] = after_write
        st[S_ARBITER + A_READ_FREE + h] = read_free
        st[S_ARBITER + A_WRITE_FREE + h] = write_free
    _step(st, int64(S_ARBITER), harts, h, needed, runs)
    waits = st[S_ARBITER + A_WAITING]
    first_read = st[S_ARBITER + A_FIRST + h]
    if runs != 0:
        st[S_VCU0 + h] = st[S_ARBITER + A_END + h]
    if waits != 0:
        _foresee(st, harts)
    if (waits >> h) & 1:
        first_read = NEVER if st[S_VCU0 + h] >= NEVER else st[A_COPY + A_FIRST + h]
    if runs == 0:
        for unit in range(A_UNITS):
            if (needed >> unit) & 1 and (st[S_ARBITER + A_WANTED + unit] >> h) & 1:
                st[S_WARNINGS] |= WARN_STALE_REQUEST
    return first_read, st[S_VCU0 + h]
