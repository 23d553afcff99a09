"""``vcu.h``: bit-exact on the host, and one instruction per function on RISC-V."""

from __future__ import annotations

import csv
import lzma
import subprocess
from collections import defaultdict
from io import BytesIO
from pathlib import Path

import numpy as np
import pytest
from elftools.elf.elffile import ELFFile

from gnomon.isa import decode_words, disassemble, list_instructions, vcu_header
from tests.isa._vcu_library import SIZES, SPM_BYTES, Vcu, compile_c, spm, vcu_of

REFERENCE = Path(__file__).parents[1] / "reference" / "t13x"
VALUE_IN_RS2 = {"ksvaddrf", "ksvmulrf", "ksvslt", "ksrav", "ksrlv"}


@pytest.fixture
def vcu() -> Vcu:
    found = vcu_of(2)
    found.words[:] = type(found.words)()
    return found


# ---- against the RTL ----


def test_every_measured_row_is_bit_exact() -> None:
    wrong: dict[tuple[str, str, str], int] = defaultdict(int)
    with lzma.open(REFERENCE / "vector_semantics.csv.xz", "rt", newline="") as file:
        rows = list(csv.DictReader(file))
    for row in rows:
        unit = vcu_of(int(row["simd"]))
        offsets = [int(row[f"{name}_byte_offset"]) for name in ("rs1", "rs2", "rd")]
        contents = ("rs1_words_hex", "rs2_words_hex", "rd_words_before_hex")
        for index, (offset, column) in enumerate(zip(offsets, contents, strict=True)):
            for position, word in enumerate(row[column].split()):
                unit.words[index][offset // 4 + position] = int(word, 16)
        unit.set(int(row["mvsize_bytes"]), int(row["element_bits"]), int(row["mpsclfac"]))
        name = row["instruction"]
        rs1, rs2, rd = (spm(index, offset) for index, offset in enumerate(offsets))
        if name == "kbcast":
            rs1 = int(row["rs_scalar_hex"], 16)
        if name in VALUE_IN_RS2:
            rs2 = int(row["rs_scalar_hex"], 16)
        code = unit.run(name, rd, rs1, rs2)
        start = offsets[2] // 4
        after = [int(word, 16) for word in row["rd_words_after_hex"].split()]
        if code or list(unit.words[2][start : start + len(after)]) != after:
            wrong[name, row["simd"], row["element_bits"]] += 1
    assert len(rows) == 3264
    assert {row["instruction"] for row in rows} == {r.mnemonic for r in list_instructions({"kdsp"})}
    assert wrong == {}


S0, S1, S2, S3 = (spm(index) for index in range(4))
NO_SPM = spm(4)
RAM = np.zeros(2 * SPM_BYTES // 4, dtype=np.uint32)
AT = RAM.ctypes.data
# The set-ups of exceptions.csv: MVSIZE, element bits, instruction, rd, rs1, rs2.
TRAPS = {
    "kaddv same SPM sources": (64, 32, "kaddv", S2, S0, S0 + 512),
    "kaddv rs1 not SPM": (64, 32, "kaddv", S2, AT & 0xFFFF, S1),
    "kaddv rs2 not SPM": (64, 32, "kaddv", S2, S0, 0x100000),
    "kaddv rd not SPM": (64, 32, "kaddv", 0x100000, S0, S1),
    "kaddv rd past last SPM": (64, 32, "kaddv", NO_SPM, S0, S1),
    "kaddv32 MVSIZE=6": (6, 32, "kaddv", S2, S0, S1),
    "kaddv16 MVSIZE=5": (5, 16, "kaddv", S2, S0, S1),
    "kaddv MVSIZE=0": (0, 32, "kaddv", 0, 0, 0),
    "kaddv rs1 overflow": (64, 32, "kaddv", S2, S0 + 4096 - 60, S1),
    "kaddv rs2 overflow": (64, 32, "kaddv", S2, S0, S1 + 4096 - 60),
    "kaddv rd overflow": (64, 32, "kaddv", S2 + 4096 - 60, S0, S1),
    "kaddv exactly to end of SPM": (64, 32, "kaddv", S2, S0 + 4096 - 64, S1),
    "kaddv full SPM 4096 bytes": (4096, 32, "kaddv", S2, S0, S1),
    "kvred rd at last word (scalar result, MVSIZE 64)": (64, 32, "kvred", S2 + 4092, S0, 0),
    "kdotp same SPM": (64, 32, "kdotp", S2, S0, S0 + 512),
    "kmemld rd not SPM": (0, 32, "kmemld", 0x100000, AT, 64),
    "kmemld rs1 misaligned": (0, 32, "kmemld", S0, AT + 2, 64),
    "kmemld overflow": (0, 32, "kmemld", S0 + 4096 - 60, AT, 64),
    "kmemld full 4096": (0, 32, "kmemld", S0, AT, 4096),
    "kmemstr rs1 not SPM": (0, 32, "kmemstr", AT, 0x100000, 64),
    "kmemstr rd misaligned": (0, 32, "kmemstr", AT + 2, S0, 64),
    "kmemstr overflow": (0, 32, "kmemstr", AT, S0 + 4096 - 60, 64),
    "ksravSPM rd=rs1 ok": (64, 32, "ksrav", S0, S0, 3),
}
# Traps there because of bits no function of vcu.h can produce, or refused here, see below.
NOT_FOR_C = {
    "illegal KDSP funct7=3",
    "KDSP funct3=0 accepted?",
    "illegal KMEM funct7=5",
    "ksvaddsc scalar in same SPM as vector",
}


def _measured_traps() -> dict[str, int]:
    """Return the trap cause of each vector case of exceptions.csv, 0 for none."""
    with (REFERENCE / "exceptions.csv").open(newline="", encoding="utf-8") as file:
        return {
            row["case"]: 0 if row["mcause_hex"] == "none" else int(row["mcause_hex"], 16)
            for row in csv.DictReader(file)
            if row["instruction"].startswith("k") or row["case"] in NOT_FOR_C
        }


def test_every_measured_vector_trap_has_a_case() -> None:
    assert set(TRAPS) == set(_measured_traps()) - NOT_FOR_C


def test_traps_as_the_rtl_does(vcu: Vcu) -> None:
    measured = _measured_traps()
    for case, (mvsize, bits, mnemonic, rd, rs1, rs2) in TRAPS.items():
        vcu.words[:] = type(vcu.words)()
        vcu.set(mvsize, bits)
        before = bytes(vcu.words)
        code = vcu.run(mnemonic, rd, rs1, rs2)
        assert code == measured[case], case
        assert code == 0 or bytes(vcu.words) == before, f"{case}: a trap has no effect"


# ---- what only timing or undefined behaviour would decide ----


HAZARDS = (
    ("kaddv", (S2 + 2, S0, S1), 0x1000),
    ("kaddv", (S2, S0 + 1, S1), 0x1000),
    ("kaddv", (S2, S0, S1 + 3), 0x1000),
    ("ksvaddsc", (S2, S0, S1 + 2), 0x1000),
    ("kaddv", (S0 + 4, S0, S1), 0x1001),
    ("kaddv", (S1 + 60, S0, S1), 0x1001),
    ("kvred", (S0 + 4, S0, 0), 0x1001),
    ("ksvaddsc", (S1, S0, S1 + 60), 0x1001),
    ("ksvaddsc", (S2, S0, S0 + 512), 0x1002),
    ("ksvmulsc", (S2, S0, NO_SPM), 0x1002),
    ("kaddv", (S0, S0, S1), 0),
    ("kaddv", (S0 + 64, S0, S1), 0),
    ("kvcp", (S0, S0 + 4, 0), 0),
    ("kvred", (S0, S0, 0), 0),
    ("ksvaddsc", (S1 + 4, S0, S1), 0),
)


def test_hazards_are_refused(vcu: Vcu) -> None:
    for mnemonic, operands, code in HAZARDS:
        vcu.set(64)
        assert vcu.run(mnemonic, *operands) == code, (mnemonic, operands)


def test_undefined_settings_are_refused(vcu: Vcu) -> None:
    vcu.set(64, bits=0)
    assert vcu.run("kaddv", S2, S0, S1) == 0x1003
    # The overrun check of the hardware sees one bit of the last offset only.
    vcu.set(SPM_BYTES + 4)
    assert vcu.run("kaddv", S2, S0, S1) == 0x102
    vcu.set(2 * SPM_BYTES - 4)
    assert vcu.run("kaddv", S2 + 4092, S0 + 4092, S1 + 4092) == 0x1004
    assert vcu.run("kmemld", S0, AT, SPM_BYTES + 4) == 0x1004


# ---- transfers ----


def test_transfers_copy_words(vcu: Vcu) -> None:
    memory = np.arange(1, 9, dtype=np.uint32)
    address = memory.ctypes.data
    assert vcu.run("kmemld", spm(1, 8), address, 32) == 0
    assert list(vcu.words[1][:12]) == [0, 0, 1, 2, 3, 4, 5, 6, 7, 8, 0, 0]
    memory[:] = 0
    assert vcu.run("kmemstr", address, spm(1, 12), 9) == 0
    assert memory.tolist() == [2, 3, 4, 0, 0, 0, 0, 0], "a partial word is stored whole"


def test_a_partial_last_word_keeps_bytes_of_the_word_before(vcu: Vcu) -> None:
    memory = np.array([0x44332211, 0x88776655], dtype=np.uint32)
    address = memory.ctypes.data
    vcu.run("kbcastld", S0, address, 7)
    assert list(vcu.words[0][:2]) == [0x44332211, 0x44776655]
    vcu.run("kmemld", S0, address, 1)
    assert vcu.words[0][0] == 0xA5A5A511, "left-overs of the hardware: a pattern that shows"


def test_sizes_are_cut_to_the_bits_of_the_hardware(vcu: Vcu) -> None:
    assert vcu.run("kmemld", S0, AT, 2 * SPM_BYTES) == 0, "nothing to copy"
    vcu.set(2 * SPM_BYTES)
    assert vcu.run("kaddv", 0, 0, 0) == 0, "MVSIZE 0"


# ---- how it is built ----

PROGRAM = '#include "vcu.h"\nint main(void) { vcu_set_mvsize(6); kaddv(1, 2, 3); return 0; }\n'


def test_a_fault_aborts_with_a_message(tmp_path: Path) -> None:
    built = compile_c(tmp_path, {"main.c": PROGRAM}, *SIZES, "-DVCU_SIMD=4", "-o", "main")
    assert built.returncode == 0, built.stderr
    result = subprocess.run(tmp_path / "main", capture_output=True, text=True, check=False)
    assert result.returncode < 0
    assert result.stderr == (
        "vcu: kaddv: MVSIZE is not a multiple of the element size "
        "(code 0x100, MVSIZE 6, MVTYPE 2)\n"
    )


@pytest.mark.parametrize(
    ("flags", "message"),
    [
        (
            (),
            "define VCU_SPM_COUNT, VCU_SPM_BYTES and VCU_SPM_BASE: the scratchpads of the machine",
        ),
        (SIZES, "define VCU_SIMD as 1, 2, 4 or 8: sums of 8 and 16 bit elements depend on it"),
        (
            (*SIZES, "-DVCU_SIMD=3"),
            "define VCU_SIMD as 1, 2, 4 or 8: sums of 8 and 16 bit elements depend on it",
        ),
        (
            ("-DVCU_SPM_COUNT=4", "-DVCU_SPM_BYTES=3000", "-DVCU_SPM_BASE=0"),
            "VCU_SPM_COUNT must be at least 1 and VCU_SPM_BYTES a power of two, at least 4",
        ),
    ],
)
def test_a_missing_setting_does_not_compile(
    tmp_path: Path, flags: tuple[str, ...], message: str
) -> None:
    built = compile_c(tmp_path, {"main.c": PROGRAM}, *flags, "-c")
    assert built.returncode != 0
    assert f'error: "vcu.h: {message}"' in built.stderr


def test_settings_come_from_machine_h(tmp_path: Path) -> None:
    machine = {"SPM_COUNT": "3", "SPM_BYTES": "8192", "SPM_BASE": "0x20000000", "SIMD": "8"}
    text = "".join(f"#define GNOMON_{name} {value}\n" for name, value in machine.items())
    (tmp_path / "machine.h").write_text(text, encoding="utf-8")
    check = 'VCU_SPM(2) == 0x20004000u && VCU_SIMD == 8, "settings"'
    source = f'#include "vcu.h"\n_Static_assert({check});\n'
    built = compile_c(tmp_path, {"main.c": source}, "-c")
    assert built.returncode == 0, built.stderr


def test_each_function_is_one_instruction_on_riscv(tmp_path: Path) -> None:
    rows = list_instructions(("kmem", "kdsp"))
    calls = []
    for row in rows:
        arguments = ["a", *("bc"[field == "rs2"] for field in row.reads if field != "rd")]
        if row.rd == "memory_address":
            arguments[0] = "(void *)a"
        if row.rs1 == "memory_address":
            arguments[1] = "(void *)b"
        calls.append(f"    {row.mnemonic}({', '.join(arguments)});")
    setters = "    vcu_set_mvsize(a); vcu_set_mvtype((enum vcu_type)b); vcu_set_mpsclfac(c);"
    body = "\n".join([setters, *calls])
    source = '#include "vcu.h"\nvoid f(uint32_t, uint32_t, uint32_t);\n'
    source += f"void f(uint32_t a, uint32_t b, uint32_t c)\n{{\n{body}\n}}\n"
    target = ("-target", "riscv32-freestanding", "-mcpu=generic_rv32+m+zicsr")
    flags = (*target, "-ffreestanding", "-fomit-frame-pointer", "-O2", "-c", "-o", "f.o")
    built = compile_c(tmp_path, {"f.c": source}, *SIZES, *flags)
    assert built.returncode == 0, built.stderr
    section = ELFFile(BytesIO((tmp_path / "f.o").read_bytes())).get_section_by_name(".text")
    words = np.frombuffer(section.data(), dtype="<u4")
    assert (decode_words(words)["number"] >= 0).all()
    expected = ["csrrw zero,mvsize,a0", "csrrw zero,mvtype,a1", "csrrw zero,mpsclfac,a2"]
    names = {"rs1": "a1", "rs2": "a2"}
    for row in rows:
        registers = ["a0", *(names[field] for field in row.reads if field != "rd")]
        expected.append(f"{row.mnemonic} {','.join(registers)}")
    assert [disassemble(word) for word in words.tolist()] == [*expected, "jalr zero,0(ra)"]


def test_every_vector_instruction_is_in_both_halves() -> None:
    machine, host = vcu_header().split("#else /* host */")
    for row in list_instructions(("kmem", "kdsp")):
        assert machine.count(f"static inline void {row.mnemonic}(") == 1
        assert host.count(f"static inline void {row.mnemonic}(") == 1
