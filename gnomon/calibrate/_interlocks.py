"""Waits of instructions for others whose results they do not read.

Each is measured by two programs that differ in one respect, and take equally many cycles on a
machine without interlocks.
"""

from collections.abc import Container, Iterable, Sequence
from itertools import product
from typing import Any, Final, NamedTuple

from gnomon.calibrate import _programs as programs
from gnomon.calibrate._device import Device, Waits
from gnomon.calibrate._measure import Measured, Refused, measure
from gnomon.calibrate._programs import PLAIN, Probe, sequence_probe
from gnomon.calibrate._register_fields import (
    Delays,
    field_delays,
    field_entries,
    produce,
    some_field_delays,
)
from gnomon.calibrate._shared_port import SharedPort
from gnomon.isa import encode
from gnomon.rtl.bare_metal import li

_A, _B, _RD, _FREE, _ELSE, _DATA = 10, 11, 12, 13, 14, 8
_FAR: Final = 12  # plain instructions between two that are apart
_NEAR: Final = (0, 1, 2, 3)
_OVER: Final = 8  # a jump over one word
_SETTLE: Final = 8  # plain instructions after operands are set
_OPERANDS: Final = ((7, 3), (0x7FFF_FFFF, 1), (0, 0))
_KINDS: Final = (programs.ALU, programs.SHIFTS, ("mul",), ("mulh", "mulhsu", "mulhu"),
                 ("div", "divu", "rem", "remu"), programs.ACCESSES[:5], programs.ACCESSES[5:],
                 programs.BRANCHES, ("jal", "jalr"), ("fence",), programs.CSRS)  # fmt: skip
"""Instructions that are taken to be alike until a pair of them waits."""
_Pair = tuple[str, str]


class Interlocks(NamedTuple):
    """Entries of ``core.latency.bypass`` and ``core.latency.interlocks``.

    ``fields``: number of probes of register fields.
    """

    bypass: list[dict[str, Any]]
    locks: list[dict[str, Any]]
    fields: int


def find_interlocks(
    device: Device,
    spacers: int,
    operands: Delays,
    port: SharedPort | None = None,
    *,
    slow: bool = False,
) -> Interlocks:
    """Measure waits for instructions whose results are not read.

    Args:
        device: device to measure.
        spacers: plain instructions on either side of each probe.
        operands: waits of operands for late results.
        port: how loads and stores delay the fetch; then waits for them without a register are not
            measured.
        slow: jumps wait until the port has fetched another word; then pairs with one, and its
            fields, are not measured.

    Raises:
        Refused: if no keys describe them; the message names the interlock, with a program.
    """
    if not device.sees_all:
        return Interlocks([], [], 0)
    absent = set(programs.UNITS) - set(programs.units(device.isa)) | device.excluded
    if port is not None and port.lead is None:  # waits for loads show with their fetch only
        absent |= set(programs.ACCESSES)
    makers = [name for name in programs.MAKERS if name not in absent]
    some = some_field_delays(device, spacers, makers, port)
    late = {maker for (maker, _), wait in (*operands.items(), *some.items()) if wait}
    groups = _group_makers([name for name in makers if name in late], operands, some)
    no_firsts = set(programs.ACCESSES) if port is not None else set()
    pairs = _find_waiting(device, spacers, no_firsts, slow=slow)
    producers = [group[0] for group in groups]
    fields, count = field_delays(device, spacers, producers, pairs, port, slow=slow)
    first = {maker: group[0] for group in groups for maker in group}
    for maker in (name for name in _list_present(device) if name in first):
        newer_waits = fields.get((first[maker], "addi.rd"))
        if newer_waits is not None:
            _check_older(device, spacers, maker, newer_waits, port)
    return Interlocks(field_entries(fields, operands, groups), _list_locks(pairs), count)


def _group_makers(makers: Iterable[str], operands: Delays, some: Delays) -> list[list[str]]:
    """Return the instructions with late results; those of a kind with equal delays together."""
    groups: dict[object, list[str]] = {}
    for maker in makers:
        mine = [
            sorted((reader, wait) for (name, reader), wait in delays.items() if name == maker)
            for delays in (operands, some)
        ]
        kind = next(number for number, names in enumerate(_KINDS) if maker in names)
        groups.setdefault((kind, str(mine)), []).append(maker)
    return list(groups.values())


def _check_older(
    device: Device, spacers: int, maker: str, newer_waits: int, port: SharedPort | None
) -> None:
    """Check that a reader waits for the newest write of its register alone.

    ``newer_waits``: cycles that the newer write waits for the older one. If loads delay the fetch,
    the cycles of their reader alone are compared.
    """
    lead = None if port is None else port.lead_of(maker)
    before = lead or ()
    length = len(before) + 3
    only = None if lead is None else length - 1
    newer, reads = encode("addi", rd=_RD, imm=1), encode("add", rd=_FREE, rs1=_RD)
    one, other = (
        sequence_probe(f"{maker}, addi and add", [*before, produce(maker, rd), newer, reads],
                       length, spacers, only=only)
        for rd in (_RD, _ELSE)
    )  # fmt: skip
    measured = measure(device, [one, other], Waits(0, 0))
    takes, wanted = measured.cycles[one], measured.cycles[other]
    if only is None:
        wanted += newer_waits
    if takes != wanted:
        raise Refused(
            f"{one.mnemonic} take {takes} cycles, not {wanted}: the older write of x{_RD} by "
            f"{maker} changes how long add waits for the newer one; no key of core.latency "
            f"describes it{measured.listing(one)}"
        )


def _words(name: str, rd: int) -> list[int]:
    """Return an instruction that depends on no other; a jump goes over one word."""
    match name:
        case "sb" | "sh" | "sw":
            return [encode(name, rs1=_DATA, rs2=_B, imm=68)]
        case "bne" | "bge" | "bgeu":  # taken
            return [encode(name, rs1=_A, rs2=_B, imm=_OVER), PLAIN]
        case "beq" | "blt" | "bltu":
            return [encode(name, rs1=_A, rs2=_B, imm=_OVER)]
        case "jal":
            return [encode(name, imm=_OVER), PLAIN]
        case "fence":
            return [encode(name, imm=0xFF)]
        case "csrrwi" | "csrrsi" | "csrrci":
            return [encode(name, rd=rd, csr=0x340, imm=5)]
        case "csrrw" | "csrrs" | "csrrc":
            return [encode(name, rd=rd, csr=0x340, rs1=_A)]
    return [produce(name, rd)]


def _list_present(device: Device) -> list[str]:
    """Return instructions of each kind."""
    csrs = ["csrrw"] if device.isa.endswith("_zicsr") else []
    units = [name for name in ("mul", "mulhu", "div", "rem") if name in programs.units(device.isa)]
    some = ["add", "sll", *units, "lw", "lb", "sw", "beq", "bne", "jal", "fence", *csrs]
    return [name for name in some if name not in device.excluded]


def _list_alike(device: Device, name: str) -> list[str]:
    """Return the instructions of a kind; no ``jalr``, whose target needs a register."""
    known = {*programs.UNITS} - {*programs.units(device.isa)} | device.excluded | {"jalr"}
    return [each for each in next(kind for kind in _KINDS if name in kind) if each not in known]


def _find_waiting(
    device: Device, spacers: int, no_firsts: Container[str], *, slow: bool
) -> dict[_Pair, int]:
    """Return the waits between instructions directly one after the other, where there are any.

    Those after ``no_firsts``, and with ``slow`` those of jumps, are not measured.
    """
    jumps = ("bne", "jal", "fence") if slow else ()
    present = [name for name in _list_present(device) if name not in jumps]
    firsts = [name for name in present if name not in no_firsts]
    pairs = product(firsts, present)
    waits, _ = _measure_pairs(device, spacers, pairs, (0,))
    if not any(waits.values()):
        return {}
    some = [pair for (*pair, _), wait in waits.items() if wait]
    alike = {
        pair
        for first, second in some
        for pair in product(_list_alike(device, first), _list_alike(device, second))
    }
    waits, measured = _measure_pairs(device, spacers, sorted(alike), _NEAR)
    found = {}
    for first, second in sorted(alike):
        wait = waits[first, second, 0]
        for distance in _NEAR:
            cycles = waits[first, second, distance]
            if wait < 0 or cycles != max(0, wait - distance * measured.plain):
                _refuse(measured, first, second, distance, wait, cycles)
        if wait:
            found[first, second] = wait
    _check_operands(device, spacers, found)
    return found


def _refuse(
    measured: Measured, first: str, second: str, distance: int, wait: int, cycles: int
) -> None:
    probe = next(
        each for each in measured.cycles if each.mnemonic == _name(first, second, distance)
    )
    text = (
        f"{second} directly after {first} waits {wait} cycles, and {cycles} with {distance} "
        "instructions between them, though they share no register; no delay gives both"
        if wait >= 0
        else f"{first} and {second} after it take {-wait} cycles less than {_FAR} instructions "
        "apart: they overlap, as a unit outside the pipeline does; no key of core.latency "
        "describes it"
    )
    raise Refused(f"{text}{measured.listing(probe)}")


def _name(first: str, second: str, distance: int) -> str:
    return f"{first}, {distance} and {second}"


def _measure_pairs(
    device: Device,
    spacers: int,
    pairs: Iterable[_Pair],
    distances: Sequence[int],
    operands: tuple[int, int] = _OPERANDS[0],
) -> tuple[dict[tuple[str, str, int], int], Measured]:
    """Return by pair and distance how many cycles longer it takes than far apart."""
    probes: dict[tuple[str, str, int], Probe] = {}
    pairs = list(pairs)
    for (first, second), distance in product(pairs, (*distances, _FAR)):
        gap = [PLAIN] * distance
        given = _set_operands(*operands)
        words = [*given, *_words(first, _FREE), *gap, *_words(second, _ELSE)]
        probes[first, second, distance] = sequence_probe(
            _name(first, second, distance), words, len(given) + 2 + distance, spacers
        )
    measured = measure(device, probes.values(), Waits(0, 0))
    taken = {key: measured.cycles[probe] for key, probe in probes.items()}
    return {
        (*pair, distance): taken[*pair, distance]
        - (taken[*pair, _FAR] - (_FAR - distance) * measured.plain)
        for pair, distance in product(pairs, distances)
    }, measured


def _set_operands(a: int, b: int) -> list[int]:
    """Return how x10 and x11 get their values; they are 7 and 3 before."""
    if (a, b) == _OPERANDS[0]:
        return []
    set_a, set_b = (li(register, value) for register, value in ((_A, a), (_B, b)))
    return [*set_a, *set_b, *[PLAIN] * _SETTLE]


def _check_operands(device: Device, spacers: int, found: dict[_Pair, int]) -> None:
    """Check that waits for a multiplier or divider do not depend on its operands."""
    units = [pair for pair in found if pair[0] in programs.UNITS]
    for operands in _OPERANDS[1:] if units else ():
        waits, measured = _measure_pairs(device, spacers, units, (0,), operands)
        for first, second in units:
            wait = waits[first, second, 0]
            if wait == found[first, second]:
                continue
            probe = next(
                each for each in measured.cycles if each.mnemonic == _name(first, second, 0)
            )
            a, b = operands
            raise Refused(
                f"{second} directly after {first} of {a:#x}, {b:#x} waits {wait} cycles, and "
                f"{found[first, second]} after one of 0x7, 0x3: a unit whose busy time depends on "
                f"operands; no key of core.latency describes it{measured.listing(probe)}"
            )


def _list_locks(waits: dict[_Pair, int]) -> list[dict[str, Any]]:
    """Return one entry for each group of instructions that hold the same others equally long."""
    held: dict[tuple[str, int], list[str]] = {}
    for (first, second), wait in waits.items():
        held.setdefault((first, wait), []).append(second)
    groups: dict[tuple[tuple[str, ...], int], list[str]] = {}
    for (first, wait), seconds in held.items():
        groups.setdefault((tuple(seconds), wait), []).append(first)
    return [{"of": of, "to": list(to), "cycles": wait} for (to, wait), of in groups.items()]
