"""Division and square root of the paper code, against Python's integers."""

from __future__ import annotations

import ctypes
import operator
from functools import cache

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gnomon.arch import load_architecture
from gnomon.base.content import content
from gnomon.measure.learners import HostLearner
from gnomon.measure.memory_words import with_words, words_at
from gnomon.program import build, build_host
from gnomon.sim import Region, simulate
from tests.learners.models import scalars

WORDS = st.integers(-(2**31), 2**31 - 1)
EDGES = st.sampled_from([-(2**31), -(2**31) + 1, -(2**15), -1, 0, 1, 2**15, 2**16 - 1, 2**31 - 1])
# All magnitudes alike: uniform words are nearly all large.
SHIFTED = st.builds(lambda word, shift: word >> shift, WORDS, st.integers(0, 31))
ANY = SHIFTED | EDGES
PAPER = content("algorithms", "linucb_paper")
SOURCES = [PAPER / f"paper_{name}.c" for name in ("divide", "square_root")]


@cache
def library(fraction_bits: int, count: bool = False) -> ctypes.CDLL:
    defines = {"FX_FRACTION_BITS": fraction_bits}
    if count:
        defines["PAPER_COUNT_OVERFLOWS"] = 1
    path = build_host(SOURCES, defines=defines)
    return ctypes.CDLL(str(path))


@given(a=ANY, b=ANY, fraction_bits=st.sampled_from([1, 10, 15, 24, 29]))
def test_divide(a: int, b: int, fraction_bits: int) -> None:
    expected = scalars.divide(a, b, fraction_bits)
    assert library(fraction_bits).paper_divide(a, b) == expected


def test_divide_toward_zero_and_by_zero() -> None:
    divide = library(15).paper_divide
    assert [divide(1, 3 << 15), divide(-1, 3 << 15), divide(-(2 << 15), 3 << 15)] == [0, 0, -21845]
    assert [divide(5, 0), divide(0, 0), divide(-5, 0)] == [2**31 - 1, 2**31 - 1, -(2**31)]


@given(a=ANY, fraction_bits=st.sampled_from([1, 10, 15, 24, 29]))
def test_square_root(a: int, fraction_bits: int) -> None:
    expected = scalars.square_root(a, fraction_bits)
    assert library(fraction_bits).paper_square_root(a) == expected


@given(a=st.integers(1, 2**31 - 1))
def test_the_model_of_the_square_root_rounds_to_nearest(a: int) -> None:
    root = scalars.square_root(a)
    operand = a << 15
    assert (2 * root - 1) ** 2 <= 4 * operand <= (2 * root + 1) ** 2


def test_overflows_are_counted_by_kind() -> None:
    counting = library(15, count=True)
    counts = (ctypes.c_uint64 * len(HostLearner.OVERFLOW_KINDS)).in_dll(counting, "paper_overflows")
    before = list(counts)
    counting.paper_divide(1 << 30, 1 << 15)
    counting.paper_square_root(1 << 30)
    assert list(counts) == before
    counting.paper_divide(1 << 30, 1)
    counting.paper_divide(1, 0)
    counting.paper_divide(0, 0)
    counting.paper_square_root(-1)
    more = dict(zip(HostLearner.OVERFLOW_KINDS, map(operator.sub, counts, before), strict=True))
    assert more == {
        "add": 0,
        "subtract": 0,
        "multiply": 0,
        "divide": 1,
        "divide by zero": 2,
        "root of negative": 1,
    }


PROBE = """
#include "paper_fixed.h"
#include "gnomon.h"
volatile fx_t inputs[64];
volatile fx_t outputs[32];
int main(int hart)
{
    (void)hart;
    for (int i = 0; i < 32; ++i) {
        outputs[i] = paper_divide(inputs[2 * i], inputs[2 * i + 1]);
    }
    return 0;
}
"""


@pytest.fixture(scope="module")
def probe(tmp_path_factory: pytest.TempPathFactory) -> str:
    path = tmp_path_factory.mktemp("probe") / "probe.c"
    path.write_text(PROBE, "utf-8")
    return str(path)


def test_divide_on_the_machine_takes_four_division_instructions(probe: str) -> None:
    machine = load_architecture("t13")
    include = [PAPER]
    program = build([probe, SOURCES[0]], machine, include=include)
    rng = np.random.default_rng(2)
    # Numerators to +-1, denominators from 1/2 up: quotients fit.
    a = rng.integers(-(2**15), 2**15, 32)
    b = rng.integers(2**14, 2**31, 32) * rng.choice([-1, 1], 32)
    inputs = np.stack([a, b], axis=1).reshape(-1).astype(np.int32)
    placed = with_words(program, {"inputs": inputs})
    region = Region("divide", program.symbol("paper_divide").address)
    run = simulate(placed, machine, regions=[region])
    assert run.halted == "exit"
    (part,) = run.regions["divide"]
    assert part.entries == 32
    assert part.counters["issue.div"] == 4 * 32
    # "about 45 others" in the statement of the method
    assert 40 * 32 < part.issued - part.counters["issue.div"] < 60 * 32
    outputs = words_at(run.data_memory, machine, program.symbol("outputs").address, 32)
    expected = [scalars.divide(int(x), int(y)) for x, y in zip(a, b, strict=True)]
    assert outputs.tolist() == expected
