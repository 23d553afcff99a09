"""Cycles of probes on a device, each between instructions whose cycles are known."""

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from gnomon.base.errors import GnomonError
from gnomon.calibrate import _programs as programs
from gnomon.calibrate._device import Device, Retired, Waits, program_of
from gnomon.calibrate._programs import Probe
from gnomon.isa import disassemble
from gnomon.program import Program

_MOST_WORDS = 40_000
_LONGEST = 300  # cycles of an instruction, whatever it is


class Step(NamedTuple):
    """One instruction of a timeline: cycles of its stay on the core, and by the machine."""

    text: str
    core: int | None
    machine: int | None = None


class Refused(GnomonError):  # noqa: N818 - it says what it is
    """The core does something that no machine file can say; names what, and shows it in time."""

    def __init__(self, message: str, timeline: Iterable[Step] = ()) -> None:
        super().__init__(message)
        self.timeline = tuple(timeline)


class Measured(NamedTuple):
    """Cycles of probes."""

    cycles: dict[Probe, int]
    plain: int
    """Cycles of the instruction around them."""
    early: bool
    """Of some, a part passes only before the instruction behind retires: a pipeline refills."""


def measure(device: Device, probes: Iterable[Probe], waits: Waits) -> Measured:
    """Cycles from the plain instruction before each probe to the one behind it.

    Raises:
        Refused: what is behind a probe takes longer for it, or the core stops at one.
    """
    found: dict[Probe, int] = {}
    plain, early = 0, False
    for part in _parts(probes):
        cycles, plain, some = _run(device, part, waits)
        found |= cycles
        early |= some
    return Measured(found, plain, early)


def _parts(probes: Iterable[Probe]) -> list[list[Probe]]:
    parts: list[list[Probe]] = [[]]
    words = 0
    for probe in probes:
        words += len(probe.words)
        if words > _MOST_WORDS:
            parts.append([])
            words = len(probe.words)
        parts[-1].append(probe)
    return parts


def _run(device: Device, probes: Sequence[Probe], waits: Waits) -> Measured:
    neighbor = programs.PLAIN if device.sees_all else programs.MARKER
    body = [programs.PLAIN] * 6
    places = []
    for probe in probes:
        places.append(programs.BEFORE + len(body) + probe.at)
        body += probe.words
    body = [neighbor if word == programs.PLAIN else word for word in body]
    words = programs.whole(body)
    program = program_of(words, device.start)
    most_cycles = len(words) * (_LONGEST + 4 * sum(waits))
    retired = device.execute(program, waits, most_cycles)
    at = {each.pc: number for number, each in enumerate(retired)}
    plain = stay(retired, at.get(device.start + 4 * (programs.BEFORE + 4), len(retired)), 1)
    if plain is None:
        raise Refused(f"the core stops before the first probe, with {waits}")
    found: dict[Probe, int] = {}
    early = False
    for probe, place in zip(probes, places, strict=True):
        here = at.get(device.start + 4 * place, len(retired))
        behind = here + probe.length
        taken, after = stay(retired, behind, probe.length + 1), stay(retired, behind + 1, 1)
        if taken is None or after is None:
            raise Refused(f"the core stops at {probe} with {waits}:\n{probe.listing()}")
        if after != plain:
            raise Refused(
                f"{probe} with {waits}: an instruction behind it takes {after} cycles instead of "
                f"{plain}, which no machine file can say:\n{probe.listing()}",
                timeline(program, retired[here - 2 : behind + 3]),
            )
        found[probe] = taken - plain
        last = stay(retired, behind - 1, probe.length)
        early |= last is not None and last != found[probe]
    return Measured(found, plain, early)


def timeline(
    program: Program, core: Sequence[Retired], machine: Sequence[Retired] = ()
) -> Iterator[Step]:
    """The stays of what retires, each with its instruction; the first only begins the next."""
    for number in range(1, len(core)):
        at = core[number].pc
        text = f"{at:#x}  {disassemble(program.instruction_at(at), at)}"
        says = stay(machine, number, 1) if machine else None
        yield Step(text, stay(core, number, 1), says)


def stay(retired: Sequence[Retired], number: int, count: int) -> int | None:
    """Cycles from one that retires to the ``count``-th behind it, which is ``number``."""
    if not count <= number < len(retired):
        return None
    end, start = retired[number].cycle, retired[number - count].cycle
    return None if end is None or start is None else end - start
