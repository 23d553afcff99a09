"""What the measurement refuses, and that it notices wrong kernels."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import pytest

from gnomon.arch import load_architecture
from gnomon.base.content import found
from gnomon.base.errors import CheckFailed, GnomonError
from gnomon.measure.kernels import FixedPoint, KernelBench, find_kernel, kernel_source

if TYPE_CHECKING:
    from gnomon.measure.kernels._kernel import Operands
    from gnomon.measure.kernels.fixed import Reals, Steps

pytestmark = pytest.mark.usefixtures("sources_stay")

ADD = find_kernel("add")
DOT = find_kernel("dot")
MULTIPLY = find_kernel("multiply")
SIMD4 = load_architecture("t13-simd4")


def message(error: pytest.ExceptionInfo[GnomonError]) -> str:
    return str(error.value)


def test_a_wrong_result_names_the_first_element() -> None:
    def wrong(_: FixedPoint, operands: Operands) -> Steps:
        expected = operands[0] + operands[1]
        expected[1, 2] += 1
        return expected

    variant = replace(ADD.variant("scalar"), model=wrong)
    ones = (np.ones((2, 3), dtype=np.int64),) * 2
    with pytest.raises(CheckFailed) as caught:
        KernelBench(ADD, variant, SIMD4).measure((2, 3), operands=ones)
    assert message(caught) == (
        "fx_add_scalar_wrap rows 2, columns 3 on t13-simd4: 1 of 6 elements differ from the model;"
        " first at [1, 2]: 2, expected 3"
    )
    assert caught.value.exit_code == 1


def test_a_kernel_that_writes_too_much_is_found_out() -> None:
    """The product of 2 x 3 elements, measured as if its result had one row."""

    def first_row(fixed: FixedPoint, operands: Operands) -> Steps:
        return MULTIPLY.variant("scalar").model(fixed, operands)[:1]

    variant = replace(MULTIPLY.variant("scalar"), model=first_row)
    of_one_row = MULTIPLY.description.model_copy(update={"result": [1, "columns"]})
    with pytest.raises(CheckFailed) as caught:
        KernelBench(replace(MULTIPLY, description=of_one_row), variant, SIMD4).measure((2, 3, 3))
    assert message(caught) == (
        "fx_multiply_scalar_toward_zero_wrap rows 2, inner 3, columns 3 on t13-simd4:"
        " wrote 3 word(s) outside its result"
    )


def test_an_error_above_its_bound_is_refused() -> None:
    def no_error(_: FixedPoint, operands: Operands) -> Reals:
        return np.zeros(1)

    variant = replace(DOT.variant("vector"), error_bound=no_error)
    with pytest.raises(
        CheckFailed, match=r"^fx_dot_vector_floor_wrap length 8 on t13-simd4: error "
    ):
        KernelBench(DOT, variant, SIMD4).measure((8,))


def test_a_machine_without_a_vector_unit() -> None:
    with pytest.raises(GnomonError) as caught:
        KernelBench(ADD, ADD.variant("vector"), load_architecture("t13")).build()
    assert message(caught) == (
        "kernel add, variant vector: t13 has no vector unit (use --variant scalar)"
    )


def test_a_machine_with_too_few_scratchpads() -> None:
    architecture = load_architecture("t13-simd4", ["vcu.scratchpads.count=3"])
    with pytest.raises(GnomonError) as caught:
        KernelBench(ADD, ADD.variant("vector"), architecture).build()
    assert message(caught) == (
        "kernel add, variant vector: t13-simd4 has 3 scratchpad(s), the kernel needs 4"
        " (vcu.scratchpads.count)"
    )


@pytest.mark.parametrize("n", [200, 10**7, 10**30])
def test_operands_that_do_not_fit(n: int) -> None:
    """Of a size that the memory of no computer holds, too: none is drawn."""
    bench = KernelBench(ADD, ADD.variant("scalar"), SIMD4)
    program = bench.build()
    for measure in (bench.measure, bench.record):
        with pytest.raises(GnomonError) as caught:
            measure((n, n), seed=0, program=program)
        assert message(caught) == (
            f"operands and result take {12 * n * n + 128} bytes, but the machine has room for"
            " 253952; increase the room with --set memory.data.size"
        )


def test_too_little_data_memory() -> None:
    architecture = load_architecture("t13", ["memory.data.size=8 KiB"])
    with pytest.raises(GnomonError) as caught:
        KernelBench(ADD, ADD.variant("scalar"), architecture).build()
    assert message(caught) == (
        "t13: 8192 bytes of data memory are too few to measure a kernel (at least 12288)"
    )


@pytest.mark.parametrize(
    ("extents", "expected"),
    [
        ((3,), "kernel add is sized by 2 number(s), rows,columns; got 1"),
        ((3, 0), "kernel add: columns must be at least 1, not 0"),
    ],
)
def test_bad_extents(extents: tuple[int, ...], expected: str) -> None:
    with pytest.raises(GnomonError) as caught:
        ADD.check_extents(extents)
    assert message(caught) == expected


def test_unknown_names() -> None:
    with pytest.raises(GnomonError) as caught:
        find_kernel("multiplly")
    assert message(caught) == (
        f"there is no kernel 'multiplly' (allowed: {', '.join(found('kernels'))},"
        " did you mean 'multiply'?)"
    )
    with pytest.raises(GnomonError) as caught:
        ADD.variant("vectr")
    assert message(caught) == (
        "kernel add has no variant 'vectr' (allowed: scalar, vector, did you mean 'vector'?)"
    )


def test_a_measurement_ends_when_the_result_is_in_memory() -> None:
    """Four words: 2 loads of W + 2 cycles and a store of 2W must be inside, whatever overlaps."""
    words = 64
    run = KernelBench(ADD, ADD.variant("vector"), SIMD4).measure((1, words))
    assert run.wall_cycles > 2 * (words + 2) + 2 * words
    assert run.counters["wait.lsu"] > 2 * words


def test_the_choice_of_the_product_is_a_good_one() -> None:
    """Both ways give the same bits, and the chosen one costs at most an eighth more."""
    vector = MULTIPLY.variant("vector")
    ways = [
        replace(
            vector,
            function=f"fx_multiply_{way}_floor_wrap",
            sources=(kernel_source(f"multiply/{way}.c"),),
        )
        for way in ("rows", "dots")
    ]
    shapes = [(1, 8, 8), (4, 4, 4), (8, 8, 8), (12, 12, 12), (16, 16, 16), (20, 20, 20)]
    shapes += [(32, 32, 32), (1, 32, 32), (4, 32, 32), (32, 32, 1), (32, 32, 4), (32, 4, 32)]
    for simd in (1, 4, 8):
        architecture = load_architecture(f"t13-simd{simd}")
        built = [KernelBench(MULTIPLY, way, architecture).build() for way in (vector, *ways)]
        for extents in shapes:
            chosen, rows, dots = (
                KernelBench(MULTIPLY, way, architecture)
                .measure(extents, program=program)
                .wall_cycles
                for way, program in zip((vector, *ways), built, strict=True)
            )
            # the choice itself takes some 120 cycles
            assert chosen <= 1.125 * min(rows, dots) + 130, (simd, extents, chosen, rows, dots)
