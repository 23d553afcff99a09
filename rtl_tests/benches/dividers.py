"""Bench of ``divider``: values, cycles of every division, and the handshake cycle by cycle.

Arguments: ``kind``, ``width``, ``random`` (how many random divisions), ``every`` (all pairs of
words instead), ``judge`` (false: report differences in the outcome, do not fail).
"""

from random import Random
from typing import Any

import cocotb
from cocotb.triggers import FallingEdge, RisingEdge, Timer, with_timeout
from cocotb.utils import get_sim_time

from rtl_tests.benches import division
from rtl_tests.benches.channel import PERIOD_NS, Scoreboard, arguments, seed, start
from rtl_tests.benches.division import Pair

HANDSHAKES = 150
MOST_CYCLES = 3  # timeout of a bench, as a multiple of the longest latency


async def _start(dut: Any) -> None:
    dut.done_ready.value = 1
    await start(dut, "start_valid", "is_signed", "dividend", "divisor")


@cocotb.test()
async def every_division_is_right_and_on_time(dut: Any) -> None:
    """Check all pairs of corner values and random pairs, or all possible pairs."""
    told = arguments()
    kind, width = told["kind"], told["width"]
    if told.get("every"):
        pairs = list(division.all_pairs(range(1 << width)))
    else:
        pairs = list(division.all_pairs(division.corners(width)))
        pairs += division.random_pairs(width, told["random"], seed())
    board, times = Scoreboard(), []
    await _start(dut)
    most_ns = MOST_CYCLES * (width + 4) * len(pairs) * PERIOD_NS
    try:
        await with_timeout(_divide(dut, kind, pairs, board, times), most_ns, "ns")
    finally:
        board.close(
            judge=told.get("judge", True),
            kind=kind,
            width=width,
            longest_cycles=max(times, default=0),
            length_pairs=len({(a.bit_length(), d.bit_length()) for _, a, d in pairs[: len(times)]}),
        )


async def _divide(
    dut: Any, kind: str, pairs: list[Pair], board: Scoreboard, times: list[int]
) -> None:
    edge, done = RisingEdge(dut.clk), RisingEdge(dut.done_valid)
    last_sign, width = None, len(dut.dividend)
    for pair in pairs:
        if pair[0] != last_sign:
            dut.is_signed.value = last_sign = pair[0]
        dut.dividend.value = pair[1]
        dut.divisor.value = pair[2]
        dut.start_valid.value = 1
        shown_ns = get_sim_time("ns")
        await done
        cycles = round((get_sim_time("ns") - shown_ns) / PERIOD_NS)
        dut.start_valid.value = 0
        # The values of the cycle that shows the result, read at its end.
        await edge
        times.append(cycles)
        have = dut.quotient.value.to_unsigned(), dut.remainder.value.to_unsigned()
        want = division.expected_values(pair, width)
        board.take(
            f"{'signed' if pair[0] else 'unsigned'} {pair[1]:#x} / {pair[2]:#x}",
            (_shown(have), cycles),
            (_shown(want), division.expected_cycles(kind, pair, width)),
            int(have != want),
        )


def _shown(result: tuple[int, int]) -> str:
    return f"{result[0]:#x} rem {result[1]:#x}"


@cocotb.test()
async def the_handshake_holds_in_every_cycle(dut: Any) -> None:
    """Check random starts, late reads of results, and operands valid for one cycle only."""
    told = arguments()
    kind, width = told["kind"], told["width"]
    rng = Random(seed() + 1)
    pairs = list(division.random_pairs(width, HANDSHAKES, seed() + 1))
    await _start(dut)
    taken = cycle = 0
    done_at: int | None = None  # cycle that first shows the result of the running division
    running: Pair | None = None
    while taken < len(pairs):
        await FallingEdge(dut.clk)
        offered = rng.random() < 0.7 and taken + (running is not None) < len(pairs)
        pair = pairs[taken + (running is not None)] if offered else next(division.random_pairs(
            width, 1, rng.getrandbits(32)))  # fmt: skip
        ready = rng.random() < 0.6
        dut.start_valid.value = offered
        dut.is_signed.value, dut.dividend.value, dut.divisor.value = pair
        dut.done_ready.value = ready
        await Timer(PERIOD_NS / 4, "ns")
        shows = done_at is not None and cycle >= done_at
        free = running is None or (shows and ready)
        assert bool(dut.done_valid.value) == shows, f"cycle {cycle}: {running}"
        assert bool(dut.start_ready.value) == free, f"cycle {cycle}: {running}"
        if shows:
            assert running is not None
            shown = (dut.quotient.value.to_unsigned(), dut.remainder.value.to_unsigned())
            assert shown == division.expected_values(running, width), f"cycle {cycle}: {running}"
            if ready:
                taken, running, done_at = taken + 1, None, None
        if offered and free:
            running, done_at = pair, cycle + division.expected_cycles(kind, pair, width)
        cycle += 1
        assert cycle < 10 * (width + 4) * len(pairs), "no end"
