"""The gallery on many operands: both tiers and the host compute the definitions, in NumPy here.

A hash holds the results of an instruction in 1,000 rounds: one wrong bit always changes it.
"""

from __future__ import annotations

import binascii
import ctypes
import math
from pathlib import Path
from typing import Final

import numpy as np
import numpy.typing as npt
import pytest

from gnomon.arch import Architecture, load_architecture
from gnomon.arch.units.load import load_unit
from gnomon.base.content import found
from gnomon.program import build, build_host
from gnomon.sim import simulate
from gnomon.sim._effort import FORCED
from tests.rows import light_and_heavy
from tests.sim.blocks._noted import note_tiers
from tests.sim.blocks.test_long_programs import translated

Words = npt.NDArray[np.uint32]
Signed = npt.NDArray[np.int64]

_HERE: Final = Path(__file__).parents[1]
_PER_HASH = 1000
_STEPS = 24
_CORNERS: Final = np.array(
    [0, 1, 2, 0x7F, 0x80, 0xFF, 0x7FFF, 0x8000, 0xFFFF, 0x10000, 0x7FFF_FFFF, 0x8000_0000,
     0x8000_0001, 0xFFFF_8000, 0xFFFF_FFFE, 0xFFFF_FFFF],
    dtype=np.uint32,
)  # fmt: skip


def _mix(n: Words) -> Words:
    n = (n ^ n >> 16) * np.uint32(0x7FEB352D)
    n = (n ^ n >> 15) * np.uint32(0x846CA68B)
    return n ^ n >> 16


def _operand(rounds: Words, which: int) -> Words:
    choice = _mix(np.uint32(3) * rounds + np.uint32(which))
    value = _mix(choice ^ np.uint32(0x9E3779B9))
    kind = choice & 7
    later = np.where(kind < 4, value >> (choice >> 27), value)
    later = np.where(kind == 0, _CORNERS[choice >> 3 & 15], later)
    first = _CORNERS[rounds >> 4 * which & 15]
    return np.where(rounds < len(_CORNERS) ** 3, first, later).astype(np.uint32)


def _signed(words: Words) -> Signed:
    return words.view(np.int32).astype(np.int64)


def _low(values: Signed) -> Words:
    return (values & 0xFFFF_FFFF).astype(np.uint32)


def _crc(crc: Words, data: Words, size: int) -> Words:
    """Return the register after the lowest bytes of ``data``."""
    every = 0xFFFF_FFFF
    table = np.array(
        [binascii.crc32(bytes([n]), every) ^ every for n in range(256)], dtype=np.uint32
    )
    for k in range(size):
        crc = table[(crc ^ data >> 8 * k) & 0xFF] ^ crc >> 8
    return crc


def _cordic(angle: Words, steps: Words) -> list[Words]:
    """Return a hash of the results of some steps, the result of one more, cosine and sine."""
    unit = 2**29
    angles = np.array([round(math.atan(2.0**-k) * unit) for k in range(_STEPS)], dtype=np.int64)
    scale = math.prod(1 / math.sqrt(1 + 4.0**-k) for k in range(_STEPS))
    x = np.full(len(angle), round(scale * unit), dtype=np.int64)
    y, z = np.zeros_like(x), _signed(angle)
    rest, last = (np.zeros(len(angle), dtype=np.uint32) for _ in range(2))
    for k in range(int(steps.max()) + 1):
        if k < _STEPS:
            sign = np.where(z < 0, -1, 1)
            more = [x - sign * (y >> k), y + sign * (x >> k), z - sign * angles[k]]
            x, y, z = (
                _signed(_low(np.where(k <= steps, new, old)))
                for new, old in zip(more, (x, y, z), strict=True)
            )
        rest = np.where(k < steps, rest * np.uint32(31) + _low(z), rest)
        last = np.where(k == steps, _low(z), last)
    return [rest, last, _low(x), _low(y)]


def _results(rounds: Words) -> list[Words]:
    a, b, c = (_operand(rounds, which) for which in range(3))
    product = _signed(a) * _signed(b)
    high = product + 2**31 >> 32
    sums = (product >> 15) + _signed(c)
    shift = (c & 31).astype(np.int64) + 31
    zero = (c >> 8 & 0xFF).astype(np.uint8).view(np.int8).astype(np.int64)
    scaled = (product + (np.int64(1) << shift - 1) >> shift) + zero
    ones = np.unpackbits(a.view(np.uint8).reshape(-1, 4), axis=1).sum(axis=1, dtype=np.uint32)
    return [
        ones, _low(high), _low(_signed(c) - high), _low(product >> 15),
        _low(np.clip(sums, -(2**31), 2**31 - 1)), _low(np.clip(scaled, -128, 127)),
        _crc(c, a, 1), _crc(c, a, 4), *_cordic(a, rounds % np.uint32(27)),
    ]  # fmt: skip


def _expected(rounds: int) -> tuple[int, ...]:
    powers = np.array([pow(31, k, 2**32) for k in reversed(range(_PER_HASH))], dtype=np.uint32)
    hashes: list[int] = []
    for first in range(0, rounds, 100 * _PER_HASH):
        end = min(rounds, first + 100 * _PER_HASH)
        results = np.stack(_results(np.arange(first, end, dtype=np.uint32)))
        each = (results.reshape(len(results), -1, _PER_HASH) * powers).sum(axis=2, dtype=np.uint32)
        hashes += each.T.ravel().tolist()
    return tuple(hashes)


def _host(machine: Architecture, rounds: int, count: int) -> tuple[int, ...]:
    library = ctypes.CDLL(str(build_host([_HERE / "operands_host.c"], architecture=machine)))
    hashes = (ctypes.c_uint32 * count)()
    library.hashes(ctypes.c_uint32(rounds), hashes)
    return tuple(hashes)


@pytest.mark.parametrize("rounds", light_and_heavy("oracle", 1, [5_000, 1_000_000]))
def test_both_tiers_and_the_host_compute_the_definitions(
    rounds: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    shipped = [
        name
        for name, item in found("units").items()
        if item.shipped and not load_unit(name, {}).is_vector
    ]
    machine = load_architecture("t13", [f"units.{name}={{}}" for name in shipped])
    program = build([_HERE / "operands.c"], machine, defines={"ROUNDS": rounds})
    expected = _expected(rounds)
    assert _host(machine, rounds, len(expected)) == expected
    tiers = note_tiers(monkeypatch)
    runs = []
    # The blocks of a long run are optimized.
    for effort in (None, FORCED._replace(quick=rounds < 1_000_000)):
        translated(monkeypatch, effort)
        runs.append(simulate(program, machine))
        assert runs[-1].printed == expected
    assert runs[0].counters == runs[1].counters
    executed = runs[1].work.instructions
    # A unit that ships must be in operands.h.
    assert {
        row.mnemonic for row in machine.unit_rows if executed.get(row.mnemonic, 0) < rounds
    } == set()
    assert tiers[1].figures["solo_instructions"] > 0.9 * sum(executed.values())
