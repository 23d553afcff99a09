"""A vector instruction at its issue: checks, then time, then data.

Data is computed at once. No other agent can see the scratchpads earlier than the timing allows:
transfers wait for the vector unit of their hart, and the unit runs one instruction at a time.
Sources: microarchitecture.md sections 5 to 8.
"""

from __future__ import annotations

from gnomon.base.compiled import State, Words, inner, int64
from gnomon.sim import _layout as at
from gnomon.sim import _ops as op
from gnomon.sim._no_divide import divide_vector, narrow_division, scaled_products
from gnomon.sim._vcu_beats import PORT_FREE, PORT_SHARED, PORT_TAKEN, by_beat
from gnomon.sim._vcu_function import (
    element_word,
    is_product,
    is_reduction,
    reduce_beat,
    repeat_scalar,
    signed32,
)
from gnomon.sim._vcu_timing import bytes_per_beat, schedule, start_up, watch_carries

_M32 = 0xFFFFFFFF

TRAP_LENGTH = 0x100
TRAP_NOT_SPM = 0x101
TRAP_OVERRUN = 0x102
TRAP_SAME_SPM = 0x103


@inner
def scratchpad(cfg: State, address: int) -> int:
    """Number of the scratchpad at an address; -1 = none, traps; -2 = none, and not caught."""
    offset = (address - cfg[at.C_SPM_BASE]) & _M32
    spm = offset >> cfg[at.C_SPM_SHIFT]
    count = cfg[at.C_SPM_COUNT]
    outside = spm >= count
    if cfg[at.C_VCU_QUIRKS] & at.Q_SPM_FOUR:
        # The "not a scratchpad" code is fixed to 4, whatever the number of scratchpads.
        if not outside:
            return -1 if spm == 4 and count < 8 else spm
        return -2 if count < 4 or count == 8 else -1
    return -1 if outside else spm


@inner
def _fault(st: State, reason: int, address: int) -> int:
    st[at.S_FAULT] = reason
    st[at.S_FAULT_ADDRESS] = address & _M32
    return -1


@inner
def reads_scalar_in_spm(o: int) -> bool:
    """Instructions whose second operand is one word of a scratchpad."""
    return (
        o == op.KSVADDSC
        or o == op.KSVMULSC
        or o == op.KSVDIVSC
        or o == op.KSVREMSC
        or o == op.KSVMULPSSC
        or o == op.KSVDIVPSSC
    )


@inner
def reads_vector_b(o: int) -> bool:
    """Instructions with a second vector operand."""
    public = (
        o == op.KADDV
        or o == op.KSUBV
        or o == op.KVMUL
        or o == op.KDOTP
        or o == op.KDOTPPS
        or o == op.KVSLT
    )
    return public or o == op.KVDIV or o == op.KVREM or o == op.KVMULPS or o == op.KVDIVPS


@inner
def _word_loop(spm: Words, o: int, a: int, b: int, d: int, words: int, scalar: int) -> bool:
    """32-bit loops without branches inside; False if the instruction is not one of them."""
    if o == op.KADDV:
        for k in range(words):
            spm[d + k] = signed32(int64(spm[a + k]) + int64(spm[b + k]))
    elif o == op.KSUBV:
        for k in range(words):
            spm[d + k] = signed32(int64(spm[a + k]) - int64(spm[b + k]))
    elif o == op.KVMUL:
        for k in range(words):
            spm[d + k] = signed32(int64(spm[a + k]) * int64(spm[b + k]))
    elif o == op.KSVADDSC or o == op.KSVADDRF:
        for k in range(words):
            spm[d + k] = signed32(int64(spm[a + k]) + scalar)
    elif o == op.KSVMULSC or o == op.KSVMULRF:
        for k in range(words):
            spm[d + k] = signed32(int64(spm[a + k]) * scalar)
    elif o == op.KBCAST:
        for k in range(words):
            spm[d + k] = scalar
    elif o == op.KVCP:
        for k in range(words):
            spm[d + k] = spm[a + k]
    else:
        return False
    return True


@inner
def _elements(
    spm: Words, o: int, vt: int, a: int, b: int, d: int, words: int,
    scalar: int, shift: int, mask_shift: int, vector_b: bool,
) -> None:  # fmt: skip
    """Element-wise results of operands that do not overlap, where the order does not show."""
    if vt == 2 and _word_loop(spm, o, a, b, d, words, scalar):
        return
    for k in range(words):
        x = int64(spm[a + k]) if o != op.KBCAST else 0
        y = int64(spm[b + k]) if vector_b else scalar
        spm[d + k] = element_word(o, vt, x, y, shift, mask_shift)


@inner
def _reduce(
    spm: Words, temp: Words, o: int, vt: int, a: int, b: int, d: int, n: int,
    beat_bytes: int, delay: int, shift: int, mask_shift: int,
    hazard: bool, repeat_low_half: bool, held: bool,
) -> None:  # fmt: skip
    """Reductions: the result word is rewritten with the partial sum in every beat.

    ``held``: the first write had to wait. The accumulator adds in every cycle or is cleared, so it
    keeps what is still in the pipeline behind the adder: neither the first sum, which a register
    before the scratchpad kept and wrote, nor the second, nor that of a last beat whose lane mask
    came in the wait (RTL-Accumulator.vhd, fsm_ACCUM_STAGE; RTL-DSP_Unit.vhd, DSP_Exec_Unit).
    """
    total = 0
    beats = (n + beat_bytes - 1) // beat_bytes
    for k in range(beats):
        # Bytes with one lane: the odd beats find the word of the even ones on the ports.
        if hazard and k > delay and not (repeat_low_half and k & 1):
            spm[d] = temp[k - delay - 1]
        beat = reduce_beat(
            o, vt, spm, a, b, k * beat_bytes, beat_bytes, n, shift, mask_shift, repeat_low_half
        )
        if not (held and (k < 2 or k + 1 == beats == start_up(o))):
            total = signed32(total + beat)
        if hazard:
            temp[k] = total
    spm[d] = total


@inner
def divides(o: int) -> bool:
    """Vector divisions and remainders; the other extension instructions multiply."""
    return o >= op.KVDIV and not op.KVMULPS <= o <= op.KSVMULPSRF


@inner
def _book(vstat: State, h: int, o: int, vt: int, beats: int, n: int, busy: int) -> None:
    vstat[h, o, at.V_ISSUED] += 1
    vstat[h, o, at.V_NARROW] += vt != 2
    vstat[h, o, at.V_BEATS] += beats
    vstat[h, o, at.V_BYTES] += n
    vstat[h, o, at.V_BUSY] += busy


@inner
def vector_issue(
    cfg: State, st: State, hs: State, vstat: State, laws: State, spm: Words, temp: Words,
    h: int, o: int, rd: int, rs1: int, rs2: int, cycle: int,
) -> int:  # fmt: skip
    """Execute a vector instruction whose unit is idle.

    Returns:
        0, a trap cause, or -1 with the fault in ``st``. After a trap the unit stays idle.
    """
    n = hs[h, at.H_MVSIZE]
    if n == 0:
        return 0
    vt = hs[h, at.H_MVTYPE]
    if vt == 3:
        return _fault(st, int64(at.FAULT_MVTYPE), int64(3))
    if (vt == 2 and n & 3) or (vt == 1 and n & 1):
        return TRAP_LENGTH
    vector_a = o != op.KBCAST
    vector_b = reads_vector_b(o)
    scalar_spm = reads_scalar_in_spm(o)
    spm_a = scratchpad(cfg, rs1) if vector_a else 0
    spm_b = scratchpad(cfg, rs2) if vector_b or scalar_spm else 0
    spm_d = scratchpad(cfg, rd)
    if spm_a == -1 or (vector_b and spm_b == -1) or spm_d == -1:
        return TRAP_NOT_SPM
    if spm_a < 0 or spm_b < 0 or spm_d < 0:
        address = rs1 if spm_a < 0 else (rs2 if spm_b < 0 else rd)
        return _fault(st, int64(at.FAULT_SPM), address)
    if vector_b and spm_a == spm_b:
        return TRAP_SAME_SPM
    size = cfg[at.C_SPM_SIZE]
    at_a = (rs1 - cfg[at.C_SPM_BASE]) & (size - 1) if vector_a else 0
    at_b = (rs2 - cfg[at.C_SPM_BASE]) & (size - 1) if vector_b or scalar_spm else 0
    at_d = (rd - cfg[at.C_SPM_BASE]) & (size - 1)
    reduction = is_reduction(o)
    if (vector_a and at_a + n > size) or (vector_b and at_b + n > size):
        return TRAP_OVERRUN
    if not reduction and at_d + n > size:
        return TRAP_OVERRUN
    if (at_a | at_b | at_d) & 3:
        address = rs1 if at_a & 3 else (rs2 if at_b & 3 else rd)
        return _fault(st, int64(at.FAULT_SPM_ALIGN), address)

    shared = cfg[at.C_SHARING] == 0
    unit = 0 if shared else h
    beat_bytes = bytes_per_beat(cfg, o, vt)
    beats = (n + beat_bytes - 1) // beat_bytes
    sources = 0
    if vector_a:
        sources |= 1 << spm_a
    if vector_b or scalar_spm:
        sources |= 1 << spm_b
    product = is_product(o)
    quirks = cfg[at.C_VCU_QUIRKS]
    if shared and h != 0 and product and quirks & at.Q_HART0_WIDTH:
        # The first beat takes the element width of hart 0.
        if vt == 0 and hs[0, at.H_MVTYPE] != 0 and n > 2 * cfg[at.C_SIMD]:
            st[at.S_VCU0] = at.NEVER
            _book(vstat, h, o, vt, beats, n, int64(0))
            return 0
        if vt != 0 and hs[0, at.H_MVTYPE] == 0:
            st[at.S_WARNINGS] |= at.WARN_MVTYPE_MIX

    words = (n + 3) >> 2
    words_each = size >> 2
    base = unit * cfg[at.C_SPM_COUNT]
    a = (base + spm_a) * words_each + (at_a >> 2)
    b = (base + spm_b) * words_each + (at_b >> 2)
    d = (base + spm_d) * words_each + (at_d >> 2)
    if (
        o >= op.KVDIV
        and vt != 2
        and not (o <= op.KSVREMRF and cfg[at.C_MORPH_QUIRKS] & at.Q_DIVIDE_NARROW)
    ):
        return _fault(st, int64(at.FAULT_NARROW), vt)
    scalar = 0
    if scalar_spm:
        scalar = repeat_scalar(int64(spm[b]), vt)
    elif o == op.KBCAST:
        scalar = repeat_scalar(rs1, vt)
    elif not vector_b:
        scalar = repeat_scalar(rs2, vt)
    shift = hs[h, at.H_MPSCLFAC] if o == op.KDOTPPS or o >= op.KVDIV else rs2 & 31
    if divides(o):
        if vt == 2:
            busy, to_write = divide_vector(
                cfg, laws, spm, temp, o, a, b, d, words, scalar, shift, vector_b
            )
        else:
            busy, to_write = narrow_division(cfg, spm, d, words)
        _, _, last = schedule(
            cfg, st, o, unit, cycle, to_write, busy - to_write - 1, sources, spm_d
        )
        _book(vstat, h, o, vt, beats, n, last - cycle + 1)
        return 0
    first_read, first_write, last = schedule(
        cfg, st, o, unit, cycle, start_up(o), beats - 1, sources, spm_d
    )
    delay = first_write - first_read
    if cfg[at.C_SHARING] == 2:
        watch_carries(st, o, h, cycle, first_read, first_write, last)
    _book(vstat, h, o, vt, beats, n, last - cycle + 1 if last < at.NEVER else 0)
    mask_shift = shift % (16 if vt == 1 else 8)
    if cfg[at.C_SHARING] == 2 and h != 0 and quirks & at.Q_LANE_MASK:
        mask_shift = 0
    one_lane_bytes = (
        vt == 0 and product and cfg[at.C_SIMD] == 1 and (quirks & at.Q_SIMD1_BYTES) != 0
    )
    public_scalar = scalar_spm and o < op.KVDIV
    rereads = public_scalar and quirks & at.Q_SCALAR_REREAD != 0
    over_b = spm_d == spm_b and (vector_b or rereads)
    if reduction:
        hazard = (spm_d == spm_a and a <= d < a + words) or (over_b and b <= d < b + words)
        held = delay > start_up(o) and beats > 1 and quirks & at.Q_HELD_SUM != 0
        if held:
            st[at.S_WARNINGS] |= at.WARN_HELD_SUM
        _reduce(
            spm, temp, o, vt, a, b, d, n, beat_bytes, delay, shift, mask_shift,
            hazard, one_lane_bytes, held,
        )  # fmt: skip
        return 0
    hazard = vector_a and spm_d == spm_a and a != d and abs(a - d) < words
    if vector_b:
        hazard |= over_b and b != d and abs(b - d) < words
    else:
        hazard |= over_b and d <= b < d + words
    if o >= op.KVDIV:
        per_beat = max(beat_bytes >> 2, 1)
        post = shift if cfg[at.C_POSTSCALE] < 0 else cfg[at.C_POSTSCALE]
        scaled_products(
            cfg, spm, temp, a, b, d, words, per_beat, delay, scalar, post, vector_b, hazard
        )
        return 0
    port = PORT_FREE
    if public_scalar and spm_b == spm_a and quirks & at.Q_SCALAR_BESIDE:
        port = PORT_SHARED if first_read == cycle else PORT_TAKEN
        st[at.S_WARNINGS] |= at.WARN_SCALAR_BESIDE
    # One lane of byte products takes two beats per word, each for half of it.
    half_words = beat_bytes < 4 and not one_lane_bytes
    if half_words:
        delay //= 2
        beat_bytes = int64(4)
    beyond = int64(spm[d + words - 1])
    if hazard or port != PORT_FREE or one_lane_bytes:
        clears = vt == 0 and product and beat_bytes >= 4 and quirks & at.Q_CLEAR_AHEAD != 0
        by_beat(
            spm, temp, o, vt, a, b, d, n, cfg[at.C_SIMD], beat_bytes, delay, scalar, shift,
            mask_shift, vector_b, rereads, port, (base + spm_a) * words_each, words_each,
            one_lane_bytes, clears and not half_words,
        )  # fmt: skip
    else:
        _elements(spm, o, vt, a, b, d, words, scalar, shift, mask_shift, vector_b)
    if half_words and 0 < n & 3 <= 2:
        # No beat reaches the upper half of the last word.
        spm[d + words - 1] = (int64(spm[d + words - 1]) & 0xFFFF) | (beyond & ~0xFFFF)
    return 0
