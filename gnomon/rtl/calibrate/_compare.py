"""Random programs on a core and on its machine: the first instruction whose cycles differ."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from gnomon.isa import disassemble, encode
from gnomon.rtl.bare import taken_away
from gnomon.rtl.calibrate._programs import random_items, whole

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from gnomon.rtl.calibrate._device import Device, Retired, Waits

Items = tuple[tuple[int, ...], ...]
_MOST_TRIES = 150


@dataclass(frozen=True)
class Difference:
    """The smallest program found on which core and machine differ."""

    items: Items
    waits: Waits
    message: str

    def __str__(self) -> str:
        words = [word for item in self.items for word in item]
        lines = [f"    {disassemble(word)}" for word in words]
        return "\n".join([f"with {self.waits}: {self.message}", *lines])


@dataclass(frozen=True)
class Compared:
    """What a comparison saw: programs, instructions, and the first difference."""

    programs: int
    instructions: int
    difference: Difference | None

    def to_json(self) -> dict[str, int]:
        """Plain data, where nothing differs."""
        return {"programs": self.programs, "instructions": self.instructions, "wrong": 0}

    def __str__(self) -> str:
        """In one line, where nothing differs."""
        return f"0 of {self.instructions} instructions wrong in {self.programs} random programs"


def compare(
    core: Device, machine: Device, seeds: Iterable[int], waits: Sequence[Waits], size: int
) -> Compared:
    """Run random programs, the n-th with the n-th wait states in turn, until one differs."""
    count = total = 0
    for count, seed in enumerate(seeds, 1):
        items = tuple(random_items(seed, core.isa, size))
        now = waits[(count - 1) % len(waits)]
        message, instructions = _differs(core, machine, items, now)
        total += instructions
        if message:
            small = _smaller(core, machine, items, now)
            message, _ = _differs(core, machine, small, now)
            return Compared(count, total, Difference(small, now, message))
    return Compared(count, total, None)


def _differs(core: Device, machine: Device, items: Items, waits: Waits) -> tuple[str, int]:
    known = [encode("addi", rd=register) for register in range(1, 32)]  # RTL starts with none
    words = [*known, *whole([word for item in items for word in item])]
    measured, said = core.run(words, waits), machine.run(words, waits)
    place = {core.start + 4 * n: word for n, word in enumerate(words)}
    stop = core.start + 4 * (len(words) - 17)  # the store that ends it
    for number in range(1, len(said)):
        if said[number].pc == stop:
            break
        if number >= len(measured) or measured[number].pc != said[number].pc:
            return f"the core leaves the program behind {said[number - 1].pc:#x}", number
        took, says = _stay(measured, number), _stay(said, number)
        if took != says:
            what = disassemble(place[said[number].pc])
            return f"{what} takes {took} cycles, the machine says {says}", number
    return "", len(said)


def _stay(retired: Sequence[Retired], number: int) -> int:
    return retired[number].cycle - retired[number - 1].cycle


def _smaller(core: Device, machine: Device, items: Items, waits: Waits) -> Items:
    search = taken_away(items)
    try:
        candidate, tries = next(search), 0
        while True:
            tries += 1
            fails = tries <= _MOST_TRIES and bool(_differs(core, machine, candidate, waits)[0])
            candidate = search.send(fails)
    except StopIteration as end:
        return tuple(end.value)
