"""Vector division and post-scaled products at their issue: data-dependent time, then data.

Laws and results come from `gnomon.arch.dividers`; here they meet scratchpads, lanes and transfers.
A division takes one step per ``simd`` words and each step waits for its slowest lane. Steps do
not overlap, so a step reads what the steps before it have written.
Source: docs/notes/vector-divide.md. That a transfer in flight delays a division as it delays other
vector instructions is an inference.
"""

from __future__ import annotations

from numba.extending import register_jitable

from gnomon.arch.dividers import (
    COMPILABLE,
    START_UP_CYCLES,
    TRIVIAL_STEP_CYCLES,
    execute_cycles,
    lane_cycles,
    lane_quotient,
    lane_remainder,
    lost_step_cycles,
    post_scaled_product,
    pre_shifted_quotient,
    step_cycles,
)
from gnomon.base.compiled import State, Words, inner, int64
from gnomon.sim import _layout as at
from gnomon.sim._ops import KSVREMRF, KVDIVPS, KVREM

for _function in COMPILABLE:
    # They call each other as plain functions; this makes compiled code do the same.
    register_jitable(error_model="numpy", no_rewrites=True, no_cfunc_wrapper=True)(_function)


@inner
def scalar_divide_cycles(cfg: State, laws: State, x: int, y: int, signed: int) -> int:
    """Cycles of a scalar division in execute, by the law of the core's divider."""
    return execute_cycles(
        cfg[at.C_DIV_LAW],
        cfg[at.C_DIV_FIRST],
        cfg[at.C_DIV_SECOND],
        laws[0],
        int(x),
        int(y),
        signed,
    )


@inner
def _divided(cfg: State, o: int, x: int, y: int, shift: int) -> int:
    """The result of one lane."""
    if o >= KVDIVPS:
        return pre_shifted_quotient(x, y, int(shift))
    signs = 1 if cfg[at.C_MORPH_QUIRKS] & at.Q_DIVIDE_SIGNS else 0
    if KVREM <= o <= KSVREMRF:
        return lane_remainder(x, y, signs, cfg[at.C_DIVIDE_ZERO_RISCV])
    return lane_quotient(x, y, signs, cfg[at.C_DIVIDE_ZERO_RISCV])


@inner
def divide_vector(
    cfg: State, laws: State, spm: Words, temp: Words, o: int, a: int, b: int, d: int,
    words: int, scalar: int, shift: int, vector_b: bool,
) -> tuple[int, int]:  # fmt: skip
    """Divide ``words`` words and write them.

    Args:
        cfg: the machine.
        laws: latency tables of a user's own dividers; row 1 is the vector unit's.
        spm: scratchpad words.
        temp: room for one step.
        o: instruction number.
        a: index of the first dividend.
        b: index of the first divisor, or the scalar's.
        d: index of the first result.
        words: length of the vector.
        scalar: the divisor, if it is one for all.
        shift: left shift of the dividends (kvdivps only).
        vector_b: divisors are a vector.

    Returns:
        Busy cycles from the first read, and those until the first write.
    """
    lanes = cfg[at.C_SIMD]
    quirks = cfg[at.C_MORPH_QUIRKS] if o < KVDIVPS else 0  # the proposal has none
    lost = quirks & at.Q_DIVIDE_SHORT != 0 and words <= lanes
    tail = quirks & at.Q_DIVIDE_TAIL != 0
    if o < KVDIVPS:
        shift = 0
    cycles = int64(START_UP_CYCLES)
    first_write = int64(0)
    for first in range(0, words, lanes):
        slowest = int64(0)
        for k in range(first, first + lanes):
            inside = k < words
            if inside or (tail and a + k < len(spm) and b + k < len(spm)):
                # Plain integers where the compiler is off: NumPy's would warn where int64 wraps.
                x = int(int64(spm[a + k]))
                y = int(int64(spm[b + k])) if vector_b else int(scalar)
                slowest = max(
                    slowest,
                    lane_cycles(
                        cfg[at.C_VDIV_LAW],
                        cfg[at.C_VDIV_FIRST],
                        cfg[at.C_VDIV_SECOND],
                        laws[1],
                        x,
                        y,
                        int(shift),
                    ),
                )
                if inside:
                    temp[k - first] = 0 if lost else _divided(cfg, o, x, y, shift)
        for k in range(first, min(first + lanes, words)):
            spm[d + k] = temp[k - first]
        cycles += lost_step_cycles(slowest) if lost else step_cycles(slowest)
        if first == 0:
            first_write = cycles - 1
    return cycles, first_write


@inner
def narrow_division(cfg: State, spm: Words, d: int, words: int) -> tuple[int, int]:
    """8- and 16-bit division of the Morph RTL: zeros, in trivial steps."""
    for k in range(words):
        spm[d + k] = 0
    steps = (words + cfg[at.C_SIMD] - 1) // cfg[at.C_SIMD]
    return START_UP_CYCLES + TRIVIAL_STEP_CYCLES * steps, START_UP_CYCLES + TRIVIAL_STEP_CYCLES - 1


@inner
def scaled_products(
    cfg: State, spm: Words, temp: Words, a: int, b: int, d: int, words: int, per_beat: int,
    delay: int, scalar: int, shift: int, vector_b: bool, hazard: bool,
) -> None:  # fmt: skip
    """Post-scaled products, in the time of kvmul. Hazards as in the other instructions."""
    unsigned = 1 if cfg[at.C_MORPH_QUIRKS] & at.Q_POSTSCALE_UNSIGNED else 0
    written = 0
    for k in range(words):
        if hazard and k % per_beat == 0:
            visible = min((k // per_beat - delay) * per_beat, words)
            while written < visible:
                spm[d + written] = temp[written]
                written += 1
        y = int(int64(spm[b + k])) if vector_b else int(scalar)
        result = post_scaled_product(int(int64(spm[a + k])), y, int(shift), unsigned)
        if hazard:
            temp[k] = result
        else:
            spm[d + k] = result
    if hazard:
        for k in range(written, words):
            spm[d + k] = temp[k]
