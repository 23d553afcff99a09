"""The instruction table: unambiguous, complete, and the roles the hardware gives the fields."""

from __future__ import annotations

from itertools import combinations
from random import Random

import pytest

from gnomon.base.content import content
from gnomon.base.errors import GnomonError
from gnomon.isa import INSTRUCTIONS, find_instruction, list_instructions
from gnomon.isa._header import rtl_package
from gnomon.isa._instruction import (
    ALL_EXTENSIONS,
    OPTIONAL_EXTENSIONS,
    number_rows,
    table_rows,
)
from gnomon.isa._operations import number_ranges

# funct7 of the vector instructions, from the measured description of the RTL, section 7.
KMEM_FUNCT7 = {"kmemld": 0, "kmemstr": 1, "kbcastld": 2}
KDSP_FUNCT7 = {
    "kaddv": 1, "ksubv": 2, "kvmul": 4, "kvred": 6, "kdotp": 8, "ksvaddsc": 12, "ksvaddrf": 13,
    "ksvmulsc": 14, "ksvmulrf": 15, "ksrav": 16, "ksrlv": 17, "krelu": 24, "kdotpps": 25,
    "kvslt": 26, "ksvslt": 28, "kbcast": 30, "kvcp": 31,
}  # fmt: skip
# Those of the toolchain's opcode list, and three that it does not use.
OPTIONAL_MATCH = {
    "kvdiv": 0x4000202B, "ksvdivsc": 0x4200202B, "ksvdivrf": 0x4400202B,
    "kvrem": 0x4600202B, "ksvremsc": 0x4800202B, "ksvremrf": 0x4A00202B,
    "kvmulps": 0x4E00202B, "ksvmulpssc": 0x5000202B, "ksvmulpsrf": 0x5200202B,
    "kvdivps": 0xE000202B, "ksvdivpssc": 0xE200202B, "ksvdivpsrf": 0xE400202B,
}  # fmt: skip


def test_no_word_is_two_instructions() -> None:
    for one, other in combinations(INSTRUCTIONS, 2):
        assert (one.match ^ other.match) & one.mask & other.mask, (one.mnemonic, other.mnemonic)


def test_rows_are_consistent() -> None:
    assert [row.number for row in INSTRUCTIONS] == list(range(len(INSTRUCTIONS)))
    assert len({row.mnemonic for row in INSTRUCTIONS}) == len(INSTRUCTIONS)
    for row in INSTRUCTIONS:
        assert row.match & ~row.mask == 0, row.mnemonic
        assert row.template & row.mask == row.match, row.mnemonic
        assert row.opcode & 3 == 3, "no compressed instructions"
        assert row.description
        assert row.source


def test_families_have_the_size_of_their_manual() -> None:
    sizes = {name: len(list_instructions({name})) for name in ALL_EXTENSIONS | OPTIONAL_EXTENSIONS}
    assert sizes == {
        "I": 40, "Zifencei": 1, "M": 8, "Zicsr": 6, "A": 1, "machine": 2, "kmem": 3, "kdsp": 17,
        "kdiv": 6, "kps": 3, "kdivps": 3,
    }  # fmt: skip
    assert sum(sizes.values()) == len(INSTRUCTIONS)


def test_what_is_decoded_by_default_is_the_public_t13x() -> None:
    assert {"I", "M", "Zicsr", "Zifencei", "A", "machine", "kmem", "kdsp"} == ALL_EXTENSIONS
    assert {"kdiv", "kps", "kdivps"} == OPTIONAL_EXTENSIONS
    # The engine's numbers of the rows of the T13x: the optional ones come after all of them.
    rows = list_instructions()
    assert [row.number for row in rows] == list(range(len(rows)))
    assert rows[-1].mnemonic == "kvcp"


def test_optional_encodings_are_those_of_the_toolchain() -> None:
    rows = list_instructions(OPTIONAL_EXTENSIONS)
    assert {row.mnemonic: row.template for row in rows} == OPTIONAL_MATCH
    assert {row.mask for row in rows} == {0xFE00007F}, "funct3 is not looked at"
    assert {row.timing_class for row in rows} == {"kdsp"}
    proposals = {row.mnemonic for row in rows if "proposal of gnomon" in row.source}
    assert proposals == {"kvdivps", "ksvdivpssc", "ksvdivpsrf"}


def test_vector_encodings_are_those_of_the_rtl() -> None:
    for extension, opcode, table in (("kmem", 0x0B, KMEM_FUNCT7), ("kdsp", 0x2B, KDSP_FUNCT7)):
        rows = list_instructions({extension})
        assert {row.mnemonic: row.match >> 25 for row in rows} == table
        assert {row.opcode for row in rows} == {opcode}
        assert {row.mask for row in rows} == {0xFE00007F}, "funct3 is not looked at"
    assert {row.template >> 12 & 7 for row in list_instructions({"kdsp"})} == {2}
    assert {row.template >> 12 & 7 for row in list_instructions({"kmem"})} == {0}


def test_vector_instructions_write_no_register_and_read_rd() -> None:
    for row in list_instructions({"kmem", "kdsp", *OPTIONAL_EXTENSIONS}):
        assert row.rd != "result"
        assert "rd" in row.reads
    assert find_instruction("kaddv").reads == ("rs1", "rs2", "rd")
    assert find_instruction("krelu").reads == ("rs1", "rd")


def test_roles_of_the_vector_fields() -> None:
    def with_role(field: str, role: str) -> set[str]:
        return {row.mnemonic for row in INSTRUCTIONS if getattr(row, field) == role}

    assert with_role("rd", "spm_word") == {"kvred", "kdotp", "kdotpps"}
    # The checks for two source vectors apply to exactly these.
    assert with_role("rs2", "spm_vector") == {
        "kaddv", "ksubv", "kvmul", "kdotp", "kdotpps", "kvslt", "kvdiv", "kvrem", "kvmulps",
        "kvdivps",
    }  # fmt: skip
    assert with_role("rs2", "spm_scalar") == {
        "ksvaddsc", "ksvmulsc", "ksvdivsc", "ksvremsc", "ksvmulpssc", "ksvdivpssc",
    }  # fmt: skip
    assert with_role("rs2", "register_scalar") == {
        "ksvaddrf", "ksvmulrf", "ksvslt", "ksvdivrf", "ksvremrf", "ksvmulpsrf", "ksvdivpsrf",
    }  # fmt: skip
    assert with_role("rs2", "shift_amount") == {"ksrav", "ksrlv"}
    assert with_role("rs1", "register_scalar") == {"kbcast"}
    assert with_role("rd", "memory_address") == {"kmemstr"}
    assert with_role("rs1", "memory_address") == {"kmemld", "kbcastld"}


def test_scalar_roles() -> None:
    assert find_instruction("sw").reads == ("rs1", "rs2")
    assert find_instruction("sw").rd != "result"
    assert find_instruction("csrrwi").reads == ()
    assert find_instruction("amoswap.w").rd == "result"
    assert find_instruction("mulhsu").timing_class == "mulh"
    assert find_instruction("auipc").timing_class == "alu"


def test_number_is_the_index() -> None:
    assert INSTRUCTIONS[find_instruction("kdotpps").number].mnemonic == "kdotpps"


def test_filter_keeps_the_order_of_the_table() -> None:
    rows = list_instructions({"M", "I"})
    assert [row.number for row in rows] == sorted(row.number for row in rows)
    assert {row.extension for row in rows} == {"I", "M"}


def test_unknown_names() -> None:
    with pytest.raises(GnomonError) as error:
        find_instruction("kadv")
    assert str(error.value) == "no instruction is called 'kadv', did you mean 'kaddv'?"
    with pytest.raises(GnomonError) as error:
        list_instructions({"kdps"})  # type: ignore[arg-type]
    assert str(error.value) == (
        "no instruction extension is called 'kdps'; "
        "known: I, M, Zicsr, Zifencei, A, machine, kmem, kdsp, kdiv, kps, kdivps, "
        "did you mean 'kps'?"
    )


def test_the_package_of_our_rtl_is_the_one_of_the_table() -> None:
    committed = content("rtl_tests", "hdl", "vcu_pkg.svh").read_text(encoding="utf-8")
    assert committed == rtl_package()


@pytest.mark.parametrize("seed", range(5))
def test_families_are_ranges_in_any_order_of_the_rows(seed: int) -> None:
    rows = table_rows("instructions.csv")
    assert number_rows(rows) == INSTRUCTIONS
    Random(seed).shuffle(rows)
    shuffled = number_rows(rows)
    assert [row.number for row in shuffled] == list(range(len(rows)))
    assert {row._replace(number=0) for row in shuffled} == {
        row._replace(number=0) for row in INSTRUCTIONS
    }
    ranges = number_ranges(shuffled)
    assert ranges == number_ranges(INSTRUCTIONS)
    for name, numbers in ranges.items():
        inside = {row.mnemonic for row in shuffled if row.number in numbers}
        assert inside == {
            row.mnemonic for row in shuffled if name in (row.timing_class, row.family)
        }, name


def test_a_new_row_stays_one_row() -> None:
    rows = table_rows("instructions.csv")
    load = next(row for row in rows if row["mnemonic"] == "lw")
    grown = number_rows([load | {"mnemonic": "new"}, *rows])
    assert len(number_ranges(grown)["load"]) == len(number_ranges(INSTRUCTIONS)["load"]) + 1
    before = [row.mnemonic for row in INSTRUCTIONS]
    assert [row.mnemonic for row in grown if row.mnemonic != "new"] == before
