"""The laws against measured dividers, with no tolerance, and against each other."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gnomon.arch.dividers import Divider
from gnomon.arch.dividers.section import DividerTable
from tests.dividers._reference import rows_of, signed
from tests.rows import light_and_heavy

UNSIGNED = st.integers(0, 32).flatmap(lambda bits: st.integers(0, 2**bits - 1))
REPEATABLE = settings(derandomize=True, deadline=None)


def engine(name: str, dividend: int, divisor: int, width: int = 32) -> int:
    return Divider.named(name).engine_cycles(dividend, divisor, width)


# ---- measured ----


@pytest.mark.parametrize("variant", ["STD", "HF", "LS"])
def test_stand_alone_dividers_of_the_group(variant: str) -> None:
    name = f"klessydra_vl_{variant.lower()}"
    rows = [row for row in rows_of("kprim_divider_latency.csv.xz") if row["variant"][:3] in (
        variant, f"{variant}(")]  # fmt: skip
    residuals = Counter(
        engine(name, int(row["dividend_hex"], 16), int(row["divisor_hex"], 16))
        - int(row["cycles_enable_to_finished_measured"])
        for row in rows
    )
    assert residuals == {0: 3669}


def test_hp_as_intended_is_never_slower_than_std() -> None:
    pairs = {(row["dividend_hex"], row["divisor_hex"]) for row in rows_of(
        "kprim_divider_latency.csv.xz")}  # fmt: skip
    faster = 0
    for dividend, divisor in pairs:
        a, d = int(dividend, 16), int(divisor, 16)
        gain = engine("klessydra_vl_std", a, d) - engine("klessydra_vl_hp", a, d)
        assert gain >= 0
        faster += gain > 0
    assert faster > len(pairs) // 5


@pytest.mark.parametrize(("core", "name"), [("T13x", "restoring_r2"), ("Morph", "klessydra_vl_hf")])
def test_scalar_divisions(core: str, name: str) -> None:
    law = Divider.named(name)
    rows = [row for row in rows_of("scalar_div_latency.csv.xz") if row["core"] == core]
    residuals = Counter(
        law.execute_cycles(
            signed(row["rs1_hex"]), signed(row["rs2_hex"]), signed=row["op"] in ("div", "rem")
        )
        - int(row["ie_stage_cycles_measured"])
        for row in rows
    )  # fmt: skip
    assert residuals == {0: 1232}


def test_single_lanes_of_the_vector_unit() -> None:
    law = Divider.named("klessydra_vl_std")
    residuals = Counter(
        law.step_cycles(law.lane_cycles(signed(row["dividend_hex"]), signed(row["divisor_hex"])))
        - int(row["chunk_cycles_measured"])
        for row in rows_of("vdiv_lane_latency.csv.xz")
    )  # fmt: skip
    assert residuals == {0: 3283}


# ---- means of random operands, computed elsewhere with other seeds ----

PAIRS = 20_000
COLUMN = {
    "restoring_r2": "fixed_radix2_restoring",
    "restoring_r4": "fixed_radix4",
    "early_clz_r2": "early_term_radix2_clz_diff",
    "early_clz_r4": "early_term_radix4_clz_diff",
    "klessydra_vl_std": "VL_STD",
    "klessydra_vl_hp": "VL_HP_intended",
    "klessydra_vl_hf": "VL_HF",
    "klessydra_vl_ls": "VL_LS_shift0to7",
}


def _operands(kind: str) -> tuple[list[int], list[int]]:
    rng = np.random.default_rng(20260101)

    def uniform(least: int, most: int) -> list[int]:
        return rng.integers(least, most, PAIRS, dtype=np.int64, endpoint=True).tolist()

    def log_uniform() -> list[int]:
        bits = rng.integers(1, 32, PAIRS, endpoint=True)
        return (2 ** (bits - 1) + rng.integers(0, 2 ** (bits - 1))).tolist()

    if kind == "uniform 32-bit / uniform 32-bit":
        return uniform(1, 2**32 - 1), uniform(1, 2**32 - 1)
    if kind == "uniform 31-bit / uniform 16-bit":
        return uniform(1, 2**31 - 1), uniform(1, 2**16 - 1)
    if kind == "log-uniform (1..32 bits) / log-uniform":
        return log_uniform(), log_uniform()
    if kind == "uniform 31-bit / 1..15":
        return uniform(1, 2**31 - 1), uniform(1, 15)
    if kind.startswith("fixed point"):
        return [x << 11 for x in uniform(1, 2**19 - 1)], uniform(2**15, 2**19 - 1)
    assert kind == "dividend < divisor"
    divisors = uniform(2, 2**32 - 1)
    return [int(rng.integers(1, d)) for d in divisors], divisors


@pytest.mark.parametrize("name", light_and_heavy("rtl", 3, COLUMN))
def test_means_over_random_operands(name: str) -> None:
    law = Divider.named(name)
    for row in rows_of("divider_mean_latency.csv"):
        dividends, divisors = _operands(row["operand_distribution"])
        samples = np.array([
            law.engine_cycles(dividend, divisor)
            for dividend, divisor in zip(dividends, divisors, strict=True)
        ])  # fmt: skip
        published = float(row[COLUMN[name]])
        # Both means are of 20,000 samples, the published one rounded to 0.01.
        margin = 5 * samples.std() * (2 / PAIRS) ** 0.5 + 0.006
        assert samples.mean() == pytest.approx(published, abs=margin), row["operand_distribution"]


# ---- properties ----


@REPEATABLE
@given(st.sampled_from(list(Divider.by_name().values())), UNSIGNED, UNSIGNED)
def test_latencies_stay_in_the_stated_range(law: Divider, dividend: int, divisor: int) -> None:
    table = DividerTable(by="quotient-bits", cycles=tuple(range(1, 34)))
    cycles = law.with_table(table.lookup()).engine_cycles(dividend, divisor)
    assert law.least_cycles <= cycles <= law.most_cycles


# Operands that take the least and the most cycles, where that depends on them.
EXTREMES = {
    "early_clz_r2": ((1, 2), (2**32 - 1, 1)),
    "early_clz_r4": ((1, 2), (2**32 - 1, 1)),
    "early_divisor_only": ((1, 2**31), (1, 0)),
    "klessydra_vl_std": ((1, 2), (2**32 - 1, 1)),
    "klessydra_vl_hf": ((1, 2), (2**32 - 1, 1)),
    "klessydra_vl_ls": ((0x01010101, 1), (2**32 - 1, 1)),
    "klessydra_vl_hp": ((1, 1), (2**32 - 1, 1)),
}


def test_the_stated_range_is_reached() -> None:
    varying = {n for n, law in Divider.by_name().items() if law.least_cycles < law.most_cycles}
    assert varying - {"table"} == set(EXTREMES)
    for name, (quick, slow) in EXTREMES.items():
        law = Divider.named(name)
        assert engine(name, *quick) == law.least_cycles, name
        assert engine(name, *slow) == law.most_cycles, name


@REPEATABLE
@given(UNSIGNED, st.integers(1, 2**32 - 1))
def test_bounds_of_std(dividend: int, divisor: int) -> None:
    steps = engine("klessydra_vl_std", dividend, divisor) - 2
    ones = (dividend // divisor).bit_count()
    distance = dividend.bit_length() - divisor.bit_length() + 1
    assert ones <= steps <= min(2 * ones + 1, max(1, distance))


@REPEATABLE
@given(st.integers(0, 31), st.integers(1, 2**31), st.integers(1, 2**31))
def test_a_shifted_dividend_costs_what_a_wider_divider_costs(shift: int, a: int, d: int) -> None:
    for name, law in Divider.by_name().items():
        if not law.wide:
            continue
        wide = engine(name, a << shift, d, 32 + shift)
        assert engine(name, a, d) <= wide <= law.most_cycles + shift, name
