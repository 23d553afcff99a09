"""Proof of a proposal: the program with the instruction, in a run that must give the same."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from gnomon.arch.units import Unit, directive
from gnomon.arch.units.machine import add_unit
from gnomon.base.digest import digest
from gnomon.base.errors import CheckFailed
from gnomon.observe.instructions._mine import Proposal, Site
from gnomon.program import AssemblyEdit, Program
from gnomon.sim import Run, simulate

Rebuild = Callable[..., Program]
"""Builds the program with ``architecture`` and ``edit``, arguments of ``gnomon.program.build``."""

_LONGER = 2  # times the cycles of the run: a program that takes longer has failed


@dataclass(frozen=True, slots=True)
class Proof:
    """The run of the program with the instruction, and what it saves."""

    run: Run
    executions: int
    saves_hart_cycles: int
    saves_wall_cycles: int


def prove_instruction(
    proposal: Proposal,
    unit: Unit,
    program: Program,
    run: Run,
    rebuild: Rebuild,
) -> Proof:
    """Run the program with all pieces of a proposal replaced by its instruction.

    Args:
        proposal: for this program.
        unit: with the instruction alone.
        program: the program without it.
        run: a run of that program.
        rebuild: builds the program.

    Raises:
        CheckFailed: if the exit code, the printed output or the static data differ.
        GnomonError: if the machine cannot have the unit, or the program does not build or run.
    """
    machine = add_unit(run.architecture, unit)
    changed = rebuild(architecture=machine, edit=make_edit(proposal, unit))
    other = simulate(changed, machine, max_cycles=_LONGER * run.wall_cycles)
    (instruction,) = unit.instructions
    title = f"{program.name} with {instruction.mnemonic}"
    for what, got, expected in (
        ("end", other.halted, run.halted),
        ("exit code", other.exit_code, run.exit_code),
        ("printed words", other.printed, run.printed),
        ("console", other.console, run.console),
    ):
        if got != expected:
            raise CheckFailed(
                f"{title}: {what} {got!r}, without it {expected!r}"
                " (a program that outputs its own cycles cannot be proved)"
            )
    wrong = _count_differing_words((program, run), (changed, other))
    if wrong:
        raise CheckFailed(f"{title}: {wrong} words of static data differ from the run without it")
    return Proof(
        other,
        other.work.instructions.get(instruction.mnemonic, 0),
        _count_awake(run) - _count_awake(other),
        run.wall_cycles - other.wall_cycles,
    )


def make_edit(proposal: Proposal, unit: Unit) -> AssemblyEdit:
    """Return the change of assembly text that replaces all pieces by the instruction."""
    (instruction,) = unit.instructions
    head = directive(instruction.row)
    fields = {"R": 3, "R4": 4}[instruction.row.format]
    sites: dict[int, list[Site]] = {}
    for each in proposal.sites:
        sites.setdefault(each.source, []).append(each)

    def apply(source: int, text: str) -> str:
        lines = text.split("\n")
        for line in (line for site in sites.get(source, ()) for line in site.lines):
            lines[line] = ""
        for site in sites.get(source, ()):
            registers = ", ".join(f"x{each}" for each in [*site.registers, 0, 0][:fields])
            lines[site.place] = f"\t{head}, {registers}\n{lines[site.place]}"
        return "\n".join(lines)

    return AssemblyEdit(digest(("replace 2", head, tuple(map(tuple, proposal.sites)))), apply)


def _count_awake(run: Run) -> int:
    """Return the cycles of all harts, without the slots of sleeping ones."""
    return int(run.profile.cycles.sum() - run.profile.parts["parked"].sum())


def _count_differing_words(one: tuple[Program, Run], other: tuple[Program, Run]) -> int:
    """Return the number of words of static data that differ after the runs.

    Words that differ at the start, such as addresses of functions, are not compared.
    """
    (started, ended), (other_started, other_ended) = map(_read_data, (one, other))
    if len(started) != len(other_started):
        return abs(len(started) - len(other_started))
    return int(((ended != other_ended) & (started == other_started)).sum())


def _read_data(pair: tuple[Program, Run]) -> tuple[npt.NDArray[np.uint32], npt.NDArray[np.uint32]]:
    """Return the words of static data, without stacks, at the start and at the end."""
    program, run = pair
    first, end = (program.symbol(name).address for name in ("_data", "_data_end"))
    start = bytearray(end - first)
    for segment in program.segments:
        low, high = max(segment.address, first), min(segment.address + len(segment.data), end)
        if low < high:
            start[low - first : high - first] = segment.data[
                low - segment.address : high - segment.address
            ]
    base = run.architecture.memory.data.base
    after = run.data_memory[first - base : end - base]
    return np.frombuffer(bytes(start), dtype="<u4"), np.frombuffer(after, dtype="<u4")
