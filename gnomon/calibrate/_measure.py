"""Cycles of probes on a device, each between instructions with known cycles."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, pairwise
from statistics import mode
from typing import Any, NamedTuple

from gnomon.base.errors import GnomonError
from gnomon.calibrate import _programs as programs
from gnomon.calibrate._device import MOST_CYCLES, Device, Retired, Waits, isa_path, program_of
from gnomon.calibrate._programs import UNIT, Probe
from gnomon.calibrate._untaught import MOST_COUNTERS, Untaught
from gnomon.isa import Instruction, disassemble, encode
from gnomon.program import Program

_NONE = Waits(0, 0)
_SPACERS = (2, 4, 8, 16)
_WARM_SPACERS = (2, 4, 8)
_ROW = 256  # plain instructions in a row
_SETTLED = 24  # plain instructions after which the pipeline is full
_MOST_WORDS = 40_000
_MOST_LISTED = 12  # instructions up to the one after which the core is elsewhere
_LONGEST = 300  # largest number of cycles of any instruction
_COUNTER = 20  # register that no probe uses


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


class Misbehaved(Refused):
    """Signal that the core does not execute a program as the ISA says."""


class Undescribed(Refused):
    """Signal timing that no key describes; the message says which."""


class NoQueue(Refused):
    """Signal that no fetch queue describes wait states that need one."""


@dataclass(frozen=True)
class Warm:
    """A device that executes each probe twice; the second time counts, from its cache.

    ``line``: bytes of a line. ``span``: bytes between words that use the same line, if each set
    has one line only; then no probe uses the line of the first words, to which some jump. Else 0.
    """

    device: Device
    line: int
    span: int

    @property
    def isa(self) -> str:
        """As of the device; so are all others."""
        return self.device.isa

    @property
    def start(self) -> int:
        return self.device.start

    @property
    def waits(self) -> str:
        return self.device.waits

    @property
    def sees_all(self) -> bool:
        return self.device.sees_all

    @property
    def sees_values(self) -> bool:
        return self.device.sees_values

    @property
    def excluded(self) -> frozenset[str]:
        return self.device.excluded

    @property
    def unit_port(self) -> str | None:
        return self.device.unit_port

    def execute(
        self, program: Program, waits: Waits, most_cycles: int = MOST_CYCLES
    ) -> list[Retired]:
        """Run a program; see :class:`Device`."""
        return self.device.execute(program, waits, most_cycles)


@dataclass(frozen=True)
class Flushed:
    """A device whose loads and stores use the port of the fetch.

    A jump before each probe empties its queue, so that probes do not depend on those before them.
    ``load`` and ``store``: cycles that each among plain words adds to its execute cycles.
    """

    device: Device
    load: int = 0
    store: int = 0

    def __getattr__(self, name: str) -> Any:
        return getattr(self.device, name)

    def execute(
        self, program: Program, waits: Waits, most_cycles: int = MOST_CYCLES
    ) -> list[Retired]:
        """Run a program; see :class:`Device`."""
        return self.device.execute(program, waits, most_cycles)


class Skew(NamedTuple):
    """Numbers of instructions around one that show some of its cycles.

    ``before``: instructions before it that retire late because of it. ``after``: further
    instructions after which all its cycles have shown.
    """

    before: int = 0
    after: int = 0

    def or_more(self, other: "Skew") -> "Skew":
        """Return the larger number on either side."""
        return Skew(max(self.before, other.before), max(self.after, other.after))


Skews = dict[str, Skew]
"""By :func:`skew_key`; an instruction that is missing shows its cycles itself."""


class Measured(NamedTuple):
    """Cycles of probes."""

    cycles: dict[Probe, int]
    plain: int
    """Cycles of the plain instruction around them."""
    skews: Skews
    places: dict[Probe, int]
    """Address of each probe."""

    def listing(self, probe: Probe) -> str:
        """Return the lines of a probe, each with its address, after a newline."""
        return f"\n{probe.listing(self.places[probe])}"


def skew_key(mnemonic: str, *, taken: bool = False) -> str:
    """Return the key of an instruction in :data:`Skews`; taken branches have their own."""
    return f"{mnemonic} taken" if taken else mnemonic


def merge_skews(*several: Skews) -> Skews:
    """Return the largest skew of each instruction."""
    found: Skews = {}
    for each in several:
        found |= {key: skew.or_more(found.get(key, Skew())) for key, skew in each.items()}
    return found


def join_targets(skews: Skews, *, predicts: bool = False) -> Skews:
    """Return skews that time each jump together with the instruction at its target.

    A machine with a fetch queue counts the fetch of the target there, a core perhaps in the jump.
    If the core ``predicts``, a branch that is not taken may fetch the next instruction again.
    """
    names = ["jal", "jalr", *(skew_key(name, taken=True) for name in programs.BRANCHES)]
    names += [skew_key(name) for name in programs.BRANCHES if predicts]
    return merge_skews(skews, dict.fromkeys(names, Skew(0, 1)))


def find_spacers(device: Device) -> int:
    """Return how many plain instructions isolate a probe on both sides, by measuring.

    It is the smallest tried number with which some probes of every instruction take as long as
    with the largest one.

    Raises:
        Refused: if plain instructions in a row do not take a constant number of cycles, the core
            executes another path than the ISA, or no tried number isolates the probes.
    """
    *tried, most = _WARM_SPACERS if isinstance(device, Warm) else _SPACERS
    if not isinstance(device, Warm):  # else the row is longer than its cache may be
        _check_row(device, _NONE)
    wanted = _by_name(measure(device, quick(device, most), _NONE))
    for spacers in tried:
        try:
            found = measure(device, quick(device, spacers), _NONE)
        except Refused:
            continue
        if _by_name(found) == wanted:
            return spacers
    return most


def quick(device: Device, spacers: int) -> list[Probe]:
    """Return a few probes of every instruction that is not excluded."""
    every = chain(programs.plain(device.isa, spacers), programs.control(spacers))
    return [probe for probe in every if probe.mnemonic not in device.excluded]


def _by_name(measured: Measured) -> dict[str, int]:
    return {str(probe): cycles for probe, cycles in measured.cycles.items()}


def _check_row(device: Device, waits: Waits) -> None:
    """Check that plain instructions in a row take equally many cycles.

    Raises:
        Refused: if they do not; the message names addresses.
    """
    neighbor = _neighbor(device)
    program = program_of(programs.whole([neighbor] * _ROW), device.start)
    retired = device.execute(program, waits, _ROW * (_LONGEST + 4 * waits.most))
    _check_path(device, program, retired, waits)
    first = device.start + 4 * programs.BEFORE
    at = {each.pc: number for number, each in enumerate(retired)}
    taken = {
        pc: execute_cycles(retired, at.get(pc, len(retired)), 1)
        for pc in range(first + 4 * _SETTLED, first + 4 * _ROW, 4)
    }
    usual = mode(taken.values())
    other = {pc: cycles for pc, cycles in taken.items() if cycles != usual}
    if not other:
        return
    places = list(other)
    apart = {after - before for before, after in pairwise(places)}
    where = ", ".join(f"{pc:#x}" for pc in places[:3])
    every = f", every {apart.pop()} bytes" if len(apart) == 1 else ""
    raise Refused(
        f"{disassemble(neighbor)} in a row, with {waits}, takes {usual} cycles, but "
        f"{sorted(set(other.values()), key=str)} at {where}{every}: its fetch depends on "
        "addresses, as with an instruction cache or a line buffer; no key of "
        "core.latency describes it",
        list_steps(program, retired[at[places[0]] - 2 : at[places[0]] + 3]),
    )


def measure(device: Device, probes: Iterable[Probe], waits: Waits) -> Measured:
    """Measure the cycles of each probe in a window that ends with the plain ones after it.

    Raises:
        Refused: if the plain instructions after a probe do not settle, the probe takes no cycle,
            or the core executes another path than the ISA.
    """
    found = Measured({}, 0, {}, {})
    before = MOST_COUNTERS if isinstance(device, Untaught) else 0
    for part in _split_probes(probes, 2 if isinstance(device, Warm) else 1, before):
        cycles, plain, skews, places = _run_probes(device, part, waits)
        found = Measured(found.cycles | cycles, plain, merge_skews(found.skews, skews),
                         found.places | places)  # fmt: skip
    return found


def _split_probes(probes: Iterable[Probe], times: int, before: int) -> list[list[Probe]]:
    """Return parts that fit the memory, if their programs have so many times their words, and some
    before each.
    """
    parts: list[list[Probe]] = [[]]
    words = 0
    for probe in probes:
        more = times * len(probe.words) + before
        words += more
        if words > _MOST_WORDS:
            parts.append([])
            words = more
        parts[-1].append(probe)
    return parts


def _neighbor(device: Device) -> int:
    return programs.PLAIN if device.sees_all else programs.MARKER


def _run_probes(device: Device, probes: Sequence[Probe], waits: Waits) -> Measured:
    neighbor = _neighbor(device)
    twice = isinstance(device, Warm)
    row = [programs.PLAIN] * _SETTLED
    body = _repeat(row) if twice else row
    places = []
    for probe in probes:
        if isinstance(device, Warm):
            most = len(probe.words) + 4  # with the loop, and the word that its branch may fetch
            body += [programs.PLAIN] * _words_to_skip(device, len(body), most)
        if isinstance(device, Flushed):
            body += [encode("jal", imm=8), programs.PLAIN]
        if isinstance(device, Untaught):
            body += [encode("bne", imm=4)] * MOST_COUNTERS
        places.append(programs.BEFORE + len(body) + probe.at + twice)
        body += _repeat(probe.words) if twice else probe.words
    words = programs.whole([neighbor if word == programs.PLAIN else word for word in body])
    program = program_of(words, device.start)
    most_cycles = len(words) * (_LONGEST + 4 * waits.most)
    retired = device.execute(program, waits, most_cycles)
    if all(probe.mnemonic != UNIT for probe in probes):  # the ISA has no units
        _check_path(device, program, retired, waits)
    at = {each.pc: number for number, each in enumerate(retired)}
    settled = device.start + 4 * (programs.BEFORE + _SETTLED - 1 + twice)
    plain = execute_cycles(retired, at.get(settled, len(retired)), 1)
    if plain is None:
        raise Refused(f"the core stops before the first probe, with {waits}")
    addresses = [device.start + 4 * place for place in places]
    found = Measured({}, plain, {}, {
        probe: address - 4 * probe.at for probe, address in zip(probes, addresses, strict=True)
    })  # fmt: skip
    for probe, address in zip(probes, addresses, strict=True):
        here = at.get(address, len(retired))
        window = _Window(probe, here, plain, retired)
        problem = window.problem()
        if problem:
            steps = list_steps(program, retired[max(0, here - 2) : here + probe.length + 4])
            raise Refused(f"{probe} with {waits}: {problem}{found.listing(probe)}", steps)
        found.cycles[probe] = window.cycles
        if any(window.skew):
            key = skew_key(probe.mnemonic, taken=probe.kind.startswith("taken"))
            found.skews[key] = window.skew.or_more(found.skews.get(key, Skew()))
    return found


def _words_to_skip(device: Warm, index: int, count: int) -> int:
    """Return the words before a probe of ``count`` words, so that it shares no line with the
    first words of the program; 0 if it is too long for that.
    """
    if not device.span:
        return 0
    begin = 4 * (programs.BEFORE + index) % device.span
    fits = begin >= device.line and begin + 4 * count <= device.span
    longest = 4 * count > device.span - device.line
    return 0 if fits or longest else (device.line - begin) % device.span // 4


def _repeat(words: Sequence[int]) -> list[int]:
    """Return a loop that executes some words twice; they begin at index 1."""
    return [encode("addi", rd=_COUNTER, imm=2), *words,
            encode("addi", rd=_COUNTER, rs1=_COUNTER, imm=-1),
            encode("bne", rs1=_COUNTER, rs2=0, imm=-4 * (len(words) + 1))]  # fmt: skip


class _Window:
    """The cycles from the first plain instruction before a probe to the last one after it."""

    def __init__(self, probe: Probe, here: int, plain: int, retired: Sequence[Retired]) -> None:
        self._plain, end, around = plain, here + probe.length, probe.spacers
        self._after = [execute_cycles(retired, end + n, 1) for n in range(around)]
        before = [execute_cycles(retired, here - n, 1) for n in range(1, around)]
        count = probe.length + 2 * around - 1
        self._taken = execute_cycles(retired, end + around - 1, count)
        self.cycles = (self._taken or 0) - (2 * around - 1) * plain
        if probe.only is not None:
            self.cycles = execute_cycles(retired, here + probe.only, 1) or 0
        self.skew = Skew(_last_unlike(before, plain), _last_unlike(self._after, plain))

    def problem(self) -> str:
        """Return why the probe cannot be measured; empty if it can."""
        if self._taken is None:
            return "the core stops"
        if self.skew.after == len(self._after):
            return (
                f"the {self.skew.after}. plain instruction after it takes {self._after[-1]} "
                f"cycles instead of {self._plain}, which no machine file can describe"
            )
        if self.cycles < 1:
            return (
                f"it takes {self.cycles} cycles between plain instructions, so it overlaps with "
                "them, and the cycles of one instruction do not exist; no machine file can "
                "describe this"
            )
        return ""


def _last_unlike(cycles: Sequence[int | None], usual: int) -> int:
    """Return the number, from 1, of the last element that is not the usual one; 0 for none.

    None stands for cycles that the device does not show.
    """
    return max((n for n, each in enumerate(cycles, 1) if each not in (None, usual)), default=0)


def _check_path(device: Device, program: Program, retired: Sequence[Retired], waits: Waits) -> None:
    """Check that the core executes the instructions of the ISA.

    Raises:
        Refused: at the first other address.
    """
    if not device.sees_all:
        return
    path = isa_path(program, device.isa)
    for number, pc in enumerate(path[:-1]):
        if number < len(retired) and retired[number].pc == pc:
            continue
        before = path[number - 1] if number else program.entry
        last = path[max(0, number - _MOST_LISTED) : number + 1]
        text = "\n".join(chain(*(
            programs.list_words([program.instruction_at(at)], at, plain=at in (before, pc))
            for at in last
        )))  # fmt: skip
        if number >= len(retired):
            raise Misbehaved(f"with {waits}, the core stops after {before:#x}\n{text}")
        got = retired[number].pc
        if got == before:
            raise Misbehaved(
                f"with {waits}, retire shows the instruction at {got:#x} twice: must retire.valid "
                f"be 1 for one cycle only?\n{text}"
            )
        raise Misbehaved(
            f"with {waits}, the core computes wrongly: after {before:#x} it continues at {got:#x}, "
            f"by the ISA at {pc:#x}\n{text}",
            list_steps(program, retired[max(0, number - 3) : number + 2]),
        )


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
