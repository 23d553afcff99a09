"""Comparison of programs on a core and on its machine, up to the first differing instruction."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import chain, pairwise

import numpy as np
import numpy.typing as npt

from gnomon.calibrate._device import Device, MachineDevice, Retired, Stopped, Waits, program_of
from gnomon.calibrate._measure import Skew, Skews, Step, execute_cycles, list_steps, skew_key
from gnomon.calibrate._programs import END, shorter, whole
from gnomon.calibrate._varied_programs import varied_items
from gnomon.isa import Instruction, decode_word, disassemble, encode, size_bytes
from gnomon.program import Program
from gnomon.rtl.bare_metal import smallest

Items = tuple[tuple[int, ...], ...]
_MOST_TRIES = 150
_MOST_SHOWN = 60  # instructions of a timeline
_UNKNOWN = -1  # value of a register that the core has not written


def minimize(items: Items, fails: Callable[[Items], bool], most_tries: int) -> Items:
    """Return a small failing program: remove items, then parts of the remaining items.

    Args:
        items: items of a failing program.
        fails: whether a program still fails.
        most_tries: largest number of tries of either step.
    """
    left = iter(range(most_tries))

    def tried(candidate: Items) -> bool:
        return next(left, None) is not None and fails(candidate)

    items = smallest(items, tried)
    left = iter(range(most_tries))
    n = 0
    while n < len(items):
        changed = ((*items[:n], part, *items[n + 1 :]) for part in shorter(items[n]))
        found = next((each for each in changed if tried(each)), None)
        items, n = (items, n + 1) if found is None else (found, n)
    return items


@dataclass(frozen=True)
class Difference:
    """The smallest program found on which core and machine differ."""

    items: Items
    waits: Waits
    message: str
    timeline: tuple[Step, ...] = ()
    units: tuple[Instruction, ...] = ()

    @property
    def mnemonics(self) -> set[str]:
        """Instructions of the program; those of units are left out."""
        decoded = (decode_word(word, compressed=True) for word in chain(*self.items))
        return {each.instruction.mnemonic for each in decoded if each is not None}

    def __str__(self) -> str:
        lines = [f"    {disassemble(word, units=self.units)}" for word in chain(*self.items)]
        return "\n".join([f"with {self.waits}: {self.message}", *lines])


@dataclass(frozen=True)
class ComparedPrograms:
    """Result of a comparison: numbers of programs and instructions, and the first difference.

    ``of_units``: instructions of the units of the machine by mnemonic. ``values``: whether results
    were compared, too.
    """

    programs: int
    instructions: int
    difference: Difference | None
    compiled: int = 0
    of_units: Counter[str] = field(default_factory=Counter)
    values: bool = False

    def to_json(self) -> dict[str, object]:
        """Return the counts as JSON-compatible data, if nothing differs."""
        return {"programs": self.programs, "compiled": self.compiled,
                "instructions": self.instructions, "wrong": 0, "values": self.values,
                "of_units": dict(self.of_units)}  # fmt: skip

    def __str__(self) -> str:
        """Return the counts in one line, if nothing differs."""
        compiled = f"{self.compiled} compiled and " * bool(self.compiled)
        units = ", ".join(f"{count} {name}" for name, count in self.of_units.items())
        return (
            f"0 of {self.instructions} instructions wrong in {compiled}{self.programs} random "
            f"programs{f' ({units})' if units else ''}"
        )


@dataclass(frozen=True)
class CoreComparison:
    """A core and the machine that models it.

    ``skews``: instructions whose cycles the core shows with others, so they are timed together. If
    the core shows results, they are compared, too.
    """

    core: Device
    machine: MachineDevice
    skews: Skews

    def random(self, seeds: Iterable[int], waits: Sequence[Waits], size: int) -> ComparedPrograms:
        """Run random programs until one differs.

        Args:
            seeds: seeds of the programs.
            waits: wait states; the programs use them in turn.
            size: instructions of a program.
        """
        count = total = 0
        of_units: Counter[str] = Counter({row.mnemonic: 0 for row in self.machine.unit_rows})
        for count, seed in enumerate(seeds, 1):
            now = waits[(count - 1) % len(waits)]
            items = tuple(self._random_items(seed, size, from_code=bool(now.places)))
            message, instructions = self._differs(items, now, of_units)
            total += instructions
            if message:
                small = self._smaller(items, now)
                message, _ = self._differs(small, now)
                found = Difference(small, now, message, tuple(self._timeline(small, now)),
                                   self.machine.unit_rows)  # fmt: skip
                return ComparedPrograms(count, total, found)
        return ComparedPrograms(count, total, None, of_units=of_units, values=self.core.sees_values)

    def _random_items(self, seed: int, size: int, *, from_code: bool) -> list[tuple[int, ...]]:
        units, excluded = self.machine.unit_rows, self.core.excluded
        return varied_items(seed, self.core.isa, size, units, excluded, from_code=from_code)

    def _differs(
        self, items: Items, waits: Waits, of_units: Counter[str] | None = None
    ) -> tuple[str, int]:
        return self.first_difference(self._program(items), waits, of_units, defined=True)

    @property
    def _compressed(self) -> bool:
        return size_bytes(self.core.isa) == 2

    def _program(self, items: Items) -> Program:
        # The RTL starts with undefined registers.
        known = [encode("addi", rd=register) for register in range(1, 32)]
        words = [*known, *whole(list(chain(*items)), compressed=self._compressed)]
        return program_of(words, self.core.start, compressed=self._compressed)

    def _timeline(self, items: Items, waits: Waits) -> Iterator[Step]:
        """Yield the instructions of both, from the first item or the first difference on."""
        program = self._program(items)
        try:
            core, machine = (each.execute(program, waits) for each in (self.core, self.machine))
        except Stopped:
            return
        # The empty program ends with the words after the body; this is the address of the first.
        first = self._program(()).segments[0].end - 4 * (END + 3)
        at = next(
            (
                n
                for n, each in enumerate(core)
                if each.pc == first
                or (n and execute_cycles(core, n, 1) != execute_cycles(machine, n, 1))
            ),
            1,
        )
        part = slice(at - 1, at + _MOST_SHOWN)
        yield from list_steps(program, core[part], machine[part], self.machine.unit_rows)

    def first_difference(
        self,
        program: Program,
        waits: Waits,
        of_units: Counter[str] | None = None,
        *,
        defined: bool = False,
    ) -> tuple[str, int]:
        """Return a message on the first difference ("" if equal), and the instructions before it.

        Args:
            program: program to run on core and machine.
            waits: wait states of the memories, in cycles.
            of_units: counts of executed instructions of units, to be increased.
            defined: whether the program defines all registers before it reads them. Otherwise a
                result with undefined bits is not compared.
        """
        try:
            return self._first_difference(program, waits, of_units, defined=defined)
        except Stopped as stopped:
            return str(stopped), 0

    def _first_difference(
        self, program: Program, waits: Waits, of_units: Counter[str] | None, *, defined: bool
    ) -> tuple[str, int]:
        modeled = self.machine.execute(program, waits)
        longest = (modeled[-1].cycle or 0) if modeled else 0
        measured = self.core.execute(program, waits, 4 * longest + 10_000)
        length = len(modeled) - 1  # without the store that ends the program
        if of_units is not None:
            self._count(program, modeled[:length], of_units)
        found = [self._first_wrong_cycles(program, modeled, measured)]
        if self.core.sees_values:
            states = self.machine.registers(program, waits)
            found.append(self._first_wrong_value(program, states, measured, defined=defined))
        different = [each for each in found if each[0]]
        return min(different, key=lambda each: each[1]) if different else ("", length)

    def _count(self, program: Program, modeled: Sequence[Retired], of_units: Counter[str]) -> None:
        for pc, count in Counter(each.pc for each in modeled).items():
            word = program.instruction_at(pc)
            for row in self.machine.unit_rows:
                if word & row.mask == row.match:
                    of_units[row.mnemonic] += count

    def _first_wrong_cycles(
        self, program: Program, modeled: Sequence[Retired], measured: Sequence[Retired]
    ) -> tuple[str, int]:
        """Return a message on the first instruction with other cycles, or at another address."""
        last = -1
        hidden = self._list_hidden(program, modeled)
        for number, each in enumerate(modeled[:-1]):
            if number >= len(measured) or measured[number].pc != each.pc:
                return f"the core leaves the program after {modeled[number - 1].pc:#x}", number
            if measured[number].cycle is None or number in hidden:
                continue
            if last >= 0:
                took, wanted = (
                    execute_cycles(run, number, number - last) for run in (measured, modeled)
                )
                if took != wanted:
                    what = self._text(program, each.pc)
                    if number - last > 1:
                        what = f"from {self._text(program, modeled[last + 1].pc)} to {what}: it"
                    return f"{what} takes {took} cycles, on the machine {wanted}", number
            last = number
        return "", len(modeled)

    def _list_hidden(self, program: Program, modeled: Sequence[Retired]) -> set[int]:
        """Return the instructions at whose end the core has not shown the cycles up to there."""
        hidden: set[int] = set()
        for number, (each, after) in enumerate(pairwise(modeled) if self.skews else ()):
            skew = self._skew(program, each.pc, after.pc)
            hidden.update(range(number - skew.before, number + skew.after))
        return hidden

    def _skew(self, program: Program, pc: int, after: int) -> Skew:
        decoded = decode_word(program.instruction_at(pc), compressed=True)
        if decoded is None:
            return Skew()
        name, size = decoded.instruction.mnemonic, decoded.size_bytes
        skew = self.skews.get(skew_key(name), Skew())
        if after != pc + size or decoded.imm == size:  # perhaps taken, if that is the next one
            skew = skew.or_more(self.skews.get(skew_key(name, taken=True), Skew()))
        return skew

    def _first_wrong_value(
        self,
        program: Program,
        states: npt.NDArray[np.uint32],
        measured: Sequence[Retired],
        *,
        defined: bool,
    ) -> tuple[str, int]:
        """Return a message on the first instruction after which a register differs.

        ``states``: registers of the machine after each instruction. Registers that the core has not
        written are not compared.
        """
        known: dict[int, int | None] = {}
        # An instruction changes one register at most; register 0 stands for none.
        changed = np.argmax(states[1:] != states[:-1], axis=1).tolist()
        for number, (each, other) in enumerate(zip(measured, [0, *changed], strict=False)):
            assert each.written is not None
            register, value = each.written
            if register and (defined or value is not None):
                known[register] = value
            elif register:
                known.pop(register, None)
            for name in (register, other):
                held, wanted = known.get(name, _UNKNOWN), int(states[number, name])
                if held in (_UNKNOWN, wanted):
                    continue
                got = "undefined bits" if held is None else f"{held:#x}"
                after = f"after {self._text(program, each.pc)} x{name} has {got}"
                return f"{after}, on the machine {wanted:#x}", number
        return "", len(states)

    def _text(self, program: Program, pc: int) -> str:
        return disassemble(program.instruction_at(pc), units=self.machine.unit_rows)

    def _smaller(self, items: Items, waits: Waits) -> Items:
        """Minimize a differing program: remove items, then parts of the remaining items."""

        def fails(candidate: Items, *, stopped: bool = False) -> bool:
            # Without an instruction that sets an address, a program may stop on the machine.
            try:
                return bool(self._first_difference(self._program(candidate), waits, None,
                                                   defined=True)[0])  # fmt: skip
            except Stopped:
                return stopped

        if not fails(items):
            return minimize(items, partial(fails, stopped=True), _MOST_TRIES)

        return minimize(items, fails, _MOST_TRIES)
