"""Runs of tests of public suites on one machine, with checks of their exit and memory.

The usual environments of the suites link code and data together at 0x80000000; some tests execute
words that they have stored. A machine that starts at the ELF entry can run such a program: its
instruction memory is moved and enlarged to contain the whole program, which changes no cycle.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from gnomon.arch import Architecture, load_architecture
from gnomon.base.errors import GnomonError
from gnomon.base.files import read_text
from gnomon.program import Program, load_elf
from gnomon.sim import Run, simulate

_PAGE_BYTES = 4096


@dataclass(frozen=True, slots=True)
class IsaTest:
    """One test: its group and name, the program, and its expected signature if it has one.

    Without ``reference`` the test checks itself.
    """

    group: str
    name: str
    elf: Path
    reference: Path | None

    @property
    def title(self) -> str:
        """Group and name, in the form of ``--except``."""
        return f"{self.group}/{self.name}"


def machine_for(program: Program, machine: str, overrides: Sequence[str]) -> Architecture:
    """Return the machine for a program: unchanged, or with memories that contain the program.

    A data memory that overlaps the program is moved after it.

    Raises:
        GnomonError: if the machine has a fixed reset pc at which the program has no code.
    """
    architecture = load_architecture(machine, overrides)
    reset = architecture.core.reset_pc
    if reset != "entry":
        if not any(part.address <= reset < part.end for part in program.segments):
            raise GnomonError(
                f"{program.name}: nothing is at {reset:#x}, where {architecture.name} starts;"
                f" link the tests for this machine (this one starts at {program.entry:#x})"
            )
        return architecture
    memory = architecture.memory
    starts = 0 <= program.entry - memory.instruction.base < memory.instruction.size
    places = [(each.base, each.end) for each in memory.spans]
    if starts and all(
        any(base <= part.address and part.end <= end for base, end in places)
        for part in program.segments
    ):
        return architecture
    if memory.regions:
        raise GnomonError(
            f"{program.name}: it is outside the regions of {architecture.name}, which have fixed"
            " addresses (memory.regions)"
        )
    low = min(part.address for part in program.segments) & -_PAGE_BYTES
    end = -(-max(part.end for part in program.segments) // _PAGE_BYTES) * _PAGE_BYTES
    moved = [f"memory.instruction.base={low:#x}", f"memory.instruction.size={end - low} B"]
    if memory.is_one:
        moved += [each.replace(".instruction.", ".data.") for each in moved]
    elif low < memory.data.base + memory.data.size and memory.data.base < end:
        moved.append(f"memory.data.base={end:#x}")
    return load_architecture(machine, [*overrides, *moved])


WORD_BYTES = 4
_WORD = re.compile("[0-9a-fA-F]{8}")


def read_signature(path: Path) -> list[int]:
    """Return the words of a signature file: one per line, eight hexadecimal digits.

    Raises:
        GnomonError: if a line is not a word, or the file is empty.
    """
    lines = read_text(path).split("\n")
    words = []
    for number, line in enumerate(lines, 1):
        text = line.strip()
        if not text and number == len(lines):
            break
        if not _WORD.fullmatch(text):
            raise GnomonError(
                f"{path}:{number}: {text!r} is not a word of a signature: it must be eight"
                " hexadecimal digits"
            )
        words.append(int(text, 16))
    if not words:
        raise GnomonError(f"{path}: the signature is empty")
    return words


def compare_signature(
    program: Program, run: Run, architecture: Architecture, expected: list[int]
) -> str | None:
    """Return None if memory holds the expected words, otherwise text on the first difference.

    Raises:
        GnomonError: if the signature is not inside one memory.
    """
    begin = program.symbol("begin_signature").address
    end = program.symbol("end_signature").address
    held = run.bytes_at(begin, end - begin) if begin < end else None
    if held is None:
        raise GnomonError(
            f"{program.name}: the signature {begin:#x}..{end:#x} is not inside one memory of"
            f" {architecture.name}"
        )
    words = np.frombuffer(held + bytes(-len(held) % WORD_BYTES), dtype="<u4")
    if len(words) != len(expected):
        return f"the signature has {len(words)} words, the reference {len(expected)}"
    wrong = np.flatnonzero(words != np.array(expected, dtype=np.uint32))
    if not len(wrong):
        return None
    first = int(wrong[0])
    return (
        f"{len(wrong)} of {len(words)} words differ, first word {first} at"
        f" {begin + WORD_BYTES * first:#x}: {words[first]:08x}, reference {expected[first]:08x}"
    )


# The longest test measured takes 35,614 cycles (riscv-arch-test divu-01 on t13). A test that ends
# by tohost spins up to this limit.
CYCLE_LIMIT = 1_000_000


@dataclass(frozen=True, slots=True)
class IsaResult:
    """Result of a test; ``failure`` is None if it passed."""

    test: IsaTest
    failure: str | None

    def to_json(self) -> dict[str, str | bool | None]:
        return {
            "group": self.test.group,
            "name": self.test.name,
            "passed": self.failure is None,
            "failure": self.failure,
        }


def run_test(test: IsaTest, machine: str, overrides: Sequence[str]) -> IsaResult:
    program = load_elf(test.elf, str(test.elf))
    architecture = machine_for(program, machine, overrides)
    run = simulate(program, architecture, max_cycles=CYCLE_LIMIT)
    failure = _find_failure(program, run)
    if failure is None and test.reference is not None:
        failure = compare_signature(program, run, architecture, read_signature(test.reference))
    return IsaResult(test, failure)


def _find_failure(program: Program, run: Run) -> str | None:
    """Return None if the test reports success, otherwise its report or why it did not end."""
    if run.halted == "exit":
        return f"exit code {run.exit_code}" if run.exit_code else None
    tohost = [symbol.address for symbol in program.symbols if symbol.name == "tohost"]
    if run.halted == "max-cycles" and tohost:
        value = int.from_bytes(run.bytes_at(tohost[0], 4) or b"", "little")
        if value == 1:
            return None
        if value:
            return f"tohost {value}: case {value >> 1}"
    return run.reason
