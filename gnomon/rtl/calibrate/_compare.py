"""Programs on a core and on its machine: the first instruction whose cycles differ."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from gnomon.isa import disassemble, encode
from gnomon.program import Program
from gnomon.rtl.bare import smallest
from gnomon.rtl.calibrate._device import Device, Stopped, Waits, program_of
from gnomon.rtl.calibrate._measure import Step, stay, timeline
from gnomon.rtl.calibrate._programs import END, random_items, shorter, whole

Items = tuple[tuple[int, ...], ...]
_MOST_TRIES = 150
_MOST_SHOWN = 60  # instructions of a timeline
_BRANCH_TO_NEXT = 0x263


@dataclass(frozen=True)
class Difference:
    """The smallest program found on which core and machine differ."""

    items: Items
    waits: Waits
    message: str
    timeline: tuple[Step, ...] = ()

    def __str__(self) -> str:
        words = [word for item in self.items for word in item]
        lines = [f"    {disassemble(word)}" for word in words]
        return "\n".join([f"with {self.waits}: {self.message}", *lines])


@dataclass(frozen=True)
class Compared:
    """What a comparison saw: random programs, instructions, and the first difference."""

    programs: int
    instructions: int
    difference: Difference | None
    compiled: int = 0

    def to_json(self) -> dict[str, int]:
        """Plain data, where nothing differs."""
        return {"programs": self.programs, "compiled": self.compiled,
                "instructions": self.instructions, "wrong": 0}  # fmt: skip

    def __str__(self) -> str:
        """In one line, where nothing differs."""
        compiled = f"{self.compiled} compiled and " * bool(self.compiled)
        return (
            f"0 of {self.instructions} instructions wrong in {compiled}{self.programs} random "
            "programs"
        )


@dataclass(frozen=True)
class Comparison:
    """A core and the machine that it should be.

    ``early``: the end of a jump of the core is seen only with that of the instruction behind it, so
    both count as one.
    """

    core: Device
    machine: Device
    early: bool

    def random(self, seeds: Iterable[int], waits: Sequence[Waits], size: int) -> Compared:
        """Run random programs, the n-th with the n-th wait states in turn, until one differs."""
        count = total = 0
        for count, seed in enumerate(seeds, 1):
            items = tuple(random_items(seed, self.core.isa, size))
            now = waits[(count - 1) % len(waits)]
            message, instructions = self._differs(items, now)
            total += instructions
            if message:
                small = self._smaller(items, now)
                message, _ = self._differs(small, now)
                shown = tuple(self._timeline(small, now))
                return Compared(count, total, Difference(small, now, message, shown))
        return Compared(count, total, None)

    def _differs(self, items: Items, waits: Waits) -> tuple[str, int]:
        return self.held(program_of(_body(items), self.core.start), waits)

    def _timeline(self, items: Items, waits: Waits) -> Iterator[Step]:
        """What both execute of a program, from its first item or the first difference on."""
        words = _body(items)
        program = program_of(words, self.core.start)
        try:
            core, machine = (each.execute(program, waits) for each in (self.core, self.machine))
        except Stopped:
            return
        first = self.core.start + 4 * (len(_body(())) - END - 3)
        at = next(
            (n for n, each in enumerate(core)
             if each.pc == first or (n and stay(core, n, 1) != stay(machine, n, 1))), 1
        )  # fmt: skip
        part = slice(at - 1, at + _MOST_SHOWN)
        yield from timeline(words, self.core.start, core[part], machine[part])

    def held(self, program: Program, waits: Waits) -> tuple[str, int]:
        """The first difference, in words, and the instructions before it."""
        try:
            said = self.machine.execute(program, waits)
        except Stopped as stopped:
            return str(stopped), 0
        longest = (said[-1].cycle or 0) if said else 0
        measured = self.core.execute(program, waits, 4 * longest + 10_000)
        words = _words(program)
        last = -1
        for number, each in enumerate(said[:-1]):  # up to the store that ends it
            if number >= len(measured) or measured[number].pc != each.pc:
                return f"the core leaves the program behind {said[number - 1].pc:#x}", number
            jumps = said[number + 1].pc != each.pc + 4 or _is_jump(words[each.pc])
            if measured[number].cycle is None or (self.early and jumps):
                continue
            if last >= 0:
                took, says = (stay(run, number, number - last) for run in (measured, said))
                if took != says:
                    what = disassemble(words[each.pc])
                    if number - last > 1:
                        what = f"from {disassemble(words[said[last + 1].pc])} to {what}: it"
                    return f"{what} takes {took} cycles, the machine says {says}", number
            last = number
        return "", len(said) - 1

    def _smaller(self, items: Items, waits: Waits) -> Items:
        """Without the items that need not be there, then without parts of those that must."""
        left = iter(range(_MOST_TRIES))

        def fails(candidate: Items) -> bool:
            return next(left, None) is not None and bool(self._differs(candidate, waits)[0])

        items = smallest(items, fails)
        left = iter(range(_MOST_TRIES))
        n = 0
        while n < len(items):
            changed = ((*items[:n], part, *items[n + 1 :]) for part in shorter(items[n]))
            found = next((each for each in changed if fails(each)), None)
            items, n = (items, n + 1) if found is None else (found, n)
        return items


def _body(items: Items) -> list[int]:
    """Words of the whole program of these items."""
    known = [encode("addi", rd=register) for register in range(1, 32)]  # RTL starts with none
    return [*known, *whole([word for item in items for word in item])]


def _words(program: Program) -> dict[int, int]:
    """Words of a program by their addresses."""
    return {
        segment.address + at: int.from_bytes(segment.data[at : at + 4], "little")
        for segment in program.segments
        for at in range(0, len(segment.data), 4)
        if segment.executable
    }


def _is_jump(word: int) -> bool:
    """Even where it goes to the next instruction."""
    return word & 0x7F in (0x67, 0x6F) or word & 0xFE00_0FFF == _BRANCH_TO_NEXT
