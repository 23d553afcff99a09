"""Finding tests in a checkout, and what is said when they are not there."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from gnomon.base.errors import GnomonError
from gnomon.rtl.validate import check_isa
from gnomon.rtl.validate._isa_check import arch_tests, riscv_tests

if TYPE_CHECKING:
    from pathlib import Path

    from tests.validate.conftest import Checkout


def refusal(**arguments: object) -> str:
    with pytest.raises(GnomonError) as caught:
        check_isa("rv32im", **arguments)  # type: ignore[arg-type]
    assert caught.value.exit_code == 2
    return str(caught.value)


def test_tests_are_found_by_their_sources(checkout: Checkout) -> None:
    found = riscv_tests(checkout.root, compressed=False)
    found += arch_tests(checkout.root, compressed=False)
    assert [test.title for test in found] == [
        "rv32ui/good",
        "rv32um/multiply",
        "rv32i_m-I/add-01",
        "rv32i_m-M/mul-01",
    ]


def test_nothing_given() -> None:
    assert refusal() == (
        "nothing to check: give a built checkout with --riscv-tests PATH or --arch-test PATH"
    )


def test_no_folder(tmp_path: Path) -> None:
    path = tmp_path / "nowhere"
    assert refusal(riscv_tests_path=path) == (
        f"{path}: no such folder; give the path of a riscv-tests checkout"
    )
    assert refusal(arch_test_path=path) == (
        f"{path}: no such folder; give the path of a riscv-arch-test checkout"
    )


def test_not_a_checkout(tmp_path: Path) -> None:
    assert refusal(riscv_tests_path=tmp_path) == (
        f"{tmp_path}: not a riscv-tests checkout: it has no sources isa/rv32ui/*.S"
    )
    assert refusal(arch_test_path=tmp_path) == (
        f"{tmp_path}: not a riscv-arch-test checkout: it has no sources"
        " riscv-test-suite/rv32i_m/I/src/*.S"
    )


def test_no_signatures(checkout: Checkout) -> None:
    reference = checkout.root / "riscv-test-suite/rv32i_m/I/references/add-01.reference_output"
    reference.unlink()
    assert refusal(arch_test_path=checkout.root) == (
        f"{reference}: no such file; revisions from 3.0 on have no signatures,"
        " check out branch old-framework-2.x"
    )


def test_not_built(checkout: Checkout) -> None:
    for number in range(9):
        (checkout.root / f"isa/rv32ui/t{number}.S").write_text("")
    elf = checkout.root / "isa/rv32ui-p-t0"
    names = ", ".join(f"rv32ui/t{number}" for number in range(8))
    assert refusal(riscv_tests_path=checkout.root) == (
        f"{elf}: no such file; 9 of 11 tests are not built ({names} and 1 more): build the suite"
        " in place, or leave out tests with --except GROUP/NAME"
    )


def test_what_is_not_built_can_be_left_out(checkout: Checkout) -> None:
    (checkout.root / "isa/rv32ui/more.S").write_text("")
    report = check_isa(
        "rv32im", riscv_tests_path=checkout.root, exceptions=["rv32ui/more", "rv32um/multiply"]
    )
    assert [result.test.title for result in report.results] == ["rv32ui/good"]
    assert report.excepted == ("rv32ui/more", "rv32um/multiply")


def test_an_exception_must_name_a_test(checkout: Checkout) -> None:
    assert refusal(riscv_tests_path=checkout.root, exceptions=["rv32ui/god"]) == (
        "--except rv32ui/god: no such test; write GROUP/NAME, such as rv32ui/good,"
        " did you mean 'rv32ui/good'?"
    )
