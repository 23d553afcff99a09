"""Bench of ``vector_divider``: every element, and the busy cycles of every vector division.

Arguments: ``kind``, ``lanes``, ``zero_as_riscv``, ``vectors`` (how many divisions), ``judge``
(false: report differences in the outcome, do not fail).
"""

from random import Random
from typing import Any

import cocotb
from cocotb.triggers import FallingEdge, RisingEdge, with_timeout
from cocotb.utils import get_sim_time

from gnomon.arch.dividers import Divider, Lane
from rtl_tests.benches.channel import PERIOD_NS, Scoreboard, arguments, seed, start
from rtl_tests.benches.division import corners, random_pairs, to_signed

WIDTH = 32
MASK = (1 << WIDTH) - 1


@cocotb.test()
async def every_element_is_right_and_the_unit_is_busy_by_the_law(dut: Any) -> None:
    """Check vectors of 1 to 4 rows and a part, with zeros, corners and rows without divisions."""
    told = arguments()
    board, elements = Scoreboard(), [0]
    await start(dut, "start_valid", "wants_remainder", "elements", "dividends", "divisors")
    try:
        most_ns = 5 * 50 * 2 * PERIOD_NS * told["vectors"]
        await with_timeout(_divide_all(dut, told, board, elements), most_ns, "ns")
    finally:
        board.close(
            judge=told.get("judge", True),
            kind=told["kind"],
            lanes=told["lanes"],
            elements=sum(elements),
        )


async def _divide_all(
    dut: Any, told: dict[str, Any], board: Scoreboard, elements: list[int]
) -> None:
    rng, lanes = Random(seed()), told["lanes"]
    lane = Lane(zero_as_riscv=bool(told["zero_as_riscv"]))
    for _ in range(told["vectors"]):
        count = rng.randint(1, 4 * lanes + 1)
        dividends, divisors = _vectors(rng, count)
        wants_remainder = rng.random() < 0.5
        results, cycles = await _divide(
            dut, rng, lanes, wants_remainder=wants_remainder, dividends=dividends, divisors=divisors
        )
        rule = lane.remainder if wants_remainder else lane.quotient
        expected = [rule(a, d) for a, d in zip(dividends, divisors, strict=True)]
        law = Divider.named(told["kind"]).vector_cycles(dividends, divisors, simd=lanes)
        elements.append(count)
        board.take(
            f"{'rem' if wants_remainder else 'div'} {dividends} {divisors}",
            (results, cycles),
            (expected, law),
            sum(a != b for a, b in zip(results, expected, strict=True)),
        )


def _vectors(rng: Random, count: int) -> tuple[list[int], list[int]]:
    pairs = list(random_pairs(WIDTH, count, rng.getrandbits(32)))
    zeros = rng.choice((0, 0, 0.2, 1))  # often none, sometimes whole rows without divisions
    dividends, divisors = [], []
    for _, a, d in pairs:
        if rng.random() < 0.2:
            a, d = rng.choice(corners(WIDTH)), rng.choice(corners(WIDTH))  # noqa: PLW2901
        if rng.random() < zeros:
            a, d = rng.choice(((0, d), (a, 0), (0, 0)))  # noqa: PLW2901
        dividends.append(to_signed(a, WIDTH))
        divisors.append(to_signed(d, WIDTH))
    return dividends, divisors


async def _divide(
    dut: Any,
    rng: Random,
    lanes: int,
    *,
    wants_remainder: bool,
    dividends: list[int],
    divisors: list[int],
) -> tuple[list[int], int]:
    """Run one division, with this bench as its memory; return results and busy cycles."""
    count = len(dividends)
    rows = -(-count // lanes)

    def show(row: int | None) -> None:
        # Past the end, and without a read, the memory output is arbitrary.
        for signal, vector in ((dut.dividends, dividends), (dut.divisors, divisors)):
            word = 0
            for lane in range(lanes):
                element = None if row is None else row * lanes + lane
                held = element is not None and element < count
                value = vector[element] if held else rng.getrandbits(WIDTH)
                word |= (value & MASK) << lane * WIDTH
            signal.value = word

    dut.write_ready.value = 1
    dut.start_valid.value = 1
    dut.wants_remainder.value = wants_remainder
    dut.elements.value = count
    shown_ns = get_sim_time("ns")
    await RisingEdge(dut.read_valid)
    dut.start_valid.value = 0
    dut.wants_remainder.value = not wants_remainder
    await FallingEdge(dut.clk)
    assert dut.read_row.value.to_unsigned() == 0
    await RisingEdge(dut.clk)
    show(0)
    results: list[int] = []
    for row in range(rows):
        await RisingEdge(dut.clk)
        show(None)
        if not dut.write_valid.value:
            await RisingEdge(dut.write_valid)
        await FallingEdge(dut.clk)
        assert dut.busy.value
        assert not dut.start_ready.value
        assert dut.write_row.value.to_unsigned() == row
        held = min(lanes, count - row * lanes)
        assert int(dut.write_lanes.value) == (1 << held) - 1
        word = dut.results.value.to_unsigned()
        results += [to_signed(word >> lane * WIDTH & MASK, WIDTH) for lane in range(held)]
        assert bool(dut.read_valid.value) == (row + 1 < rows)
        if row + 1 < rows:
            assert dut.read_row.value.to_unsigned() == row + 1
        await RisingEdge(dut.clk)
        if row + 1 < rows:
            show(row + 1)
    cycles = round((get_sim_time("ns") - shown_ns) / PERIOD_NS)
    await FallingEdge(dut.clk)
    assert not dut.busy.value
    assert dut.start_ready.value
    await RisingEdge(dut.clk)
    return results, cycles
