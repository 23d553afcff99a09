"""``gnomon validate laws``: latency models of dividers, compared with measured divisions.

The published variant HP is compared with a model of its code, which has a defect.
"""

from collections.abc import Callable, Iterator, Mapping
from itertools import groupby
from typing import NamedTuple

from gnomon.arch.dividers import Divider, Lane
from gnomon.rtl.validate._measuring import DIVIDERS, measured_rows
from gnomon.rtl.validate._record import Criterion, Record, Tally

COMMAND = "gnomon validate laws"
TOOL = "klessydra/KPrim, Morph, T13x, ghdl 2.0.0"
"""Source of the measurements: ``tests/reference/vdiv/README.md``."""
_ENDLESS = "no_termination"
# The number of elements with a zero operand, which take 2 cycles instead of 4, is not recorded.
_WITH_ZEROS = ("with_zeros", "loguniform")


def check_laws() -> tuple[Record, ...]:
    """Compare every measured latency model; each division must have a residual of 0 cycles.

    Raises:
        GnomonError: if the measurements are missing (in a wheel).
    """
    return tuple(
        tally.record(quantity, "law", COMMAND, TOOL, criterion)
        for quantity, criterion, tally in _compare_all()
    )


def _compare_all() -> Iterator[tuple[str, Criterion, Tally]]:
    alone = measured_rows(DIVIDERS, "kprim_divider_latency.csv.xz")
    for variant in ("STD", "HF", "LS"):
        name = f"klessydra_vl_{variant.lower()}"
        law = Divider.named(name).engine_cycles
        yield f"law of {name}: cycles", "equal", _compare_engines(alone, variant, law)

    def published(dividend: int, divisor: int) -> object:
        result = published_high_performance(dividend, divisor)
        return _ENDLESS if result is None else result.engine_cycles

    yield "klessydra_vl_hp as published: cycles", "equal", _compare_engines(alone, "HP", published)
    for core, name in (("T13x", "restoring_r2"), ("Morph", "klessydra_vl_hf")):
        yield f"scalar divisions of {core}, {name}: cycles", "equal", _compare_scalar(core, name)
    yield "one lane, klessydra_vl_std: cycles", "equal", _compare_lanes()
    whole = measured_rows(DIVIDERS, "vdiv_latency.csv.xz")
    exact, bounded = _compare_vectors(whole)
    yield "vector division, what the record determines: busy cycles", "equal", exact
    yield "vector division, the rest of the record: busy cycles", "between bounds", bounded
    exact, bounded, values = _compare_instructions()
    yield "vector division, operands recorded: busy cycles", "equal", exact
    yield "vector division, part of the lanes idle: busy cycles", "between bounds", bounded
    yield "vector division of Morph: result words", "equal", values


def _compare_engines(
    rows: list[Mapping[str, str]], variant: str, cycles_of: Callable[[int, int], object]
) -> Tally:
    tally = Tally()
    for row in rows:
        if row["variant"].partition("(")[0] == variant:
            a, b = int(row["dividend_hex"], 16), int(row["divisor_hex"], 16)
            measured = {"cycles": row["cycles_enable_to_finished_measured"]}
            tally.row(f"{a:#x} / {b:#x}", measured, {"cycles": cycles_of(a, b)})
    return tally


def _compare_scalar(core: str, name: str) -> Tally:
    law, tally = Divider.named(name), Tally()
    for row in measured_rows(DIVIDERS, "scalar_div_latency.csv.xz"):
        if row["core"] == core:
            a, b = _signed(row["rs1_hex"]), _signed(row["rs2_hex"])
            cycles = law.execute_cycles(a, b, signed=row["op"] in ("div", "rem"))
            tally.number(f"{row['op']} {a}, {b}", cycles, int(row["ie_stage_cycles_measured"]))
    return tally


def _compare_lanes() -> Tally:
    law, tally = Divider.named("klessydra_vl_std"), Tally()
    for row in measured_rows(DIVIDERS, "vdiv_lane_latency.csv.xz"):
        a, b = _signed(row["dividend_hex"]), _signed(row["divisor_hex"])
        cycles = law.step_cycles(law.lane_cycles(a, b))
        tally.number(f"{a} / {b}", cycles, int(row["chunk_cycles_measured"]))
    return tally


def _compare_vectors(rows: list[Mapping[str, str]]) -> tuple[Tally, Tally]:
    """Compare vector divisions without recorded operands.

    The record has the sum and the maximum of the iterations, which give bounds. Divisions with
    equal bounds go into the first tally, the others into the second.
    """
    exact, bounded = Tally(), Tally()
    for row in rows:
        lanes, elements, steps = (int(row[key]) for key in ("simd", "n_elements", "n_chunks"))
        most = int(row["max_lane_iterations"])
        excess = int(row["excess_cycles_from_stale_tail_lanes"])
        measured = int(row["measured_busy_cycles"])
        where = f"{row['op']}, {lanes} lanes, {elements} elements, {row['operand_distribution']}"
        if elements <= lanes:  # the public unit ignores these operands
            cycles = Divider.START_UP_CYCLES + Divider.step_cycles(2 * bool(most or excess))
            exact.number(where, cycles, measured)
            continue
        # The file rounds the mean of at most 64 elements to 0.001.
        together = round(float(row["mean_lane_iterations"]) * elements)
        low, high = _bounds(lanes, steps, most, together)
        if row["operand_distribution"] in _WITH_ZEROS:
            low = Divider.START_UP_CYCLES + Divider.TRIVIAL_STEP_CYCLES * steps
            low += -(-together // lanes)
        tally = exact if low == high else bounded
        tally.between(where, low, measured - excess, high)
    return exact, bounded


def _bounds(lanes: int, steps: int, most: int, together: int) -> tuple[int, int]:
    """Return the least and most cycles if no lane has a zero operand."""
    start = Divider.START_UP_CYCLES + Divider.step_cycles(2) * steps
    if lanes == 1:
        return start + together, start + together
    # Every step takes as many iterations as its slowest lane, and at least one.
    return start + max(most + steps - 1, -(-together // lanes)), start + most * steps


def _compare_instructions() -> tuple[Tally, Tally, Tally]:
    """Compare divisions with recorded operands: cycles, cycles with idle lanes, and values."""
    law, public = Divider.named("klessydra_vl_std"), Lane(drops_signs=True)
    exact, bounded, values = Tally(), Tally(), Tally()
    rows = [
        row
        for row in measured_rows(DIVIDERS, "vdiv_semantics.csv.xz")
        if row["case"] == "multi_chunk"
    ]

    def instruction(row: Mapping[str, str]) -> tuple[str, ...]:
        scalar = row["rs2_element_or_scalar"] if row["op"].startswith("ks") else ""
        return (row["op"], row["simd"], row["instr_busy_cycles"], scalar)

    for (op, simd, busy, _), group in groupby(rows, instruction):
        pairs = []
        compute = public.quotient if "div" in op else public.remainder
        for row in group:
            a, b = int(row["rs1_element"]), int(row["rs2_element_or_scalar"])
            pairs.append((a, b))
            values.row(f"{op} {a}, {b}", row, {"rtl_result": compute(a, b)})
        dividends, divisors = zip(*pairs, strict=True)
        cycles = law.vector_cycles(dividends, divisors, simd=int(simd))
        where = f"{op}, {simd} lanes, {len(pairs)} elements"
        if len(pairs) % int(simd) == 0:
            exact.number(where, cycles, int(busy))
        else:  # lanes beyond the end divide unknown words, which take up to 31 iterations
            bounded.between(where, cycles, int(busy), cycles + 31)
    return exact, bounded, values


def _signed(hexadecimal: str) -> int:
    return (int(hexadecimal, 16) ^ 0x80000000) - 0x80000000


# Variant HP of the group's divider as published, with its defect: if the computed shift is 0 and
# the first compare fails, it produces two quotient bits and counts one. No machine can choose it;
# it is modeled because its timing was measured: klessydra/KPrim 4d696737.
_LIMIT = 128  # steps after which the counter never equals 32
_M31 = 2**31 - 1
_M32 = 2**32 - 1
_M64 = 2**64 - 1


class PublishedDivision(NamedTuple):
    """Result of the published code for one pair of operands."""

    engine_cycles: int
    quotient: int
    remainder: int


def published_high_performance(dividend: int, divisor: int) -> PublishedDivision | None:
    """Divide two unsigned 32-bit words as the published code; None if it never terminates."""
    register = dividend
    divisor_zeros = min(32 - divisor.bit_length(), 31)
    count = 0
    for step in range(1, _LIMIT):
        skip = min(64 - register.bit_length(), 63) - divisor_zeros - 1
        limited = skip > max(31 - count, 0)
        amount = min(max(skip, 0), max(31 - count, 0))
        shifted = register << (amount + 1) & _M64
        difference = (shifted >> 32) - divisor
        if difference >= 0:
            register = difference << 32 | shifted & _M32 | 1
        elif limited:
            register = shifted
        else:
            next_difference = (shifted >> 31 & _M32) - divisor
            register = (next_difference & _M32) << 32 | (shifted & _M31) << 1 | 1
        # The defect: without a skip the second bit of a failed compare is not counted.
        count += 1 if skip <= 0 else skip + (2 if difference < 0 else 1)
        if limited or count == 32:
            return PublishedDivision(2 + step, register & _M32, register >> 32)
    return None
