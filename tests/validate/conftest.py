"""Checkouts in the shape of the public suites, with small tests of our own in them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from gnomon.arch import load_architecture
from gnomon.base.cache import cache_folder
from gnomon.program import build

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

# Memories where the suites' usual environments link.
HIGH = (
    "memory.instruction.base=0x80000000",
    "memory.instruction.size=4 KiB",
    "memory.data.base=0x80001000",
    "memory.data.size=8 KiB",
)


@pytest.fixture(scope="session")
def builds(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder for the builds of these tests; zig's own library, slow to build, is shared."""
    shared = cache_folder("zig")
    folder = tmp_path_factory.mktemp("cache")
    (folder / "zig").symlink_to(shared)
    return folder


@pytest.fixture(scope="module", autouse=True)
def cache(builds: Path) -> Iterator[Path]:
    """The cache of these tests; those of other folders, which may run next, have another one."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("GNOMON_CACHE", str(builds))
        yield builds


class Checkout:
    """A folder to which tests are added, source and program."""

    def __init__(self, root: Path) -> None:
        self.root = root

    def riscv_test(self, name: str, body: str, overrides: tuple[str, ...] = ()) -> None:
        source = self.root / f"isa/rv32ui/{name}.S"
        self._add(source, body, self.root / f"isa/rv32ui-p-{name}", overrides)

    def arch_test(self, group: str, name: str, body: str, reference: str) -> None:
        suite = self.root / "riscv-test-suite/rv32i_m" / group
        elf = self.root / "work/rv32i_m" / group / f"{name}.elf"
        self._add(suite / f"src/{name}.S", body, elf, ())
        (suite / "references").mkdir(exist_ok=True)
        (suite / f"references/{name}.reference_output").write_text(reference)

    @staticmethod
    def _add(source: Path, body: str, elf: Path, overrides: tuple[str, ...]) -> None:
        source.parent.mkdir(parents=True, exist_ok=True)
        elf.parent.mkdir(parents=True, exist_ok=True)
        source.write_text(f".globl main\nmain:\n{body}\n")
        elf.write_bytes(build([source], load_architecture("rv32im", overrides)).elf)


EXIT_0 = "li a0, 0\nret"
EXIT_3 = "li a0, 3\nret"
# The product of two numbers, and a word that the test does not touch.
SIGNATURE = """
    li a1, 0x12345
    li a2, -3
    mul a1, a1, a2
    la a0, begin_signature
    sw a1, 0(a0)
    li a0, 0
    ret
    .data
    .balign 16
    .globl begin_signature
begin_signature: .word 0, 0xdeadbeef
    .globl end_signature
end_signature:
"""
RIGHT = "fffc9631\ndeadbeef\n"


def to_host(value: int) -> str:
    return f"""
    li a1, {value}
    la a0, tohost
0:  sw a1, 0(a0)
    j 0b
    .data
    .globl tohost
tohost: .word 0
"""


@pytest.fixture
def checkout(tmp_path: Path) -> Checkout:
    """A riscv-tests checkout with a test that passes, and one of each group for arch-test."""
    made = Checkout(tmp_path)
    made.riscv_test("good", EXIT_0)
    multiply = tmp_path / "isa/rv32um/multiply.S"
    made._add(multiply, EXIT_0, tmp_path / "isa/rv32um-p-multiply", ())
    made.arch_test("I", "add-01", SIGNATURE, RIGHT)
    made.arch_test("M", "mul-01", SIGNATURE, RIGHT)
    return made
