"""The product on three harts: fast enough, for all sizes, and as often as one likes."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

import numpy as np
import pytest

from gnomon.arch import load_architecture
from gnomon.base.errors import GnomonError
from gnomon.measure.kernels import (
    FixedPoint,
    KernelBench,
    cycle_bound,
    find_kernel,
    include_folders,
)
from gnomon.program import build
from gnomon.sim import simulate

if TYPE_CHECKING:
    from pathlib import Path

    from gnomon.program import Program

MULTIPLY = find_kernel("multiply")
HARTS = MULTIPLY.variant("vector-harts")
MACHINES = ("t13-simd1", "t13-simd4", "t13-paper-simd4")
# Groups of one to four columns, one group only, part of a loop of four rows, no last rows, results
# that do not fit beside, and sizes that are left to one hart.
SIZES = (
    (2, 64, 9),
    (8, 9, 3),
    (7, 13, 5),
    (16, 16, 6),
    (17, 31, 7),
    (16, 5, 36),
    (31, 33, 29),
    (32, 32, 33),
    (15, 15, 2),
    (1, 70, 5),
    (3, 65, 7),
    (40, 50, 30),
)
TWICE = """\
#include "gnomon.h"
#include "multiply/multiply.h"
#define N 17u
fx_t a[N * N], b[N * N], out[N * N], once[N * N];
volatile uint32_t differing;
int main(int hart)
{
    if (hart != 0) {
        for (int call = 0; call < 3; ++call) {
            fx_multiply_harts_help((uint32_t)hart);
        }
        return 0;
    }
    for (uint32_t i = 0; i < N * N; ++i) {
        a[i] = (fx_t)(i * 7919u % 65536u) - 32768;
        b[i] = (fx_t)(i * 104729u % 65536u) - 32768;
    }
    fx_multiply_harts_floor_wrap(a, b, out, N, N, N);
    fx_multiply_harts_floor_wrap(b, a, out, 4u, 4u, 4u);
    fx_multiply_harts_floor_wrap(b, a, out, N, N, N);
    fx_multiply_vector_floor_wrap(b, a, once, N, N, N);
    for (uint32_t i = 0; i < N * N; ++i) {
        differing += out[i] != once[i];
    }
    return (int)differing;
}
"""


@cache
def program(name: str) -> Program:
    return KernelBench(MULTIPLY, HARTS, load_architecture(name)).build()


@pytest.mark.parametrize("name", ["t13-simd4", "t13-paper-simd4"])
def test_four_fifths_of_the_bound(name: str) -> None:
    """Cycles are deterministic: this compares numbers, not times."""
    extents = MULTIPLY.square(32)
    run = KernelBench(MULTIPLY, HARTS, load_architecture(name)).measure(
        extents, program=program(name)
    )
    bound = cycle_bound(find_kernel("multiply"), extents, 4)
    assert bound.cycles == 1024 * (32 // 4 + 6) + 3 * (1024 // 4 + 4)
    assert 10 * bound.cycles >= 8 * run.wall_cycles


@pytest.mark.parametrize("extents", SIZES, ids=str)
@pytest.mark.parametrize("name", MACHINES)
def test_bits(name: str, extents: tuple[int, int, int]) -> None:
    """measure() compares each bit with the model."""
    KernelBench(MULTIPLY, HARTS, load_architecture(name)).measure(
        extents, program=program(name), seed=3
    )


@pytest.mark.parametrize("override", ["vcu.scratchpads.size=1 KiB", "core.superscalar=false"])
def test_other_machines(override: str) -> None:
    architecture = load_architecture("t13-simd4", (override,))
    built = KernelBench(MULTIPLY, HARTS, architecture).build()
    for extents in ((16, 16, 16), (17, 15, 18)):
        KernelBench(MULTIPLY, HARTS, architecture).measure(extents, program=built)


def test_again_and_again(tmp_path: Path) -> None:
    """What harts tell each other is as before after a product, also after one left to hart 0."""
    source = tmp_path / "twice.c"
    source.write_text(TWICE)
    architecture = load_architecture("t13-simd4")
    built = build(
        [source, *HARTS.sources],
        architecture,
        defines=FixedPoint().defines(),
        include=include_folders(),
        active_harts=3,
    )
    run = simulate(built, architecture, max_cycles=10_000_000)
    assert (run.halted, run.exit_code) == ("exit", 0)
    at = built.symbol("once").address - int(architecture.memory.data.base)
    assert np.frombuffer(run.data_memory, np.int32, 17 * 17, at).any()


def test_too_few_harts() -> None:
    architecture = load_architecture("rv32im")
    with pytest.raises(GnomonError) as caught:
        KernelBench(MULTIPLY, HARTS, architecture).build()
    assert str(caught.value) == (
        "kernel multiply, variant vector-harts: rv32im has 1 hart, the kernel needs 3"
    )


def test_replicated_scratchpads() -> None:
    architecture = load_architecture("t13-simd4", ("vcu.sharing=replicated",))
    with pytest.raises(GnomonError) as caught:
        KernelBench(MULTIPLY, HARTS, architecture).measure((16, 16, 16))
    assert str(caught.value) == (
        "kernel multiply, variant vector-harts: t13-simd4 has scratchpads for each hart"
        " (vcu.sharing replicated)"
    )
