"""Waits for late results by register fields that are not operands, and before newer writes.

Each is measured by two programs that differ only in the register that the producer writes.
"""

from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from itertools import product
from typing import Any, Final, NamedTuple

from gnomon.calibrate import _programs as programs
from gnomon.calibrate._device import Device, Waits
from gnomon.calibrate._measure import Measured, Refused, measure
from gnomon.calibrate._programs import PLAIN, Probe, sequence_probe
from gnomon.calibrate._shared_port import SharedPort
from gnomon.isa import encode, list_instructions

_A, _B, _FREE, _DATA, _T = 10, 11, 13, 8, 5
_NAMED, _OTHER = 12, 14  # registers of the producer: the fields name the first one
_HIGH, _NOT_HIGH = 31, 30  # the same for a jump back, whose immediate is full of ones
_SOME: Final = ("lui.rs1", "lui.rs2", "addi.rs2", "lb.rs2", "addi.rd", "sw.rd", "beq.rd")
_BETWEEN = (1, 2)  # plain instructions between two
_FORMATS: Final = {row.mnemonic: row.format for row in list_instructions(("I", "M", "Zicsr"))}
Delays = Mapping[tuple[str, str], int]
"""Cycles of waiting by producer and field, such as ``addi.rs2``."""


class _Field(NamedTuple):
    """A field of an instruction, with a program that names a register in it.

    ``before`` and ``after`` surround the producer. ``executed``: instructions of the three that are
    executed; the one with the field is the last, or before ``then`` others.
    """

    name: str
    after: list[int]
    executed: int
    before: tuple[int, ...] = ()
    registers: tuple[int, int] = (_NAMED, _OTHER)
    then: int = 0

    @property
    def mnemonic(self) -> str:
        return self.name.split(".")[0]

    def program(self, producer: int, between: int) -> tuple[list[int], int]:
        """Return the words with plain ones after the producer, and how many are executed."""
        before, executed = self.before, self.executed + between
        if self.mnemonic == "jalr":  # relative to its first word
            before, executed = before[: len(before) - between], self.executed
        return [*before, producer, *[PLAIN] * between, *self.after], executed


def produce(name: str, rd: int) -> int:
    """Return an instruction that writes a register, and reads none that is late."""
    if name in programs.ACCESSES:
        return encode(name, rd=rd, rs1=_DATA, imm=64)
    return programs.encode_operation(name, 7, 3, rd=rd, rs1=_A, rs2=_B)[0]


def some_field_delays(
    device: Device, spacers: int, makers: Iterable[str], port: SharedPort | None
) -> Delays:
    """Return the waits of a few fields for each producer, to tell which are alike."""
    some = [each for each in _list_present(device) if each.name in _SOME]
    return _measure_waits(device, spacers, list(product(makers, some)), 0, port)[0]


def field_delays(
    device: Device,
    spacers: int,
    makers: Iterable[str],
    held: Container[tuple[str, str]],
    port: SharedPort | None,
    *,
    slow: bool = False,
) -> tuple[Delays, int]:
    """Return how long fields that are not operands wait for each producer, and the probe count.

    Args:
        device: device to measure.
        spacers: plain instructions on either side of each probe.
        makers: producers.
        held: pairs that wait without a shared register, too, which hides the wait of fields.
        port: how loads delay the fetch; then the cycles of the instruction with the field count
            after them, not those of all.
        slow: jumps wait until the port has fetched another word; their fields are not measured.

    Raises:
        Refused: if the wait does not shrink by the execute cycles between the two instructions.
    """
    jumps = {*programs.BRANCHES, "jal", "jalr"} if slow else set()
    fields = [each for each in _list_present(device) if each.mnemonic not in jumps]
    pairs = [(maker, each) for maker in makers for each in fields
             if (maker, each.mnemonic) not in held]  # fmt: skip
    near, measured = _measure_waits(device, spacers, pairs, 0, port)
    for (maker, name), wait in near.items():
        if wait < 0:
            probe = next(each for each in measured.cycles if each.mnemonic == f"{maker}, {name}")
            raise Refused(
                f"{maker} and {name.split('.')[0]} directly after it take {-wait} cycles less "
                f"because the field {name} equals the register; no key of core.latency describes "
                f"it{measured.listing(probe)}"
            )
    waiting = [(maker, each) for maker, each in pairs
               if near[maker, each.name] and each.name != "jal.rs1"]  # fmt: skip
    count = 2 * len(pairs)
    for between in _BETWEEN:
        later, there = _measure_waits(device, spacers, waiting, between, port)
        count += 2 * len(waiting)
        for (maker, name), cycles in later.items():
            wait = near[maker, name]
            fetch = 0 if port is None else port.fetch_after(maker, between)
            if cycles != max(0, wait - between * there.plain - fetch):
                probe = next(
                    each for each in measured.cycles if each.mnemonic == f"{maker}, {name}"
                )
                raise Refused(
                    f"{name.split('.')[0]} waits {wait} cycles for {maker} directly before it "
                    f"because its field {name} equals the register, and {cycles} with {between} "
                    f"instructions between them; no delay gives both{measured.listing(probe)}"
                )
    return near, count


def field_entries(found: Delays, operands: Delays, groups: Iterable[Sequence[str]]) -> list[Any]:
    """Return the entries of ``bypass`` for delays of the first producer of each group.

    A field of all measured instructions becomes rs1, rs2 or rd; of these, rs1 and rs2 need equal
    waits of operands, too.
    """
    entries: dict[tuple[tuple[str, ...], int], list[str]] = {}
    for group in groups:
        mine = {name: wait for (maker, name), wait in found.items() if maker == group[0]}
        by_wait: dict[int, list[str]] = {}
        for field in ("rs1", "rs2", "rd"):
            here = {name: wait for name, wait in mine.items() if name.endswith(f".{field}")}
            read = [wait for (maker, name), wait in operands.items()
                    if maker == group[0] and name.endswith(f".{field}")]  # fmt: skip
            if len({*here.values(), *read}) == 1 and any(here.values()):
                by_wait.setdefault(next(iter(here.values())), []).append(field)
                continue
            for name, wait in here.items():
                if wait:
                    by_wait.setdefault(wait, []).append(name)
        for wait, names in by_wait.items():
            entries.setdefault((tuple(names), wait), []).extend(group)
    return [{"of": of, "to": list(to), "cycles": wait} for (to, wait), of in entries.items()]


def _measure_waits(
    device: Device,
    spacers: int,
    pairs: Sequence[tuple[str, _Field]],
    between: int,
    port: SharedPort | None,
) -> tuple[dict[tuple[str, str], int], Measured]:
    """Return the cycles that a field adds, and the measurements."""
    probes: dict[tuple[str, str], list[Probe]] = {}
    for maker, field in pairs:
        lead = None if port is None else port.lead_of(maker)
        for register in field.registers:
            words, executed = field.program(produce(maker, register), between)
            length = len(lead or ()) + executed
            only = None if lead is None else length - 1 - field.then
            name = f"{maker}, {field.name}"
            probe = sequence_probe(name, [*(lead or ()), *words], length, spacers, only=only)
            probes.setdefault((maker, field.name), []).append(probe)
    measured = measure(device, [each for two in probes.values() for each in two], Waits(0, 0))
    cycles = measured.cycles
    return {key: cycles[one] - cycles[other] for key, (one, other) in probes.items()}, measured


def _list_present(device: Device) -> list[_Field]:
    return [each for each in _list_fields(device) if each.mnemonic not in device.excluded]


def _list_fields(device: Device) -> Iterator[_Field]:
    """Yield a program for each field whose bits equal x12 where it is not an operand."""
    absent = set(programs.UNITS) - set(programs.units(device.isa))
    if not device.isa.endswith("_zicsr"):
        absent |= set(programs.CSRS)
    for name, layout in _FORMATS.items():
        if name not in absent:
            yield from _list_fields_of(name, layout)
    back = [encode("jal", imm=-8)]
    # Over a jump out to the producer, then back to the jump out: all bits of rs1 are 1.
    out = (encode("jal", imm=8), encode("jal", imm=12))
    yield _Field("jal.rs1", back, 4, out, (_HIGH, _NOT_HIGH), 1)


def _list_fields_of(name: str, layout: str) -> Iterator[_Field]:
    free = {"rs1": _DATA if name in programs.ACCESSES else _A, "rs2": _B, "rd": _FREE}
    match layout:
        case "I" if name == "jalr":
            yield from _list_fields_of_jalr()
        case "R" | "I" | "shift":
            yield _Field(f"{name}.rd", [_encode(name, layout, free | {"rd": _NAMED}, 64)], 2)
            if layout != "R":
                yield _Field(f"{name}.rs2", [_encode(name, layout, free, _NAMED)], 2)
        case "U":
            for field, at in (("rs1", 15), ("rs2", 20)):
                yield _Field(f"{name}.{field}", [encode(name, rd=_FREE, imm=_NAMED << at)], 2)
            yield _Field(f"{name}.rd", [encode(name, rd=_NAMED, imm=0x1000)], 2)
        case "S":
            yield _Field(f"{name}.rd", [encode(name, rs1=_DATA, rs2=_B, imm=_NAMED)], 2)
        case "B":
            rs1, rs2 = (_A, _A) if name == "bne" else (_B, _A) if name[1] == "g" else (_A, _B)
            yield _Field(f"{name}.rd", [encode(name, rs1=rs1, rs2=rs2, imm=_NAMED)], 2)
        case "J":
            yield _Field("jal.rs2", [encode("jal", imm=_NAMED), PLAIN, PLAIN], 2)
            yield _Field("jal.rd", [encode("jal", rd=_NAMED, imm=8), PLAIN], 2)
        case "fence":
            yield _Field("fence.rs2", [encode("fence", imm=_NAMED)], 2)
        case "csr" | "csri":
            operand = {"imm": 5} if layout == "csri" else {"rs1": _A}
            yield _Field(f"{name}.rd", [encode(name, rd=_NAMED, csr=0x340, **operand)], 2)
            if layout == "csri":
                yield _Field(f"{name}.rs1", [encode(name, rd=_FREE, csr=0x340, imm=_NAMED)], 2)


def _list_fields_of_jalr() -> Iterator[_Field]:
    """Yield programs of ``jalr`` to the word after it, relative to their first word."""
    for field, rd, imm in (("rs2", 0, 32 + _NAMED), ("rd", _NAMED, 40)):
        before = (encode("auipc", rd=_T), *[PLAIN] * (imm // 4 - 3))
        word = encode("jalr", rd=rd, rs1=_T, imm=imm)
        yield _Field(f"jalr.{field}", [word], imm // 4, before)


def _encode(name: str, layout: str, registers: Mapping[str, int], imm: int) -> int:
    """Return an instruction of format R, I or shift; a shift takes the lowest bits."""
    if layout == "R":
        return encode(name, rd=registers["rd"], rs1=registers["rs1"], rs2=registers["rs2"])
    shown = imm % 32 if layout == "shift" else imm
    return encode(name, rd=registers["rd"], rs1=registers["rs1"], imm=shown)
