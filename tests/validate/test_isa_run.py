"""How a test ends: exit code, tohost, never, and where its memories are."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from gnomon.base.errors import GnomonError
from gnomon.program import load_elf
from gnomon.rtl.validate import check_isa
from gnomon.rtl.validate._isa_check import IsaTest
from gnomon.rtl.validate._isa_run import machine_for, run_test
from tests.validate.conftest import EXIT_0, EXIT_3, HIGH, Checkout, to_host

if TYPE_CHECKING:
    from pathlib import Path


def failure(root: Path, body: str, overrides: tuple[str, ...] = ()) -> str | None:
    checkout = Checkout(root)
    checkout.riscv_test("it", body, overrides)
    elf = root / "isa/rv32ui-p-it"
    return run_test(IsaTest("rv32ui", "it", elf, None), "rv32im", ()).failure


def test_exit_code_judges(tmp_path: Path) -> None:
    assert failure(tmp_path / "good", EXIT_0) is None
    assert failure(tmp_path / "bad", EXIT_3) == "exit code 3"


def test_tohost_judges(tmp_path: Path) -> None:
    assert failure(tmp_path / "good", to_host(1)) is None
    assert failure(tmp_path / "bad", to_host(7)) == "tohost 7: case 3"


def test_tohost_judges_where_the_suites_link(tmp_path: Path) -> None:
    assert failure(tmp_path / "good", to_host(1), HIGH) is None
    assert failure(tmp_path / "bad", to_host(7), HIGH) == "tohost 7: case 3"


@pytest.mark.parametrize("body", [to_host(0), "0: j 0b"], ids=["tohost stays 0", "no tohost"])
def test_a_test_that_does_not_end_fails(tmp_path: Path, body: str) -> None:
    failed = failure(tmp_path, body)
    assert failed is not None
    assert failed.startswith("the cycle limit is reached, hart 0 at pc 0x")


def test_a_test_that_traps_fails(tmp_path: Path) -> None:
    """The start-up code ends with 0xDEAD0000 + cause; 2 is an illegal instruction."""
    assert failure(tmp_path, ".word 0") == f"exit code {0xDEAD0002}"


def test_memories_move_to_the_program(tmp_path: Path) -> None:
    Checkout(tmp_path).riscv_test("it", to_host(1), HIGH)
    program = load_elf(tmp_path / "isa/rv32ui-p-it")

    memory = machine_for(program, "rv32im", ()).memory

    end = max(part.end for part in program.segments)
    assert end > 0x80001000
    assert memory.instruction.base == 0x80000000
    assert 0 <= memory.instruction.base + memory.instruction.size - end < 0x1000
    assert memory.data.base == 0x100000


def test_data_memory_makes_room_for_the_program(tmp_path: Path) -> None:
    over_data = (
        "memory.instruction.base=0x100000",
        "memory.instruction.size=4 KiB",
        "memory.data.base=0x101000",
        "memory.data.size=8 KiB",
    )
    Checkout(tmp_path).riscv_test("it", to_host(1), over_data)
    elf = tmp_path / "isa/rv32ui-p-it"

    memory = machine_for(load_elf(elf), "rv32im", ()).memory

    assert memory.instruction.base == 0x100000
    assert memory.data.base == memory.instruction.base + memory.instruction.size
    assert run_test(IsaTest("rv32ui", "it", elf, None), "rv32im", ()).failure is None


def test_data_is_executed_where_the_suites_link(tmp_path: Path) -> None:
    """What fence_i does: it writes an instruction into its data section and calls it."""
    body = """
    la a1, routine
    li a2, 0x00300513
    sw a2, 0(a1)
    fence.i
    jr a1
    .data
routine: li a0, 9
    ret
"""
    assert failure(tmp_path, body, HIGH) == "exit code 3"


def test_memories_stay_where_the_program_fits(tmp_path: Path) -> None:
    Checkout(tmp_path).riscv_test("it", EXIT_0)
    program = load_elf(tmp_path / "isa/rv32ui-p-it")
    assert machine_for(program, "rv32im", ()).memory.data.base == 0x100000


def test_a_test_without_tohost_runs_where_it_was_linked(tmp_path: Path) -> None:
    assert failure(tmp_path / "good", EXIT_0, HIGH) is None
    assert failure(tmp_path / "bad", EXIT_3, HIGH) == "exit code 3"


def test_a_fixed_start_needs_a_program_there(tmp_path: Path) -> None:
    Checkout(tmp_path).riscv_test("it", to_host(1), HIGH)
    elf = tmp_path / "isa/rv32ui-p-it"
    with pytest.raises(GnomonError) as caught:
        run_test(IsaTest("rv32ui", "it", elf, None), "t13", ())
    assert str(caught.value) == (
        f"{elf}: nothing is at 0x80, where t13 starts; link the tests for this machine"
        " (this one starts at 0x80000080)"
    )


def test_the_same_tests_run_on_t13(checkout: Checkout) -> None:
    report = check_isa("t13", riscv_tests_path=checkout.root, arch_test_path=checkout.root)
    assert [(row.quantity, row.compared, row.mismatches) for row in report.rows] == [
        ("rv32ui", 1, 0),
        ("rv32um", 1, 0),
        ("rv32i_m-I", 1, 0),
        ("rv32i_m-M", 1, 0),
    ]
