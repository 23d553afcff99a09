"""The shipped units: programs, C and SystemVerilog compute their definitions."""

from __future__ import annotations

import binascii
import math
from pathlib import Path

import pytest

from gnomon.arch import load_architecture
from gnomon.arch.units.load import load_unit
from gnomon.base.content import found
from gnomon.program import build
from gnomon.rtl.tools import tool
from gnomon.rtl.unit_checks import check_defined
from gnomon.rtl.units import check_unit
from gnomon.sim import simulate
from tests.conftest import absent

_SHIPPED = [
    name
    for name, item in found("units").items()
    if item.shipped and not load_unit(name, {}).is_vector  # test_vector.py has the others
]
_MASK = 0xFFFF_FFFF


def _signed(value: int, bits: int = 32) -> int:
    value &= (1 << bits) - 1
    return value - (value >> bits - 1 << bits)


def _limited(value: int, least: int, most: int) -> int:
    return min(max(value, least), most) & _MASK


def _crc(crc: int, data: bytes) -> int:
    """Return the register after some bytes; binascii inverts it before and after."""
    return binascii.crc32(data, crc ^ _MASK) ^ _MASK


def _rows(rounds: int = 60) -> list[list[int]]:
    """Return what a round of the program prints, without the cosines, for each round."""
    seed, rows = 1, []

    def following() -> int:
        nonlocal seed
        seed = (seed * 1664525 + 1013904223) & _MASK
        value = seed
        seed = (seed * 1664525 + 1013904223) & _MASK
        return value >> (seed >> 27)

    for _ in range(rounds):
        a, b, c = following(), following(), following()
        product = _signed(a) * _signed(b)
        high = product + 2**31 >> 32
        shift = 31 + (c & 31)
        rows.append([
            a.bit_count(), high & _MASK, (c - high) & _MASK, (product >> 15) & _MASK,
            _limited((product >> 15) + _signed(c), -(2**31), 2**31 - 1),
            _limited((product + (1 << shift - 1) >> shift) + _signed(c >> 8, 8), -128, 127),
            _crc(c, bytes([a & 0xFF])), _crc(c, a.to_bytes(4, "little")), a >> 3,
        ])  # fmt: skip
    return rows


@pytest.mark.parametrize("name", ["t13", "ibex"])
def test_a_program_computes_the_definitions(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    machine = load_architecture(name, [f"units.{each}={{}}" for each in _SHIPPED])
    program = build([Path(__file__).with_name("gallery.c")], machine)
    monkeypatch.setenv("GNOMON_BLOCKS", "force")
    printed = simulate(program, machine).printed
    expected = _rows()
    size = len(printed) // len(expected)
    for k, (*values, angle) in enumerate(expected):
        row = printed[size * k : size * (k + 1)]
        assert list(row[:8]) == values
        radians = angle / 2**29  # below the convergence limit, 1.74
        assert abs(_signed(row[9]) / 2**29 - math.cos(radians)) < 1e-6
        assert abs(_signed(row[10]) / 2**29 - math.sin(radians)) < 1e-6
        assert abs(_signed(row[8])) < 2**29 / 2**22


@pytest.mark.parametrize("name", _SHIPPED)
def test_hardware_and_c(name: str) -> None:
    if not tool("icarus").usable:
        absent("iverilog")
    unit = load_unit(name, {})
    assert check_unit(unit, operands=1500).differences == ()
    check_defined(unit, operands=1500)


def test_the_gallery_has_its_units() -> None:
    assert {"popcount", "mulround", "q15mac", "requant", "crc32", "cordic"} <= {*_SHIPPED}
