"""The meanings in the instruction table: as the oracle computes, and the same in C as in Python."""

from __future__ import annotations

import ctypes
import subprocess
import sys
from fractions import Fraction
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gnomon.base.errors import GnomonError
from gnomon.isa import INSTRUCTIONS, Instruction, operations_header
from gnomon.isa._instruction import OPTIONAL_EXTENSIONS
from gnomon.isa._operations import c_expression
from tests.isa._evaluate import evaluate
from tests.oracle import integer, lanes

if TYPE_CHECKING:
    from collections.abc import Callable

    InC = Callable[[int, dict[str, int]], int]

NAMES = ("a", "b", "i", "pc", "m", "x", "y", "n", "length")
CORNERS = (0, 1, 2, 31, 32, 0x7F, 0x80, 0xFFFF, 0x7FFFFFFF, 0x80000000, 0x80000001, 0xFFFFFFFF)
WORDS = st.integers(0, 2**32 - 1) | st.sampled_from(CORNERS)
OPERANDS = st.fixed_dictionaries(dict.fromkeys(NAMES, WORDS))
SETTINGS = settings(derandomize=True, deadline=None, max_examples=60)
OPTIONAL = [row for row in INSTRUCTIONS if row.extension in OPTIONAL_EXTENSIONS]
SAID = [row for row in INSTRUCTIONS if row.meaning.expressions]


def rows(*classes: str) -> list[Instruction]:
    return [row for row in SAID if row.timing_class in classes]


def value(expression: str | None, words: dict[str, int]) -> int:
    assert expression is not None
    return evaluate(expression, **words)


def test_all_but_fences_traps_and_transfers_say_what_they_mean() -> None:
    silent = {row.timing_class for row in INSTRUCTIONS if not row.meaning.expressions}
    assert silent == {"fence", "system", "kmem"}
    for row in INSTRUCTIONS:
        assert (row.meaning.result is not None) == (row.rd == "result"), row.mnemonic
        assert (row.meaning.size > 0) == (row.timing_class in ("load", "store", "amo"))


@given(words=OPERANDS)
@SETTINGS
def test_results_are_those_of_the_oracle(words: dict[str, int]) -> None:
    for row in rows("alu", "mul", "mulh", "div"):
        _check_result(row, words)


def _check_result(row: Instruction, words: dict[str, int]) -> None:
    name = row.mnemonic
    if name == "lui":
        expected = words["i"]
    elif name == "auipc":
        expected = (words["pc"] + words["i"]) & 0xFFFFFFFF
    elif row.extension == "M":
        expected = integer.muldiv(name, words["a"], words["b"])[0]
    elif row.format == "R":
        expected = integer.alu(name, words["a"], words["b"])
    else:
        register_form = "sltu" if name == "sltiu" else name.removesuffix("i")
        expected = integer.alu(register_form, words["a"], words["i"])
    assert value(row.meaning.result, words) == expected, name


@given(words=OPERANDS)
@SETTINGS
def test_branches_are_taken_as_in_the_oracle(words: dict[str, int]) -> None:
    for row in rows("branch"):
        _check_branch(row, words)


def _check_branch(row: Instruction, words: dict[str, int]) -> None:
    expected = integer.branch_taken(row.mnemonic, words["a"], words["b"])
    assert value(row.meaning.taken, words) == expected, row.mnemonic
    assert value(row.meaning.target, words) == (words["pc"] + words["i"]) & 0xFFFFFFFF


@given(words=OPERANDS)
@SETTINGS
def test_jumps_go_where_they_should(words: dict[str, int]) -> None:
    jal, jalr = rows("jump")
    assert value(jal.meaning.target, words) == (words["pc"] + words["i"]) & 0xFFFFFFFF
    assert value(jalr.meaning.target, words) == (words["a"] + words["i"]) & 0xFFFFFFFE
    for row in (jal, jalr):
        assert value(row.meaning.result, words) == (words["pc"] + words["length"]) & 0xFFFFFFFF


@given(words=OPERANDS)
@SETTINGS
def test_loads_extend_what_they_read(words: dict[str, int]) -> None:
    for row in rows("load"):
        _check_load(row, words)


def _check_load(row: Instruction, words: dict[str, int]) -> None:
    size, signed = {"b": 1, "h": 2, "w": 4}[row.mnemonic[1]], not row.mnemonic.endswith("u")
    read = words["m"] & (1 << 8 * size) - 1
    expected = int.from_bytes(read.to_bytes(size, "little"), "little", signed=signed)
    assert row.meaning.size == size
    assert value(row.meaning.result, words | {"m": read}) == expected & 0xFFFFFFFF, row.mnemonic
    assert value(row.meaning.address, words) == (words["a"] + words["i"]) & 0xFFFFFFFF


@given(words=OPERANDS)
@SETTINGS
def test_csrs_are_written_set_and_cleared(words: dict[str, int]) -> None:
    for row in rows("csr"):
        _check_csr(row, words)


def _check_csr(row: Instruction, words: dict[str, int]) -> None:
    old, operand = words["m"], words["i" if row.mnemonic.endswith("i") else "a"]
    expected = {"w": operand, "s": old | operand, "c": old & ~operand}[row.mnemonic[4]]
    assert value(row.meaning.result, words) == old, row.mnemonic
    assert value(row.meaning.stored, words) == expected, row.mnemonic


def test_stores_and_the_atomic_write_rs2() -> None:
    stored = {
        row.mnemonic: (row.meaning.size, row.meaning.stored) for row in SAID if row.meaning.size
    }
    writing = {name: meaning for name, meaning in stored.items() if meaning[1]}
    assert writing == {"sb": (1, "b"), "sh": (2, "b"), "sw": (4, "b"), "amoswap.w": (4, "b")}


@given(words=OPERANDS)
@SETTINGS
def test_divisions_and_scaled_products_are_those_of_integers(words: dict[str, int]) -> None:
    for row in OPTIONAL:
        _check_division(row, words)


def _check_division(row: Instruction, words: dict[str, int]) -> None:
    x, y, shift = (word - (word >> 31 << 32) for word in (words["x"], words["y"], words["n"]))
    shift &= 31
    if row.extension == "kps":
        expected = x * y >> shift
    elif row.extension == "kdiv":
        name = "rem" if "rem" in row.mnemonic else "div"
        expected = integer.muldiv(name, words["x"], words["y"])[0]
    elif y:
        exact = Fraction(x << shift, y)
        expected = max(-(1 << 31), min(int(exact), (1 << 31) - 1))
    else:
        expected = 0 if x == 0 else -(1 << 31) if x < 0 else (1 << 31) - 1
    assert value(row.meaning.element, words) == expected & 0xFFFFFFFF, row.mnemonic


@given(words=OPERANDS)
@SETTINGS
def test_elements_are_those_of_the_oracle(words: dict[str, int]) -> None:
    for row in [row for row in rows("kdsp") if row not in OPTIONAL]:
        _check_element(row, words)


def _check_element(row: Instruction, words: dict[str, int]) -> None:
    name = {"kbcast": "kvcp"}.get(row.mnemonic, row.mnemonic)
    x, y, shift = words["x"], words["y"], words["n"] & 31
    for bits in (32, 16, 8):
        low = (1 << bits) - 1
        if name == "kvred":
            expected = lanes.reduce_beat([x & low], bits)
        elif name in ("kdotp", "kdotpps"):
            if name == "kdotpps" and bits < 32:
                continue  # the hardware scales products in pairs
            by = shift if name == "kdotpps" else None
            expected = lanes.dot_beat([x & low], [y & low], bits, by, lane_masks=True)
        elif name in ("ksrav", "ksrlv") and bits < 32:
            continue  # the hardware shifts words, and then repairs their lanes
        else:
            expected = lanes.element_word(name, x & low, y & low, bits, shift, lane_masks=True)
        wide = {"x": extended(x, bits), "y": extended(y, bits)}
        assert (value(row.meaning.element, words | wide) ^ expected) & low == 0, (name, bits)


def extended(word: int, bits: int) -> int:
    low = word & (1 << bits) - 1
    return (low - (low >> (bits - 1) << bits)) & 0xFFFFFFFF


SOURCE = """
#include "ops.h"
#define ONE(NAME, e) case OP_##NAME: return (uint32_t)(e);
#define FIRST(NAME, e, target) ONE(NAME, e)
#define THIRD(NAME, address, size, e) ONE(NAME, e)
#define SWAP(NAME, address, size, e, stored) ONE(NAME, e)
uint32_t meaning(int op, const uint32_t *v);
uint32_t meaning(int op, const uint32_t *v)
{
    uint32_t a = v[0], b = v[1], i = v[2], pc = v[3], m = v[4], x = v[5], y = v[6], n = v[7];
    uint32_t length = v[8];
    switch (op) {
    OPS_ALU(ONE) OPS_MUL(ONE) OPS_MULH(ONE) OPS_DIV(ONE) OPS_KDSP(ONE)
    OPS_KDSP_OPTIONAL(ONE) OPS_CSR(ONE)
    OPS_BRANCH(FIRST) OPS_JUMP(FIRST) OPS_LOAD(THIRD) OPS_STORE(THIRD) OPS_AMO(SWAP)
    }
    return 0xBADBAD;
}
"""


@pytest.fixture(scope="module")
def in_c(tmp_path_factory: pytest.TempPathFactory) -> InC:
    folder = tmp_path_factory.mktemp("meaning")
    (folder / "ops.h").write_text(operations_header(), encoding="utf-8")
    (folder / "meaning.c").write_text(SOURCE, encoding="utf-8")
    flags = ["-std=c11", "-O1", "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-shared", "-fPIC"]
    command = [sys.executable, "-m", "ziglang", "cc", *flags, "meaning.c", "-o", "meaning.so"]
    built = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert built.returncode == 0, built.stderr
    function = ctypes.CDLL(str(folder / "meaning.so")).meaning
    function.restype = ctypes.c_uint32

    def call(number: int, words: dict[str, int]) -> int:
        values = (ctypes.c_uint32 * len(NAMES))(*(words[name] for name in NAMES))
        return int(function(number, values))

    return call


@given(words=OPERANDS)
@SETTINGS
def test_c_computes_what_python_does(in_c: InC, words: dict[str, int]) -> None:
    for row in SAID:
        _check_c(in_c, row, words)


def _check_c(in_c: InC, row: Instruction, words: dict[str, int]) -> None:
    meaning = row.meaning
    if row.timing_class == "csr":
        expression = meaning.stored
    else:
        expression = meaning.result or meaning.taken or meaning.stored or meaning.element
    assert in_c(row.number, words) == value(expression, words), row.mnemonic


def test_an_expression_without_c_or_without_its_names_is_refused() -> None:
    with pytest.raises(GnomonError, match=r"'a \*\* 2': a \*\* 2 has no C"):
        c_expression("a ** 2")
    with pytest.raises(GnomonError, match="b has no C text"):
        c_expression("a + b", {"a": "x1"})
    shift = c_expression("signed(a) >> (b & 7)", {"a": "x5", "b": "3u"})
    assert shift == "(op_signed(x5) >> (3u & 7u))"
