"""Whole vector divisions against the measured ones of the Morph vector unit."""

from __future__ import annotations

from collections import Counter
from itertools import groupby

import pytest

from gnomon.arch.dividers import Divider, Lane
from gnomon.base.errors import GnomonError
from tests.dividers._reference import rows_of

STD, AS_RISCV = Divider.named("klessydra_vl_std"), Lane(zero_as_riscv=True)
ROWS = [row for row in rows_of("vdiv_latency.csv.xz") if int(row["n_elements"]) > int(row["simd"])]


def steps_of(row: dict[str, str]) -> int:
    """Sum of the steps of all lanes; the file rounds their mean to 0.001, of at most 64."""
    return round(float(row["mean_lane_iterations"]) * int(row["n_elements"]))


def test_one_lane_is_determined_by_its_mean() -> None:
    """With one lane every element is its own step: 4 cycles and its iterations, or 2 if trivial."""
    residuals: Counter[int] = Counter()
    trivial_rows = 0
    for row in (row for row in ROWS if row["simd"] == "1"):
        elements = int(row["n_elements"])
        residual = 2 + 4 * elements + steps_of(row) - int(row["measured_busy_cycles"])
        if row["operand_distribution"] in ("with_zeros", "loguniform"):
            # How many elements had a zero operand was not kept; each takes 2 instead of 4.
            assert residual % 2 == 0
            assert 0 <= residual <= 2 * elements
            trivial_rows += residual > 0
        else:
            residuals[residual] += 1
    assert residuals == {0: 257}
    assert trivial_rows == 66


def test_lanes_in_lockstep_stay_between_what_their_statistics_allow() -> None:
    """Where the two bounds meet, the law is determined and the measured time is it."""
    determined = bounded = 0
    for row in ROWS:
        simd, steps = int(row["simd"]), int(row["n_chunks"])
        if simd == 1:
            continue
        most = int(row["max_lane_iterations"])
        excess = int(row["excess_cycles_from_stale_tail_lanes"])
        measured = int(row["measured_busy_cycles"]) - excess
        at_least = -(-steps_of(row) // simd)
        if row["operand_distribution"] in ("with_zeros", "loguniform"):
            low = 2 + 2 * steps + at_least  # which steps are trivial was not kept
        else:  # no lane divides zero, so every step takes at least one iteration
            low = 2 + 4 * steps + max(most + steps - 1, at_least)
        high = 2 + (4 + most) * steps
        assert low <= measured <= high
        determined += low == high
        bounded += low < high
    assert (determined, bounded) == (117, 707)


def test_a_vector_that_fits_the_lanes_shows_the_defect_of_the_public_unit() -> None:
    """Its operands are lost: it takes no iteration, and 2 cycles less if all are trivial."""
    short = [row for row in rows_of("vdiv_latency.csv.xz") if row not in ROWS]
    for row in short:
        lanes = (row["max_lane_iterations"], row["excess_cycles_from_stale_tail_lanes"])
        divides = any(int(count) for count in lanes)
        cycles = STD.START_UP_CYCLES + STD.step_cycles(2 * divides)
        assert cycles == int(row["measured_busy_cycles"])
    assert Counter(row["measured_busy_cycles"] for row in short) == {"6": 265, "4": 10}


def test_narrow_elements_of_the_public_unit_take_trivial_steps() -> None:
    rows = [row for row in rows_of("vdiv_semantics.csv.xz") if row["case"] == "subword"]
    for row in rows:
        steps = -(-int(row["n_words"]) // int(row["simd"]))
        assert STD.START_UP_CYCLES + steps * STD.TRIVIAL_STEP_CYCLES == int(
            row["instr_busy_cycles"]
        )
        assert row["rtl_result"] == "0"
    assert len(rows) == 272


def _measured_instructions() -> list[tuple[str, int, int, list[dict[str, str]]]]:
    rows = [row for row in rows_of("vdiv_semantics.csv.xz") if row["case"] == "multi_chunk"]

    def instruction(row: dict[str, str]) -> tuple[str, ...]:
        scalar = row["rs2_element_or_scalar"] if row["op"].startswith("ks") else ""
        return (row["op"], row["simd"], row["instr_busy_cycles"], scalar)

    found = []
    for (op, simd, busy, _), group in groupby(rows, instruction):
        found.append((op, int(simd), int(busy), list(group)))
    return found


def test_time_of_instructions_whose_operands_were_kept() -> None:
    exact = 0
    for _, simd, busy, rows in _measured_instructions():
        dividends = [int(row["rs1_element"]) for row in rows]
        divisors = [int(row["rs2_element_or_scalar"]) for row in rows]
        cycles = STD.vector_cycles(dividends, divisors, simd=simd)
        if len(rows) % simd == 0:
            assert cycles == busy
            exact += 1
        else:  # the public unit lets the lanes beyond the end take part, with unknown words
            assert cycles <= busy <= cycles + 31
    assert exact == 28


def test_values_of_the_public_unit() -> None:
    compared: Counter[bool] = Counter()
    for op, _, _, rows in _measured_instructions():
        name = "quotient" if "div" in op else "remainder"
        public, meant = (getattr(lane, name) for lane in (Lane(drops_signs=True), AS_RISCV))
        for row in rows:
            a, b = int(row["rs1_element"]), int(row["rs2_element_or_scalar"])
            assert public(a, b) == int(row["rtl_result"]), row
            intended = meant(a, b)
            assert intended == int(row["riscv_signed_reference"]), row
            compared[intended == int(row["rtl_result"])] += 1
    assert compared.total() == 1232
    assert compared[False] > 400


def test_each_step_waits_for_its_slowest_lane() -> None:
    fixed = Divider.named("restoring_r2")
    # Two lanes: (1, 1) takes one iteration, (7, 1) three; a zero takes part in neither.
    assert STD.vector_cycles([7, 1, 1, 1], [1, 1, 1, 1], simd=2) == 2 + (4 + 3) + (4 + 1)
    assert STD.vector_cycles([1, 7, 1, 1], [1, 1, 1, 1], simd=2) == 2 + (4 + 3) + (4 + 1)
    assert STD.vector_cycles([0, 1, 0, 5], [1, 1, 3, 0], simd=2) == 2 + (4 + 1) + 2
    assert STD.vector_cycles([7, 1, 1], [1, 1, 1], simd=4) == 2 + (4 + 3)
    assert fixed.vector_cycles([7, 1, 1], [1, 1, 1], simd=2) == 2 + 2 * 35
    assert fixed.vector_cycles([7], [1], simd=2, pre_shift=15) == 2 + 2 + 48
    assert STD.vector_cycles([], [], simd=2) == 0


def test_what_cannot_be_priced() -> None:
    with pytest.raises(GnomonError) as error:
        STD.vector_cycles([1, 2], [1], simd=1)
    assert str(error.value) == "2 dividends and 1 divisors: must be equally many"
    with pytest.raises(GnomonError) as error:
        Divider.named("fixed_10").vector_cycles([1], [1], simd=1, pre_shift=15)
    assert str(error.value) == "fixed_10: its cycles are unavailable for shifted dividends"
