"""What a program died of: the trap that its start-up code ended it with, in words."""

from dataclasses import dataclass

import numpy as np

from gnomon.base.errors import CheckFailed, GnomonError
from gnomon.program import Program
from gnomon.program.lines import source_lines
from gnomon.sim._codes import ILLEGAL_INSTRUCTION, TRAPS
from gnomon.sim._illegal import why_illegal
from gnomon.sim._run import Run


@dataclass(frozen=True, slots=True)
class Crash:
    """A run that ended in the trap handler of the start-up code."""

    cause: int  # as `mcause` has it, its lower 16 bits
    address: int  # of the instruction that trapped
    hart: int | None  # whose trap ended the run; None where the program has no symbols
    function: str  # that the address is in; empty if it is in none
    line: str  # `file:line`; empty without debug information
    # of an illegal instruction, why it is one on this machine; else empty
    detail: str = ""

    def __str__(self) -> str:
        """One sentence."""
        what = TRAPS.get(self.cause, f"cause 0x{self.cause:X}")
        hart = "" if self.hart is None else f" on hart {self.hart}"
        function = f" in {self.function}" if self.function else ""
        line = f" ({self.line})" if self.line else ""
        detail = f"; {self.detail}" if self.detail else ""
        return f"trap{hart}: {what} at 0x{self.address:08X}{function}{line}{detail}"


def crash_of(run: Run, program: Program) -> Crash | None:
    """What ended a run, if that is a trap; None for any other end.

    A program that returns such a code by itself has not printed what the trap handler prints.
    """
    if not run.trapped or run.exit_code is None:
        return None
    cause = run.exit_code & 0xFFFF
    causes = [place for place, word in enumerate(run.printed) if word & 0xFFFF == cause]
    if not causes or causes[0] + 1 == len(run.printed):
        return None
    hart = _hart(run, program)
    address = _address(run, hart, run.printed[causes[0] + 1 :])
    function = program.function_at(address)
    line = source_lines(program, [address])[0] if function else None
    detail = ""
    if cause == ILLEGAL_INSTRUCTION:
        detail = why_illegal(_word(run, address), run.architecture)
    name = function.name if function else ""
    return Crash(cause, address, hart, name, str(line or "").removeprefix("./"), detail)


def _word(run: Run, address: int) -> int:
    """The instruction at an address when the run ended."""
    place = address - int(run.architecture.memory.instruction.base)
    word = int.from_bytes(run.instruction_memory[place : place + 4], "little")
    short = run.architecture.core.alignment_bytes == 2 and word & 3 != 3
    return word & 0xFFFF if short else word


def _hart(run: Run, program: Program) -> int | None:
    """The hart that came to the exit store: the run ends there, so no other did."""
    try:
        ending = program.symbol("gnomon_exit")
    except GnomonError:
        return None
    first, end = map(run.profile.place, (ending.address, ending.address + ending.size_bytes))
    issues = run.profile.issues[:, first:end]
    reached = [len(np.trim_zeros(row, "b")) for row in issues]
    return int(np.argmax(reached)) if any(reached) else None


def _address(run: Run, hart: int | None, printed: tuple[int, ...]) -> int:
    """The last word printed where this hart trapped; harts that trap together print in turns."""
    trapped = run.profile.parts["trap"]
    rows = trapped.sum(axis=0) if hart is None else trapped[hart]
    places = {run.profile.address(int(word)) for word in np.flatnonzero(rows)}
    return next((word for word in reversed(printed) if word in places), printed[-1])


def bad_end(run: Run, program: Program) -> str | None:
    """How a run ended that did not come to its end by itself, in words; None for one that did."""
    if run.halted != "exit":
        return f"did not finish ({run.halted}): {run.reason}{entry_elsewhere(run, program)}"
    crash = crash_of(run, program)
    return None if crash is None else f"{crash}{entry_elsewhere(run, program)}"


def entry_elsewhere(run: Run, program: Program) -> str:
    """Return a clause if the machine does not start at the entry of the program, or nothing."""
    reset = run.architecture.core.reset_pc
    if not isinstance(reset, int) or program.entry == reset:
        return ""
    return f"; the program's entry is 0x{program.entry:X}, this machine starts at 0x{reset:X}"


def check_end(run: Run, program: Program) -> None:
    """Refuse a run that did not come to its end by itself.

    Raises:
        GnomonError: it faulted, hung or was cut off.
        CheckFailed: it crashed: its own runtime ended it, as in ``gnomon run``.
    """
    ended = bad_end(run, program)
    if ended is not None:
        kind = CheckFailed if run.halted == "exit" else GnomonError
        raise kind(f"{run.program}: {ended}")
