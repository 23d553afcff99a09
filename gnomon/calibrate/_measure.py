"""Cycles of probes on a device, each between instructions with known cycles."""

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from gnomon.base.errors import GnomonError
from gnomon.calibrate import _programs as programs
from gnomon.calibrate._device import Device, Retired, Waits, program_of
from gnomon.calibrate._programs import Probe
from gnomon.isa import Instruction, disassemble
from gnomon.program import Program

_MOST_WORDS = 40_000
_LONGEST = 300  # largest number of cycles of any instruction


class Step(NamedTuple):
    """One instruction of a timeline, with its execute cycles on the core and on the machine."""

    text: str
    core: int | None
    machine: int | None = None


class Refused(GnomonError):  # noqa: N818 - a result of a calibration
    """Signal that no machine file can describe the core, with reason and timeline."""

    def __init__(self, message: str, timeline: Iterable[Step] = ()) -> None:
        super().__init__(message)
        self.timeline = tuple(timeline)


class Measured(NamedTuple):
    """Cycles of probes."""

    cycles: dict[Probe, int]
    plain: int
    """Cycles of the plain instruction around them."""
    early: bool
    """Whether some probe retires before its last cycle, as if a pipeline refills after it."""


def measure(device: Device, probes: Iterable[Probe], waits: Waits) -> Measured:
    """Measure the cycles between the plain instructions before and after each probe.

    Raises:
        Refused: if a probe delays the instruction after it, or the core stops at a probe.
    """
    found: dict[Probe, int] = {}
    plain, early = 0, False
    for part in _split_probes(probes):
        cycles, plain, some = _run_probes(device, part, waits)
        found |= cycles
        early |= some
    return Measured(found, plain, early)


def _split_probes(probes: Iterable[Probe]) -> list[list[Probe]]:
    parts: list[list[Probe]] = [[]]
    words = 0
    for probe in probes:
        words += len(probe.words)
        if words > _MOST_WORDS:
            parts.append([])
            words = len(probe.words)
        parts[-1].append(probe)
    return parts


def _run_probes(device: Device, probes: Sequence[Probe], waits: Waits) -> Measured:
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
    plain = execute_cycles(
        retired, at.get(device.start + 4 * (programs.BEFORE + 4), len(retired)), 1
    )
    if plain is None:
        raise Refused(f"the core stops before the first probe, with {waits}")
    found: dict[Probe, int] = {}
    early = False
    for probe, place in zip(probes, places, strict=True):
        here = at.get(device.start + 4 * place, len(retired))
        end = here + probe.length
        taken, after = (
            execute_cycles(retired, end, probe.length + 1),
            execute_cycles(retired, end + 1, 1),
        )
        if taken is None or after is None:
            raise Refused(f"the core stops at {probe} with {waits}:\n{probe.listing()}")
        if after != plain:
            raise Refused(
                f"{probe} with {waits}: an instruction after it takes {after} cycles instead of "
                f"{plain}, which no machine file can describe:\n{probe.listing()}",
                list_steps(program, retired[here - 2 : end + 3]),
            )
        found[probe] = taken - plain
        last = execute_cycles(retired, end - 1, probe.length)
        early |= last is not None and last != found[probe]
    return Measured(found, plain, early)


def list_steps(
    program: Program,
    core: Sequence[Retired],
    machine: Sequence[Retired] = (),
    units: Sequence[Instruction] = (),
) -> Iterator[Step]:
    """Yield each retired instruction with its execute cycles, except the first one.

    ``units``: instructions of the units of the machine.
    """
    for number in range(1, len(core)):
        at = core[number].pc
        text = f"{at:#x}  {disassemble(program.instruction_at(at), at, units=units)}"
        wanted = execute_cycles(machine, number, 1) if machine else None
        yield Step(text, execute_cycles(core, number, 1), wanted)


def execute_cycles(retired: Sequence[Retired], number: int, count: int) -> int | None:
    """Return the cycles that ``count`` instructions up to index ``number`` take.

    None if the list is too short, or a cycle is not seen.
    """
    if not count <= number < len(retired):
        return None
    end, start = retired[number].cycle, retired[number - count].cycle
    return None if end is None or start is None else end - start
