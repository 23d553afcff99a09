"""The assembler: labels, pseudo-instructions, and messages that name the line."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gnomon.base.errors import GnomonError
from gnomon.isa import assemble, encode


def test_a_program_with_labels() -> None:
    words = assemble(
        """
        # doubles a word in place, forever
        start:  la   a0, data
        again:  lw   a1, 0(a0)
                add  a1, a1, a1
                sw   a1, (a0)
                bnez a1, again
                j    start
        data:   .word 0xdeadbeef
        here: and_here: .word here
        """,
        base=0x80,
    )
    assert words == [
        encode("lui", rd=10, imm=0),
        encode("addi", rd=10, rs1=10, imm=0x9C),
        encode("lw", rd=11, rs1=10),
        encode("add", rd=11, rs1=11, rs2=11),
        encode("sw", rs1=10, rs2=11),
        encode("bne", rs1=11, imm=-12),
        encode("jal", imm=-24),
        0xDEADBEEF,
        0xA0,
    ]


def test_pseudo_instructions() -> None:
    text = "nop\nmv t0,s1\nret\nbeqz x5,0\ncsrr a0,mcycle\ncsrw mvsize,a0\ncsrwi mvtype,2"
    assert assemble(text) == [
        encode("addi"),
        encode("addi", rd=5, rs1=9),
        encode("jalr", rs1=1),
        encode("beq", rs1=5, imm=-12),
        encode("csrrs", rd=10, csr=0xB00),
        encode("csrrw", rs1=10, csr=0xBF0),
        encode("csrrwi", imm=2, csr=0xBF8),
    ]


@settings(derandomize=True, deadline=None)
@given(st.integers(-(2**31), 2**32 - 1) | st.integers(-3000, 3000))
def test_li_loads_any_word(value: int) -> None:
    words = assemble(f"li a0, {value}")
    register = 0
    for word in words:
        if word & 0x7F == 0x37:
            register = word & 0xFFFFF000
        else:
            immediate = (word >> 20 ^ 0x800) - 0x800
            register = (register if word >> 15 & 31 else 0) + immediate
    assert register & 0xFFFFFFFF == value & 0xFFFFFFFF
    assert len(words) <= (1 if -2048 <= value <= 2047 else 2)


@settings(derandomize=True, deadline=None)
@given(st.integers(0, 2**32 - 1))
def test_la_reaches_any_address(address: int) -> None:
    upper, lower = assemble(f"la a0, {address}")
    low = (lower >> 20 ^ 0x800) - 0x800
    assert ((upper & 0xFFFFF000) + low) & 0xFFFFFFFF == address


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("nop\nadi a0,a0,1", "a.S:2: no instruction is called 'adi', did you mean 'andi'?"),
        ("addi a0,a9,1", "a.S:1: no register is called 'a9'"),
        ("addi a0,a0", "a.S:1: 'addi a0,a0': expected 3 operands, got 2"),
        ("j", "a.S:1: 'j': expected 1 operand, got 0"),
        ("kvred a0,a1,a2", "a.S:1: 'kvred a0,a1,a2': expected 2 operands, got 3"),
        ("addi a0,a0,5000", "a.S:1: addi: imm must be -2048 to 2047, not 5000"),
        ("lw a0,a1", "a.S:1: a memory operand is written offset(register), not 'a1'"),
        ("amoswap.w a0,a1,4(a2)", "a.S:1: a memory operand is written (register), not '4(a2)'"),
        ("x: nop\nx: nop", "a.S:2: label 'x' is defined twice"),
        ("csrr a0,mvsiz", "a.S:1: no CSR is called 'mvsiz', did you mean 'mvsize'?"),
        ("csrr a0,0x1000", "a.S:1: csrrs: csr must be 0 to 0xfff, not 0x1000"),
        ("loop: j lop", "a.S:1: no label is called 'lop', did you mean 'loop'?"),
        ("li a0,ten", "a.S:1: 'ten' is not a number"),
        ("addi a0,a0,0x", "a.S:1: '0x' is not a number"),
        ("li a0,0x100000000", "a.S:1: li takes a value of 32 bits, not 0x100000000"),
        (".word 0x100000000", "a.S:1: .word takes a value of 32 bits, not 0x100000000"),
        ("lui a0,0x100000", "a.S:1: lui takes a 20-bit value, not 0x100000"),
        ("fence wr,r", "a.S:1: fence takes letters of 'iorw' in this order, not 'wr'"),
    ],
)
def test_messages(text: str, message: str) -> None:
    with pytest.raises(GnomonError) as error:
        assemble(text, name="a.S")
    assert str(error.value) == message


def test_a_branch_too_far() -> None:
    with pytest.raises(GnomonError) as error:
        assemble("beqz a0, 0x1000")
    assert str(error.value) == (
        "assembly:1: beq: imm must be -4096 to 4094 and a multiple of 2, not 4096"
    )
