"""The instruction cache of a core: addresses that use the same lines, and the waits of a miss."""

from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import Any, Final, NamedTuple

from gnomon.calibrate import _programs as programs
from gnomon.calibrate._device import Device, Retired, Waits, program_of
from gnomon.calibrate._measure import Refused, Warm, execute_cycles
from gnomon.calibrate._programs import PLAIN, Probe
from gnomon.isa import encode, size_bytes
from gnomon.rtl.bare_metal import li

KEY: Final = "memory.caches.icache"
_LESS, _MORE = Waits(30, 0), Waits(60, 0)
_ROUNDS: Final = 4
_FAR: Final = 8192  # bytes; words at this distance use the same set of most caches
_MOST_WAYS: Final = 16
_LONGEST_LINE: Final = 256
_MOST_BYTES: Final = 15 * 2**14  # of a program with distant words
_NEEDED: Final = 256  # bytes of the smallest cache that is measured
_PROBE: Final = 160  # bytes; no probe has more
_WIDTHS: Final = (32, 64, 128, 256)
_BEGIN: Final = 24  # words after which the pipeline is full
_A, _B, _DATA, _T, _COUNTER = 10, 11, 8, 5, 20


class Lines(NamedTuple):
    """The lines of a cache, with the evidence of each number."""

    line: int
    sets: int
    ways: int
    evidence: dict[str, str]


class Late(NamedTuple):
    """Waits after an instruction whose successor is in a line that the cache does not hold.

    ``at_rest``: its cycles if the cache holds it. ``beyond``: the further ones, by the waits of
    the refill. ``fetches``: further refills of a taken branch, 1 for any number.
    """

    at_rest: dict[Probe, int]
    beyond: dict[tuple[Probe, Waits], int]
    fetches: int
    accesses: int
    """Accesses of a refill."""
    shared_waits: int
    """How often it has the wait states of the memory."""


def warm_up(device: Device) -> tuple[Device, Lines | None]:
    """Return a device to measure without misses, and the lines of its cache, None without one.

    Raises:
        Refused: if a key of the cache is not identifiable.
    """
    if not has_cache(device):
        return device, None
    lines = find_lines(device)
    span = lines.line * lines.sets if lines.ways == 1 else 0
    return Warm(device, lines.line, span), lines


def has_cache(device: Device) -> bool:
    """Return whether words that were executed before have no wait states, and others have some."""
    if not device.sees_all or device.waits != "any":
        return False
    try:
        return not _loop_misses(device, 1) and _row(device, _LESS) != _row(device, _MORE)
    except Refused:  # the reason shows with the probes
        return False


def find_lines(device: Device) -> Lines:
    """Measure line, sets and ways.

    Raises:
        Refused: if a key is not identifiable.
    """
    if size_bytes(device.isa) == 2 or device.unit_port is not None:
        raise Refused(
            f"the core has an instruction cache; {KEY} is not measured with compressed "
            "instructions or a port of units"
        )
    if _loop_misses(device, _NEEDED // 4 - 4):
        raise Refused(
            f"{KEY} is not identifiable: it does not hold {_NEEDED} B in a row, which a probe needs"
        )
    row = _row(device, _MORE)
    late = [number for number, each in enumerate(row) if each > min(row)]
    apart = {4 * (after - before) for before, after in pairwise(late)} or {4}
    line = apart.pop()
    if apart or line & (line - 1) or line > _LONGEST_LINE:
        raise Refused(f"{KEY}.line is not identifiable: words in a row wait at unequal distances")
    number, distance = _find_conflict(device, _FAR)
    while number > 2 and _chain_misses(device, number - 1, 2 * distance):
        number, distance = _find_conflict(device, 2 * distance)
    span = max(line, 16)
    while not _chain_misses(device, number, span):
        span *= 2
    sets, touched = span // line, -(-_PROBE // line) + 1
    if touched > sets * (number - 2) and (number > 2 or span - line < _PROBE):
        raise Refused(
            f"{KEY} is not identifiable: a probe, and the line that it jumps to, do not fit "
            f"{number - 1} lines of {line} B in each of {sets} sets"
        )
    return Lines(line, sets, number - 1, {
        "line": f"new words in a row with {_MORE}: one in {line} B waits",
        "sets": f"{number} words displace each other at distances of {span} B, not of less",
        "ways": f"of words at distances of {distance} B, {number - 1} stay, and {number} do not",
    })  # fmt: skip


def _find_conflict(device: Device, distance: int) -> tuple[int, int]:
    """Return how many words at a distance displace each other, and the distance."""
    for number in range(2, _MOST_WAYS + 2):
        if _chain_misses(device, number, distance):
            return number, distance
    raise Refused(
        f"{KEY}.ways is not identifiable: {_MOST_WAYS + 1} words at distances of {distance} B do "
        "not displace each other"
    )


def measure_late(
    device: Device, lines: Lines, at_rest: dict[Probe, int], plain: int, taken: int
) -> Late:
    """Measure each instruction as the last one before a new line.

    Args:
        device: device to measure.
        lines: its cache.
        at_rest: cycles of probes whose words the cache holds.
        plain: cycles of a plain instruction.
        taken: cycles of ``bne`` if it is taken.

    Raises:
        Refused: if the waits are not those of a refill.
    """
    by_cycles = sorted(at_rest, key=lambda each: at_rest[each])  # the longest of equal words counts
    words = {(each.mnemonic, each.words[each.at]): each for each in by_cycles
             if not each.kind or each.kind == "not taken"}  # fmt: skip
    jumps = {each.mnemonic: each for each in at_rest if each.kind == "forward"}
    rested = {each: at_rest[each] for each in (*words.values(), *jumps.values())}
    refill: dict[Waits, int] = {}
    more: dict[Waits, dict[Probe, int]] = {}
    of_branch: dict[Waits, int] = {}
    for waits in (_LESS, _MORE):
        # With lines of a word, the word after each probe waits, too.
        after = _row(device, waits)[-1] if lines.line == 4 else plain
        *found, branch = _last_in_line(device, lines.line, rested, waits)
        more[waits] = {probe: each - after - rested[probe]
                       for probe, each in zip(rested, found, strict=True)}  # fmt: skip
        of_branch[waits] = branch - after - taken
        refill[waits] = next(each for probe, each in more[waits].items() if probe.mnemonic == "lw")
    shared, odd = divmod(refill[_MORE] - refill[_LESS], _MORE.instruction - _LESS.instruction)
    accesses = refill[_MORE] - shared * _MORE.instruction + 1
    if odd or not 1 <= shared <= accesses or 8 * lines.line / accesses not in _WIDTHS:
        raise Refused(
            f"{KEY}.width and burst are not identifiable: a miss waits {refill[_LESS]} cycles "
            f"with {_LESS} and {refill[_MORE]} with {_MORE}, not n - 1 + waits x ceil(n / burst)"
        )
    untaken = next(each for each in rested if each.mnemonic == "bne")
    fetches = {(of_branch[waits] - more[waits][untaken]) / refill[waits] for waits in refill}
    if len(fetches) > 1 or not fetches <= {0, 1}:
        raise Refused(
            f"by the cost of new lines, a taken branch has {sorted(fetches)} more fetches than an "
            f"untaken one, not 0 or 1; a table of predicted branches is not measured with {KEY}"
        )
    beyond = {(probe, Waits(refill[waits], 0)): each
              for waits, by_probe in more.items() for probe, each in by_probe.items()}  # fmt: skip
    return Late(rested, beyond, int(fetches.pop()), accesses, shared)


def cache_keys(lines: Lines, late: Late) -> dict[str, tuple[Any, str]]:
    """Return the keys of the cache, each with its evidence."""
    evidence = (
        f"loads before new lines with {_LESS}, {_MORE}: a refill has {late.accesses} accesses"
    )
    bursts = [each for each in range(1, late.accesses + 1)
              if -(-late.accesses // each) == late.shared_waits]  # fmt: skip
    alike = f"; {bursts[0]} to {bursts[-1]} fit equally" if len(bursts) > 1 else ""
    return {
        "line": (f"{lines.line} B", lines.evidence["line"]),
        "sets": (lines.sets, lines.evidence["sets"]),
        "ways": (lines.ways, lines.evidence["ways"]),
        "width": (8 * lines.line // late.accesses, evidence),
        "burst": (bursts[0], f"{evidence}, {late.shared_waits} times the wait states{alike}"),
    }


def _run(device: Device, body: Sequence[int], waits: Waits) -> list[Retired]:
    return device.execute(program_of(programs.whole(body), device.start), waits)


def _address(device: Device, index: int) -> int:
    """Return the address of a word of a body."""
    return device.start + 4 * (programs.BEFORE + index)


def _row(device: Device, waits: Waits) -> list[int]:
    """Return the cycles of new words in a row."""
    retired = _run(device, [PLAIN] * _LONGEST_LINE, waits)
    at = {each.pc: number for number, each in enumerate(retired)}
    found = []
    for index in range(_BEGIN, _LONGEST_LINE):
        here = at.get(_address(device, index), len(retired))
        found.append(execute_cycles(retired, here, 1))
    if None in found:
        raise Refused(f"the core stops among plain instructions with {waits}")
    return [each for each in found if each is not None]


def _loop_misses(device: Device, count: int) -> bool:
    """Return whether a round of a loop depends on wait states; ``count``: of plain words."""
    words = [PLAIN] * count
    body = [encode("addi", rd=_COUNTER, imm=_ROUNDS), *words,
            encode("addi", rd=_COUNTER, rs1=_COUNTER, imm=-1),
            encode("bne", rs1=_COUNTER, rs2=0, imm=-4 * (count + 1))]  # fmt: skip
    return _depends_on_waits(device, body, 1)


def _chain_misses(device: Device, count: int, distance: int) -> bool:
    """Return whether a round of jumps through words at equal distances depends on wait states.

    Raises:
        Refused: if they do not fit the memory.
    """
    if (count - 1) * distance > _MOST_BYTES:
        raise Refused(
            f"{KEY}.ways is not identifiable: {count} words at distances of {distance} B do not "
            "fit the memory"
        )
    begin = -_address(device, 2) % _LONGEST_LINE // 4 + 2
    body = [PLAIN] * (begin + (count - 1) * distance // 4 + 8)
    body[:2] = [encode("addi", rd=_COUNTER, imm=_ROUNDS), encode("jal", imm=4 * (begin - 1))]
    # A round begins with these words; the third one jumps out, the fourth one on.
    for index in range(count):
        back = index == count - 1
        body[begin + index * distance // 4] = encode(
            "jal", imm=-distance * (count - 1) if back else distance
        )
    body[begin : begin + 4] = [
        encode("addi", rd=_COUNTER, rs1=_COUNTER, imm=-1), encode("bne", rs1=_COUNTER, imm=8),
        encode("jal", imm=4 * (len(body) - begin - 2)), encode("jal", imm=distance - 12),
    ]  # fmt: skip
    return _depends_on_waits(device, body, begin)


def _depends_on_waits(device: Device, body: Sequence[int], index: int) -> bool:
    """Return whether the time between executions of a word depends on wait states.

    The first round is left out.
    """
    rounds = []
    for waits in (_LESS, _MORE):
        cycles = [each.cycle for each in _run(device, body, waits)
                  if each.pc == _address(device, index)]  # fmt: skip
        if len(cycles) < _ROUNDS or None in cycles:
            raise Refused(f"the core leaves a loop of {_ROUNDS} rounds with {waits}")
        rounds.append([each for each in cycles if each is not None])
    (first, *_, last), (begun, *_, ended) = ([*each[1:3]] for each in rounds)
    return last - first != ended - begun


def _last_in_line(device: Device, line: int, probes: Iterable[Probe], waits: Waits) -> list[int]:
    """Return the cycles of each probe, and at last of a taken branch, with the word after it.

    They are the last words of lines, and jumps go to the next word. The branch goes to the first
    word of the next line but one.
    """
    body = [PLAIN] * _BEGIN
    places = []

    def pad() -> None:
        while (_address(device, len(body)) + 4) % max(line, 8):
            body.append(PLAIN)

    for probe in probes:
        body += [*li(_A, probe.a), *li(_B, probe.b), *[PLAIN] * 8]
        jumps = {"jal": encode("jal", imm=4)}
        if probe.mnemonic == "jalr":
            begin = len(body)
            body.append(encode("auipc", rd=_T))
        pad()
        if probe.mnemonic == "jalr":
            jumps["jalr"] = encode("jalr", rs1=_T, imm=4 * (len(body) - begin + 1))
        places.append(len(body))
        body += [jumps.get(probe.mnemonic, probe.words[probe.at]), *[PLAIN] * 4]
    body += [PLAIN] * 8
    pad()
    places.append(len(body))
    body += [encode("bne", rs1=_DATA, imm=4 + line), *[PLAIN] * (line // 4 + 8)]
    retired = _run(device, body, waits)
    at = {each.pc: number for number, each in enumerate(retired)}
    found = [execute_cycles(retired, at.get(_address(device, each), len(retired)) + 1, 2)
             for each in places]  # fmt: skip
    if None in found:
        raise Refused(f"the core stops among single instructions with {waits}")
    return [each for each in found if each is not None]
