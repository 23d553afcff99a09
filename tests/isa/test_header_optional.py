"""The optional instructions of ``vcu.h``: there when asked for, and the same bits as the models."""

from __future__ import annotations

from collections.abc import Callable
from io import BytesIO
from typing import TYPE_CHECKING

import numpy as np
import pytest
from elftools.elf.elffile import ELFFile

from gnomon.arch.dividers import Lane
from gnomon.isa import disassemble, list_instructions, vcu_header
from gnomon.isa._instruction import OPTIONAL_EXTENSIONS
from tests.isa._vcu_library import HAS_ALL, SIZES, Vcu, compile_c, spm, vcu_of
from tests.oracle.lanes import post_scaled_product, pre_shifted_quotient

if TYPE_CHECKING:
    from pathlib import Path

Rule = Callable[[int, int], int]

S0, S1, S2 = (spm(index) for index in range(3))
EDGES = (0, 1, -1, 2, -3, 7, 0x7FFF, 0x8000, -0x8000, 0x12345678, 2**31 - 1, -(2**31))
SHIFT = 15


@pytest.fixture
def vcu() -> Vcu:
    return vcu_of(2)


@pytest.fixture
def changed() -> Vcu:
    return vcu_of(2, "-DVCU_POSTSCALE_SHIFT=-1", "-DVCU_DIVIDE_BY_ZERO_RISCV=1")


LANES: dict[str, Rule] = {
    "div": Lane().quotient,
    "rem": Lane().remainder,
    "mulps": lambda a, b: post_scaled_product(a, b, 15),
    "divps": lambda a, b: pre_shifted_quotient(a, b, SHIFT),
}


def forms(stem: str) -> tuple[str, str, str]:
    return f"kv{stem}", f"ksv{stem}sc", f"ksv{stem}rf"


def signed(word: int) -> int:
    return (word & 0xFFFF_FFFF ^ 0x8000_0000) - 0x8000_0000


def check(vcu: Vcu, stem: str, lane: Rule) -> None:
    """All pairs of edge values, in all three forms of an instruction."""
    count = len(EDGES)
    vector, in_scratchpad, in_register = forms(stem)
    vcu.set(4 * count, mpsclfac=SHIFT)
    for b in EDGES:
        expected = [lane(a, b) for a in EDGES]
        operands = (
            (vector, S1, [b] * count),
            (in_scratchpad, S1, [b]),
            (in_register, b & 0xFFFFFFFF, []),
        )
        for name, rs2, words in operands:
            for index, value in enumerate(EDGES):
                vcu.words[0][index] = value
            for index, value in enumerate(words):
                vcu.words[1][index] = value
            assert vcu.run(name, S2, S0, rs2) == 0
            assert [signed(word) for word in vcu.words[2][:count]] == expected, (name, b)


def test_results_are_those_of_the_models(vcu: Vcu) -> None:
    for stem, lane in LANES.items():
        check(vcu, stem, lane)


def test_every_optional_instruction_was_checked() -> None:
    checked = {name for stem in LANES for name in forms(stem)}
    assert checked == {row.mnemonic for row in list_instructions(OPTIONAL_EXTENSIONS)}


def test_other_settings_of_the_machine(changed: Vcu) -> None:
    check(changed, "div", Lane(zero_as_riscv=True).quotient)
    check(changed, "rem", Lane(zero_as_riscv=True).remainder)
    for shift in (0, 10, 31):
        changed.words[0][0], changed.words[1][0] = 0xC0001234, 0x00765432
        changed.set(4, mpsclfac=shift)
        assert changed.run("kvmulps", S2, S0, S1) == 0
        expected = post_scaled_product(signed(0xC0001234), 0x00765432, shift)
        assert signed(changed.words[2][0]) == expected


def test_pre_shift_follows_mpsclfac(vcu: Vcu) -> None:
    for shift in (0, 1, 31):
        vcu.words[0][0], vcu.words[1][0] = 5, 0xFFFFFFFD
        vcu.set(4, mpsclfac=shift)
        assert vcu.run("kvdivps", S2, S0, S1) == 0
        assert signed(vcu.words[2][0]) == pre_shifted_quotient(5, -3, shift)


def test_narrow_elements_are_refused(vcu: Vcu) -> None:
    for bits in (8, 16):
        for name in ("kvdiv", "ksvremrf", "kvmulps", "ksvdivpssc"):
            vcu.set(8, bits)
            vcu.words[2][0] = 77
            assert vcu.run(name, S2, S0, S1) == 0x1005, (name, bits)
            assert vcu.words[2][0] == 77, (name, bits)


def test_traps_are_those_of_other_vector_instructions(vcu: Vcu) -> None:
    vcu.set(6)
    assert vcu.run("kvdiv", S2, S0, S1) == 0x100
    vcu.set(8)
    assert vcu.run("kvdiv", S2, S0, 0) == 0x101
    assert vcu.run("kvmulps", S2, S0, S0 + 64) == 0x103
    assert vcu.run("kvdivps", S2 + 4092, S0, S1) == 0x102
    assert vcu.run("ksvdivsc", S2, S0, S0 + 64) == 0x1002


# ---- how it is built ----


def test_without_the_extension_there_is_no_function(tmp_path: Path) -> None:
    source = '#include "vcu.h"\nvoid f(void);\nvoid f(void) { kvdiv(1, 2, 3); }\n'
    built = compile_c(tmp_path, {"f.c": source}, *SIZES, "-DVCU_SIMD=4", "-c")
    assert built.returncode != 0
    assert "kvdiv" in built.stderr
    flags = (*SIZES, "-DVCU_SIMD=4", "-DVCU_HAS_DIVIDE=1", "-c")
    assert compile_c(tmp_path, {"f.c": source}, *flags).returncode == 0


def test_the_machine_says_what_it_has(tmp_path: Path) -> None:
    machine = {
        "SPM_COUNT": 4, "SPM_BYTES": 4096, "SPM_BASE": 0x10000000, "SIMD": 2,
        "VCU_HAS_KDIV": 1, "VCU_HAS_KPS": 1, "VCU_POSTSCALE_SHIFT": 12,
    }  # fmt: skip
    text = "".join(f"#define GNOMON_{name} {value}\n" for name, value in machine.items())
    (tmp_path / "machine.h").write_text(text, encoding="utf-8")
    condition = "VCU_HAS_DIVIDE && VCU_HAS_POSTSCALE && !VCU_HAS_DIVIDE_PRESHIFT"
    condition += " && VCU_POSTSCALE_SHIFT == 12 && !VCU_DIVIDE_BY_ZERO_RISCV"
    source = f'#include "vcu.h"\n_Static_assert({condition}, "settings");\n'
    source += "void f(void);\nvoid f(void) { kvmulpsrf(1, 2, 3); }\n"
    built = compile_c(tmp_path, {"main.c": source}, "-c")
    assert built.returncode == 0, built.stderr


def test_a_shift_that_does_not_exist(tmp_path: Path) -> None:
    flags = (*SIZES, "-DVCU_SIMD=4", "-DVCU_POSTSCALE_SHIFT=32", "-c")
    built = compile_c(tmp_path, {"main.c": '#include "vcu.h"\n'}, *flags)
    assert built.returncode != 0
    assert 'error: "vcu.h: VCU_POSTSCALE_SHIFT must be 0 to 31, or -1 for MPSCLFAC"' in built.stderr


def test_each_function_is_one_instruction_on_riscv(tmp_path: Path) -> None:
    rows = list_instructions(OPTIONAL_EXTENSIONS)
    body = "\n".join(f"    {row.mnemonic}(a, b, c);" for row in rows)
    source = '#include "vcu.h"\nvoid f(uint32_t, uint32_t, uint32_t);\n'
    source += f"void f(uint32_t a, uint32_t b, uint32_t c)\n{{\n{body}\n}}\n"
    target = ("-target", "riscv32-freestanding", "-mcpu=generic_rv32+m+zicsr")
    flags = (*target, "-ffreestanding", "-fomit-frame-pointer", "-O2", "-c", "-o", "f.o")
    built = compile_c(tmp_path, {"f.c": source}, *SIZES, *HAS_ALL, *flags)
    assert built.returncode == 0, built.stderr
    section = ELFFile(BytesIO((tmp_path / "f.o").read_bytes())).get_section_by_name(".text")
    words = np.frombuffer(section.data(), dtype="<u4")
    expected = [f"{row.mnemonic} a0,a1,a2" for row in rows]
    assert [disassemble(word) for word in words.tolist()] == [*expected, "jalr zero,0(ra)"]


def test_every_optional_instruction_is_in_both_halves() -> None:
    machine, host = vcu_header().split("#else /* host */")
    for row in list_instructions(OPTIONAL_EXTENSIONS):
        assert machine.count(f"static inline void {row.mnemonic}(") == 1
        assert host.count(f"static inline void {row.mnemonic}(") == 1
