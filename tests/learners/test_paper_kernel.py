"""Matrix functions of the paper code, each alone: bits, cycles, and what is refused."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from gnomon.arch import load_architecture
from gnomon.base.errors import CheckFailed, GnomonError
from gnomon.content.algorithms.linucb_paper.arithmetic import PaperModel
from gnomon.content.algorithms.linucb_paper.kernels import PAPER_KERNELS, measure_paper_kernel
from gnomon.measure.kernels import FixedPoint, find_kernel

if TYPE_CHECKING:
    from gnomon.content.algorithms.linucb_paper.arithmetic import Steps
    from gnomon.content.algorithms.linucb_paper.kernels import PaperKernel

pytestmark = pytest.mark.usefixtures("sources_stay")

SCALAR, VECTOR = load_architecture("t13"), load_architecture("t13-paper-simd4")
LIKE = {"add": "add", "multiply": "multiply", "inverse": "invert-symmetric"}


def operands(kernel: str, n: int) -> tuple[Steps, ...]:
    like = find_kernel(LIKE[kernel])
    return like.operands(FixedPoint(), like.square(n), 0)


@pytest.mark.parametrize("kernel", PAPER_KERNELS)
def test_on_both_machines(kernel: PaperKernel) -> None:
    """The run compares every bit itself."""
    scalar = measure_paper_kernel(kernel, SCALAR, operands(kernel, 5), vector=False)
    vector = measure_paper_kernel(kernel, VECTOR, operands(kernel, 5), vector=True)
    for run in (scalar, vector):
        assert (run.kernel, run.n) == (kernel, 5)
        assert run.hart_cycles < run.wall_cycles
        assert 0 < run.clearing_hart_cycles < run.hart_cycles
        assert run.clearing_wall_cycles == 3 * run.clearing_hart_cycles  # stores wait for nothing
    assert vector.wall_cycles < scalar.wall_cycles
    assert vector.clearing_wall_cycles == scalar.clearing_wall_cycles


def test_cycles_of_a_sum_grow_by_the_element() -> None:
    """All parts of a scalar sum are loops over elements and rows."""
    walls = [
        measure_paper_kernel("add", SCALAR, operands("add", n), vector=False).wall_cycles
        for n in (8, 16, 32)
    ]
    assert 3.5 < walls[1] / walls[0] < walls[2] / walls[1] < 4


def test_the_run_ends_when_the_result_is_in_memory() -> None:
    """Two transfers in, one cycle each word; one out, two."""
    run = measure_paper_kernel("add", VECTOR, operands("add", 32), vector=True)
    assert run.wall_cycles - run.clearing_wall_cycles > 4 * 32 * 32


def test_a_wrong_bit_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    def wrong(_: object, a: Steps, b: Steps) -> Steps:
        total = a + b
        total[1, 2] ^= 1
        return np.asarray(total)

    a, b = (np.full((4, 4), value, dtype=np.int64) for value in (3, 4))
    monkeypatch.setattr(PaperModel, "add", wrong)
    with pytest.raises(CheckFailed) as caught:
        measure_paper_kernel("add", SCALAR, (a, b), vector=False)
    assert str(caught.value) == (
        "paper kernel add, n = 4, on t13: 1 of 16 elements differ from the model; first at [1, 2]:"
        " 7, expected 6"
    )


SQUARE = np.zeros((4, 4), dtype=np.int64)
SHAPES = "n x n operand(s) of one size, from 3 up, not"
REFUSED: dict[str, tuple[tuple[Steps, ...], bool, str]] = {
    "invers": (
        (SQUARE,),
        False,
        (
            "the paper code has no kernel 'invers' to measure (allowed: add, multiply, inverse, did"
            " you mean 'inverse'?)"
        ),
    ),
    "inverse": (
        (SQUARE, SQUARE),
        False,
        f"paper kernel inverse takes 1 {SHAPES} 4 x 4, 4 x 4",
    ),
    "multiply": (
        (SQUARE, SQUARE[:2]),
        False,
        f"paper kernel multiply takes 2 {SHAPES} 4 x 4, 2 x 4",
    ),
    "add": (
        (SQUARE, SQUARE),
        True,
        (
            "paper kernel add: t13 has no vector unit with kdiv, kps; take t13-paper-simd1, -simd2,"
            " -simd4 or -simd8"
        ),
    ),
}


@pytest.mark.parametrize("kernel", REFUSED)
def test_what_is_refused(kernel: str) -> None:
    matrices, vector, message = REFUSED[kernel]
    with pytest.raises(GnomonError) as caught:
        measure_paper_kernel(kernel, SCALAR, matrices, vector=vector)  # type: ignore[arg-type]
    assert str(caught.value) == message


def test_no_operand_at_all() -> None:
    with pytest.raises(GnomonError) as caught:
        measure_paper_kernel("add", SCALAR, (), vector=False)
    assert str(caught.value) == f"paper kernel add takes 2 {SHAPES} none"
