"""Matrix functions of the paper code: bits, and operations counted on the machine."""

from __future__ import annotations

import ctypes
from pathlib import Path

import numpy as np
import pytest

from gnomon.arch import load_architecture
from gnomon.base.content import content
from gnomon.content.algorithms.linucb_paper.arithmetic import PaperModel, Steps
from gnomon.content.algorithms.linucb_paper.counts import (
    DIVIDE_INSTRUCTIONS,
    Counts,
    inverse_counts,
)
from gnomon.measure.memory_words import with_words, words_at
from gnomon.program import Program, build, build_host
from gnomon.sim import Region, simulate

pytestmark = pytest.mark.usefixtures("sources_stay")

PROBE = Path(__file__).parent / "matrix_probe.c"
INCLUDE = [content("algorithms", "linucb_paper")]
SOURCES = [PROBE, content("algorithms", "linucb_paper", "paper_divide.c")]
MACHINE = load_architecture("t13")
FIXED = PaperModel()
P, Q, R = 3, 5, 4
SCALAR = -(5 << 13)
COUNTS = {
    "add_p_q": Counts(0),
    "subtract_p_q": Counts(0),
    "scale_p_q": Counts(P * Q),
    "divide_p_q": Counts(0, P * Q),
    "transpose_p_q": Counts(0),
    "multiply_p_q_r": Counts(P * Q * R),
    "inverse_q_q": inverse_counts(Q),
}


def expected(name: str, a: Steps, b: Steps, c: Steps, s: Steps) -> Steps:
    return {
        "add_p_q": lambda: FIXED.add(a, b),
        "subtract_p_q": lambda: FIXED.subtract(a, b),
        "scale_p_q": lambda: FIXED.scale(a, SCALAR),
        "divide_p_q": lambda: FIXED.divide(a, SCALAR),
        "transpose_p_q": lambda: a.T,
        "multiply_p_q_r": lambda: FIXED.multiply(a, c),
        "inverse_q_q": lambda: FIXED.inverse(s),
    }[name]()


def operands(kind: str) -> tuple[Steps, Steps, Steps, Steps]:
    rng = np.random.default_rng(4)
    limit = 2**31 if kind == "any words" else 2**16
    shapes = ((P, Q), (P, Q), (Q, R), (Q, Q))
    a, b, c, s = (rng.integers(-limit, limit, shape, dtype=np.int64) for shape in shapes)
    if kind == "well conditioned":
        s = s // 8 + 2**17 * np.eye(Q, dtype=np.int64)
    if kind == "singular":
        s[:] = 0
    return a, b, c, s


KINDS = ["well conditioned", "any words", "singular"]


@pytest.mark.parametrize("kind", KINDS)
def test_on_this_computer(kind: str) -> None:
    library = ctypes.CDLL(str(build_host(SOURCES, include=INCLUDE)))
    words = np.concatenate([m.reshape(-1) for m in operands(kind)]).astype(np.int32)
    place = (ctypes.c_int32 * words.size).in_dll(library, "inputs")
    ctypes.memmove(place, words.ctypes.data, words.nbytes)
    for index, name in enumerate(COUNTS):
        library.run_one(index, SCALAR)
        model = expected(name, *operands(kind))
        result = (ctypes.c_int32 * model.size).in_dll(library, "output")
        np.testing.assert_array_equal(np.array(result).reshape(model.shape), model, err_msg=name)


@pytest.fixture(scope="module")
def program() -> Program:
    return build(SOURCES, MACHINE, include=INCLUDE)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", COUNTS)
def test_on_the_machine(program: Program, name: str, kind: str) -> None:
    words = np.concatenate([m.reshape(-1) for m in operands(kind)]).astype(np.int32)
    placed = with_words(program, {"inputs": words})
    choice = np.array([list(COUNTS).index(name), SCALAR], dtype=np.int32)
    placed = with_words(placed, {"choice": choice})
    region = Region(name, program.symbol(name).address)
    run = simulate(placed, MACHINE, regions=[region])
    assert run.halted == "exit"
    model = expected(name, *operands(kind))
    result = words_at(run.data_memory, MACHINE, program.symbol("output").address, model.size)
    np.testing.assert_array_equal(result.reshape(model.shape), model)
    (part,) = run.regions[name]
    assert part.counters.get("issue.mulh", 0) == COUNTS[name].products
    if kind == "well conditioned":
        divisions = DIVIDE_INSTRUCTIONS * COUNTS[name].divisions
        assert part.counters.get("issue.div", 0) == divisions


def test_operands_are_copied(program: Program) -> None:
    """20 words of b and 15 of a, beside what the callers keep for themselves."""
    words = np.concatenate([m.reshape(-1) for m in operands("well conditioned")]).astype(np.int32)
    placed = with_words(program, {"inputs": words})
    choice = np.array([list(COUNTS).index("multiply_p_q_r"), SCALAR], dtype=np.int32)
    placed = with_words(placed, {"choice": choice})
    run = simulate(placed, MACHINE, regions=[Region("copy", program.symbol("memcpy").address)])
    (part,) = run.regions["copy"]
    assert part.counters["issue.store"] == 15 + 20 + 12  # and the result into output


@pytest.mark.parametrize("n", [4, 8, 16, 32, 64])
def test_published_check_values(n: int) -> None:
    """Multiply-accumulates and divisions of one inverse, as counted in the published build."""
    published = {4: (110, 42), 8: (1036, 164), 16: (8920, 648), 32: (73904, 2576)}
    published[64] = (601440, 10272)
    assert inverse_counts(n) == Counts(*published[n])


def test_the_inverse_is_one() -> None:
    a = operands("well conditioned")[3]
    inverse = FIXED.inverse(a) / FIXED.one
    np.testing.assert_allclose(inverse @ (a / FIXED.one), np.eye(Q), atol=1e-3)
