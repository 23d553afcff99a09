"""Products that are shifted by 15 before they are cut, with and without post-scaled products."""

from __future__ import annotations

import ctypes
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gnomon.arch import load_architecture
from gnomon.measure.kernels import include_folders
from gnomon.measure.memory_words import with_words, words_at
from gnomon.program import build, build_host
from gnomon.sim import simulate

PROBE = Path(__file__).parent / "postscale_probe.c"
INCLUDE = include_folders()
WORDS = 24
MACHINES = ["t13-simd1", "t13-simd8", "t13-paper-simd2"]

any_word = st.integers(-(2**31), 2**31 - 1)
edges = st.sampled_from([-(2**31), 2**31 - 1, -1, 0, 1, 2**15 - 1, 2**15, -(2**15), -(2**15) - 1])
narrow_word = st.integers(-(2**16), 2**16)
wide_vector = st.lists(any_word | edges, min_size=WORDS, max_size=WORDS)
narrow_vector = st.lists(
    narrow_word | st.sampled_from([-(2**16), 2**16]), min_size=WORDS, max_size=WORDS
)


def wrapped(exact: list[int]) -> list[int]:
    return [(each + 2**31) % 2**32 - 2**31 for each in exact]


@cache
def library(machine: str) -> ctypes.CDLL:
    return ctypes.CDLL(
        str(build_host([PROBE], architecture=load_architecture(machine), include=INCLUDE))
    )


def packed(wide: list[int], narrow: list[int], number: int, value: int, bits: int) -> np.ndarray:
    return np.array([*wide, *narrow, number, value, bits], dtype=np.int32)


def on_this_computer(machine: str, words: np.ndarray) -> list[int]:
    loaded = library(machine)
    place = (ctypes.c_int32 * words.size).in_dll(loaded, "inputs")
    ctypes.memmove(place, words.ctypes.data, words.nbytes)
    loaded.run_once()
    return list((ctypes.c_int32 * (WORDS + 4)).in_dll(loaded, "outputs"))


@pytest.mark.parametrize("machine", MACHINES)
@given(wide=wide_vector, narrow=narrow_vector, number=narrow_word)
def test_there_is_no_error(machine: str, wide: list[int], narrow: list[int], number: int) -> None:
    """Any word times one of 17 bits: the low word of the floor, and sums of such."""
    found = on_this_computer(machine, packed(wide, narrow, number, 1, 0))
    assert found[:WORDS] == wrapped([a * number >> 15 for a in wide])
    total = sum(a * b >> 15 for a, b in zip(wide, narrow, strict=True))
    assert found[WORDS : WORDS + 2] == wrapped([total, total])


def test_one_bit_more_is_too_much() -> None:
    """The limit of the narrow factor is one: without kps the lower product then wraps."""
    wide = [2**15 - 1] * WORDS
    words = packed(wide, [0] * WORDS, 2**16 + 4, 1, 0)
    exact = wrapped([a * (2**16 + 4) >> 15 for a in wide])
    assert on_this_computer("t13-simd4", words)[:WORDS] != exact
    assert on_this_computer("t13-paper-simd4", words)[:WORDS] == exact


@pytest.mark.parametrize("machine", MACHINES)
def test_on_the_machine(machine: str) -> None:
    architecture = load_architecture(machine)
    rng = np.random.default_rng(3)
    program = build([PROBE], architecture, include=INCLUDE)
    for number, value in ((-(2**16), 2**30), (2**16, 2**31 - 1), (12345, 2**21 + 77)):
        wide = rng.integers(-(2**31), 2**31, WORDS).tolist()
        narrow = rng.integers(-(2**16), 2**16 + 1, WORDS).tolist()
        words = packed(wide, narrow, number, value, 20)
        run = simulate(with_words(program, {"inputs": words}), architecture)
        assert run.halted == "exit"
        place = program.symbol("outputs").address
        found = words_at(run.data_memory, architecture, place, WORDS + 4).tolist()
        assert found == on_this_computer(machine, words)


@given(bits=st.integers(0, 30), data=st.data())
def test_inverse_root(bits: int, data: st.DataObject) -> None:
    """Rounded down to steps of 2^-16, before the shift, from a root that is off by less."""
    value = data.draw(st.integers(2**bits, 2**31 - 1))
    words = packed([0] * WORDS, [0] * WORDS, 0, value, bits)
    factor, shift = on_this_computer("t13-simd4", words)[-2:]
    exact = 2.0 ** (16 + shift) / np.sqrt(value / 2.0**bits)
    assert 2**15 - 1 <= factor <= 2**16
    assert -(2**-12) < exact - factor < 1 + 2**-8
