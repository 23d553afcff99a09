"""Signatures: right, wrong, of another length, and files that are none."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from gnomon.base.errors import GnomonError
from gnomon.program import load_elf
from gnomon.rtl.validate import check_isa
from gnomon.rtl.validate._isa_run import read_signature
from tests.validate.conftest import SIGNATURE, Checkout

if TYPE_CHECKING:
    from pathlib import Path


def failure(checkout: Checkout, reference: str, body: str = SIGNATURE) -> str | None:
    checkout.arch_test("I", "add-01", body, reference)
    report = check_isa("rv32im", arch_test_path=checkout.root)
    return report.results[0].failure


def test_right_signature(checkout: Checkout) -> None:
    assert failure(checkout, "fffc9631\ndeadbeef\n") is None
    assert failure(checkout, "FFFC9631\r\nDEADBEEF") is None


def test_wrong_signature(checkout: Checkout) -> None:
    failed = failure(checkout, "fffc9631\ndeadbeee\n")
    program = load_elf(checkout.root / "work/rv32i_m/I/add-01.elf")
    address = program.symbol("begin_signature").address + 4
    assert failed == (
        f"1 of 2 words differ, first word 1 at {address:#x}: deadbeef, reference deadbeee"
    )


def test_signature_of_another_length(checkout: Checkout) -> None:
    assert failure(checkout, "fffc9631\n") == "the signature has 2 words, the reference 1"


def test_a_failed_exit_counts_before_the_signature(checkout: Checkout) -> None:
    body = SIGNATURE.replace("li a0, 0\n", "li a0, 9\n")
    assert failure(checkout, "fffc9631\ndeadbeef\n", body) == "exit code 9"


def test_signature_in_instruction_memory(checkout: Checkout) -> None:
    body = SIGNATURE.replace(".data", ".text")
    assert failure(checkout, "fffc9631\ndeadbeef\n", body) is None
    failed = failure(checkout, "fffc9632\ndeadbeef\n", body)
    assert failed is not None
    assert failed.startswith("1 of 2 words differ, first word 0 at ")


@pytest.mark.parametrize(
    ("begin", "end"), [(0x300000, 0x300008), (0x13FFFC, 0x140004), (0x100008, 0x100008)]
)
def test_signature_outside_the_memories(checkout: Checkout, begin: int, end: int) -> None:
    symbols = f".globl begin_signature, end_signature\n.set begin_signature, {begin}\n"
    with pytest.raises(GnomonError) as caught:
        failure(checkout, "00000000\n", f"li a0, 0\nret\n{symbols}.set end_signature, {end}\n")
    elf = checkout.root / "work/rv32i_m/I/add-01.elf"
    assert str(caught.value) == (
        f"{elf}: the signature {begin:#x}..{end:#x} is not inside one memory of rv32im"
    )


def refusal(path: Path) -> str:
    with pytest.raises(GnomonError) as caught:
        read_signature(path)
    return str(caught.value)


@pytest.mark.parametrize("line", ["", "12345", "0x123456", "1234567g", "123456789"])
def test_a_line_that_is_no_word(tmp_path: Path, line: str) -> None:
    path = tmp_path / "it.reference_output"
    path.write_text(f"00000000\n{line}\n00000001\n")
    assert refusal(path) == (
        f"{path}:2: {line!r} is not a word of a signature: it must be eight hexadecimal digits"
    )


def test_empty_signature(tmp_path: Path) -> None:
    path = tmp_path / "it.reference_output"
    path.write_text("")
    assert refusal(path) == f"{path}: the signature is empty"
