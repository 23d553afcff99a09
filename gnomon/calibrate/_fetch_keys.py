"""The fetch queue of a core: candidates, and the programs that distinguish them."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise, product
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from gnomon.calibrate import _programs as programs
from gnomon.calibrate._candidates import Candidate, ProbeProgram, probe_program
from gnomon.calibrate._device import Device, Waits
from gnomon.calibrate._inferred import CLASSES, Inferred
from gnomon.calibrate._programs import PLAIN
from gnomon.isa import encode, size_bytes
from gnomon.rtl.bare_metal import li

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_A, _B, _RD, _DATA = 10, 11, 12, 8
_LONGEST: Final = 8  # queue and latency of core.fetch
_MOST_DELAY: Final = 2  # redirect of core.fetch
_LONG: Final = 20  # wait states
_BEHIND: Final = 4  # instructions at the end of a program
_C_NOP: Final = 0x0001
_NO_DATA: Final = (Waits(0, 0), Waits(1, 0), Waits(2, 0), Waits(3, 0))
_BOTH: Final = (Waits(0, 0), Waits(0, 3), Waits(1, 1), Waits(3, 3), Waits(1, 7), Waits(2, 20))
REPLACED: Final = {"prefetch": "none", "taken-fetches": 0, "split-target": 0}
"""Keys of core.latency that a queue replaces, with their values next to one."""


class LateTarget(NamedTuple):
    """Cycles that the request of a target has waited for the port, in the measurements.

    ``load`` and ``store``: cycles that the fetch of the next word has waited for each.
    """

    jump: int = 0
    branch: int = 0
    restart: int = 0
    load: int = 0
    store: int = 0


_ON_TIME: Final = LateTarget()


@dataclass(frozen=True)
class QueueCandidate(Candidate):
    """A candidate with a queue."""

    late: LateTarget = _ON_TIME


def list_queues(inferred: Inferred, device: Device, period: int) -> Iterator[list[QueueCandidate]]:
    """Yield lists of candidates with a queue, each to be tried if none of those before agrees.

    With a queue, jumps and what restarts the fetch take fewer execute cycles than measured without
    wait states, by the ``latency`` of the queue beyond 1, by ``redirect``, and by the cycles that
    the port has been busy. The last are given for jumps; see :func:`vary_restarts`.

    Args:
        inferred: keys of ``core.latency``.
        device: device to measure.
        period: cycles from word to word beyond long wait states; see :func:`word_period`.
    """
    port = inferred.port
    if port is not None:
        late = LateTarget(load=port.load, store=port.store)
        yield list(_list_queues(inferred, device, period, late=late))
        return
    restarts = inferred.restarts
    separate = [list(_list_queues(inferred, device, period, redirect))
                for redirect in range(_MOST_DELAY + 1)]  # fmt: skip
    if restarts is None or not restarts.accesses_wait:
        yield from separate
        return
    # Without wait states a shared port does not show if loads and stores take several cycles; a
    # queue of one word never gets ahead, so that all delay the fetch.
    yield [
        each
        for load, store in product((0, 1), (0, 1))
        for each in _list_queues(inferred, device, period, late=LateTarget(load=load, store=store))
        if each.others["fetch.queue"] == 1 or not load + store
    ]
    yield from separate


def list_restarts(inferred: Inferred, period: int) -> list[tuple[str, ...]]:
    """Return the lists of instructions that may restart the fetch, the measured one first.

    Without wait states, that list is measured with a shared port if an instruction fills the queue.
    """
    port, measured = inferred.port, inferred.restarts
    if port is not None and port.fills:
        listed = [port.restarts]
    elif port is not None:
        listed = [(), port.restarts]
    else:
        fence = next((rule["cycles"] for rule in inferred.latency.get("rules", [])
                      if "fence" in rule["of"]), inferred.latency["fence"])  # fmt: skip
        jumps = isinstance(fence, int) and fence + period > inferred.latency["jump"] > 1
        listed = [(), ("fence",)] if jumps else [()]
    return list(dict.fromkeys(listed if measured is None else [measured.names, *listed]))


def _list_queues(
    inferred: Inferred,
    device: Device,
    period: int,
    redirect: int = 0,
    *,
    late: LateTarget | None = None,
) -> Iterator[QueueCandidate]:
    """Yield candidates with a queue; ``late``: how loads and stores delay it, None if not."""
    takes = ("words", "instructions") if size_bytes(device.isa) == 2 else ("words",)
    port = inferred.port
    uses: tuple[int, ...] = (inferred.latency.get("load-use", 0),)
    if port is not None and port.lead is None:  # what a load holds shows with its fetch only
        uses = (0, 1, 2)
    for latency, queue, kind, stage, use, interval, wait in product(
        range(1, _LONGEST + 1), range(1, _LONGEST + 1), takes, (False, True), uses,
        range(1, period + 1), range(2 * period - 1),
    ):  # fmt: skip
        slow = queue == 1 and latency == period
        if (
            (interval != period and not slow)
            or wait > 2 * (interval - 1)
            or queue * interval < latency
        ):
            continue
        if kind == "instructions" and queue < 2:
            continue
        others: dict[str, Any] = {"fetch.queue": queue, "fetch.latency": latency}
        others |= {"fetch.interval": interval} if interval > 1 else {}
        others |= {"fetch.redirect": redirect} if redirect else {}
        others |= {"fetch.takes": kind} if len(takes) > 1 else {}
        others["fetch.memory_stage"] = stage
        others |= {"fetch.port": "shared"} if late is not None else {}
        others |= {"latency.load-use": use} if len(uses) > 1 else {}
        found = _make_candidate(inferred, others, (late or _ON_TIME)._replace(jump=wait))
        if found is not None:
            yield found


def _make_candidate(
    inferred: Inferred, others: dict[str, Any], late: LateTarget
) -> QueueCandidate | None:
    """Return a candidate with a queue; None if an instruction is too short."""
    less = others["fetch.latency"] - 1 + others.get("fetch.redirect", 0)
    shorter = dict.fromkeys(CLASSES["jump"], less + late.jump)
    shorter |= dict.fromkeys(others.get("fetch.restarts", ()), less + late.restart)
    shorter |= dict.fromkeys(CLASSES["load"], late.load)
    shorter |= dict.fromkeys(CLASSES["store"], late.store)
    changed = _shorten(inferred, shorter, less + late.branch)
    if changed is None:
        return None
    if inferred.port is not None:  # it gives their waits without the fetch
        shorter |= dict.fromkeys(CLASSES["load"], 0)
    return QueueCandidate(others, changed | _lengthen_waits(inferred.latency, shorter), late)


def vary_restarts(
    inferred: Inferred, candidates: Iterable[QueueCandidate], restarts: tuple[str, ...]
) -> Iterator[QueueCandidate]:
    """Yield candidates with instructions that restart the fetch.

    The cycles that the port was busy at these and at branches have any value, at jumps that of the
    candidate.
    """
    for each in candidates:
        others = each.others | ({"fetch.restarts": restarts} if restarts else {})
        interval = each.others.get("fetch.interval", 1)
        times = range(2 * interval - 1)  # a word that is asked for comes first, too
        for branch, other in product(times, times if restarts else (0,)):
            late = each.late._replace(branch=branch, restart=other)
            found = _make_candidate(inferred, others, late)
            if found is not None:
                yield found


def word_period(device: Device) -> int:
    """Return the cycles from one plain word to the next beyond long wait states, at least 1."""
    if device.waits != "any":
        return 1
    waits = _NO_DATA[-1]._replace(instruction=_LONG)
    retired = device.execute(probe_program(device, "row", [PLAIN] * 16, ()).program, waits)
    cycles = [each.cycle for each in retired[-_BEHIND - 8 : -_BEHIND] if each.cycle is not None]
    apart = {after - before for before, after in pairwise(cycles)}
    return max(1, min(apart) - _LONG) if apart else 1


def _shorten(inferred: Inferred, shorter: dict[str, int], taken: int) -> dict[str, Any] | None:
    """Return core.latency without what the fetch adds; None if an instruction is too short.

    ``shorter``: cycles that it adds to instructions; ``taken``: to taken branches.
    """
    latency = inferred.latency
    changed: dict[str, Any] = {"branch-taken": latency["branch-taken"] - taken}
    rules = [made for rule in latency.get("rules", []) for made in _shorten_rule(rule, shorter)]
    ruled = {name for rule in rules for name in rule["of"]}
    for kind, names in CLASSES.items():
        own = [name for name in names if name not in ruled]
        if own and len({shorter.get(name, 0) for name in own}) == 1:
            changed[kind] = latency[kind] - shorter.get(own[0], 0)
        elif own:
            rules += _shorten_rule({"of": own, "cycles": latency[kind]}, shorter)
    least = [changed[kind] for kind in CLASSES if kind in changed]
    least += [each for rule in rules for each in _list_cycles(rule)]
    if min(least) < 1 or changed["branch-taken"] < 0:
        return None
    neutral = {key: value for key, value in REPLACED.items() if key in latency}
    return changed | {"rules": rules} | neutral


def _lengthen_waits(latency: dict[str, Any], longer: dict[str, int]) -> dict[str, Any]:
    """Return the waits that have shown beyond those of the fetch alone, whole.

    ``longer``: cycles that the fetch of the next word adds to instructions, by mnemonic. During
    them it waits for their results, too.
    """
    bypass = list(_lengthen_entries(latency.get("bypass", []), longer))
    changed: dict[str, Any] = {}
    ruled = {name for entry in bypass if "to" not in entry for name in entry["of"]}
    for key, names in (("load-use", CLASSES["load"]), ("mul-use", programs.UNITS[:4])):
        use = latency.get(key, 0)
        own = [name for name in names if name not in ruled]
        most = max((longer.get(name, 0) for name in own), default=0)
        if use and len({longer.get(name, 0) for name in own}) == 1:
            changed[key] = use + most
        elif use and most:
            alike = [{"of": own, "cycles": use}]
            bypass += (each for each in _lengthen_entries(alike, longer) if each["cycles"] != use)
    locks = list(_lengthen_entries(latency.get("interlocks", []), longer))
    lists = {"bypass": bypass, "interlocks": locks}
    return changed | {key: each for key, each in lists.items() if each != latency.get(key, [])}


def _lengthen_entries(
    entries: Iterable[dict[str, Any]], longer: dict[str, int]
) -> Iterator[dict[str, Any]]:
    """Yield an entry for each group of instructions whose waits become longer by equally much."""
    for entry in entries:
        groups: dict[int, list[str]] = {}
        for name in entry["of"]:
            groups.setdefault(longer.get(name, 0) * (entry["cycles"] > 0), []).append(name)
        for more, names in groups.items():
            yield entry | {"of": names, "cycles": entry["cycles"] + more}


def _list_cycles(rule: dict[str, Any]) -> list[int]:
    cycles = rule["cycles"]
    return [cycles] if isinstance(cycles, int) else cycles


def _shorten_rule(rule: dict[str, Any], shorter: dict[str, int]) -> Iterator[dict[str, Any]]:
    """Yield a rule for each group of instructions that become shorter by equally many cycles."""
    groups: dict[int, list[str]] = {}
    for name in rule["of"]:
        groups.setdefault(shorter.get(name, 0), []).append(name)
    for less, names in groups.items():
        cycles = [each - less for each in _list_cycles(rule)]
        shown = cycles[0] if isinstance(rule["cycles"], int) else cycles
        yield rule | {"of": names, "cycles": shown}


def jump_programs(device: Device) -> Iterator[ProbeProgram]:
    """Yield programs with jumps, but without branches and instructions that may restart."""
    jump = [encode("jal", imm=8), PLAIN, *[PLAIN] * 6]
    bodies = {"jumps": [*jump, *jump[:2], *jump[:5], *jump[:4], *jump]}
    bodies["jumps after loads"] = [
        word for apart in range(6) for word in
        (*[PLAIN] * 8, encode("lw", rd=_RD, rs1=_DATA), *[PLAIN] * apart, *jump)
    ]  # fmt: skip
    for name, body in bodies.items():
        yield _make(device, name, body, _NO_DATA)
    yield from _long_programs(device)


def _long_programs(device: Device) -> Iterator[ProbeProgram]:
    """Yield programs with an instruction of many cycles, after which the queue is full."""
    units = programs.units(device.isa)
    name = next((each for each in ("div", "rem", "mul") if each in units
                 and each not in device.excluded), None)  # fmt: skip
    if name is None:
        return
    load, store = encode("lw", rd=_RD, rs1=_DATA), encode("sw", rs1=_DATA, imm=64)
    long = programs.encode_operation(name, 7, 3, rd=_RD, rs1=_A, rs2=_B)[0]
    after = [long, *[PLAIN] * 12, long, encode("jal", imm=8), *[PLAIN] * 8]
    yield _make(device, f"plain words after {name}", after, _NO_DATA)
    mixed = [long, load, PLAIN, load, PLAIN, PLAIN, store, *[PLAIN] * 9]
    yield _make(device, f"loads after {name}", mixed, _BOTH)


def _make(device: Device, name: str, body: list[int], waits: tuple[Waits, ...]) -> ProbeProgram:
    return probe_program(device, name, [*li(_A, 7), *li(_B, 3), *body], waits)


def fetch_programs(device: Device) -> Iterator[ProbeProgram]:
    """Yield programs that distinguish queues, each of one kind of event."""

    def make(name: str, body: list[int], waits: tuple[Waits, ...]) -> ProbeProgram:
        return _make(device, name, body, waits)

    jump = [encode("jal", imm=8), PLAIN, *[PLAIN] * 6]
    taken = [encode("beq", imm=8), PLAIN, *[PLAIN] * 6]
    yield make("jumps and taken branches", [*jump, *taken, *jump[:2], *taken], _NO_DATA)
    yield make("plain words in a row", [PLAIN] * 16, _NO_DATA)
    if "fence" not in device.excluded:
        fence = encode("fence", imm=0xFF)
        rows = [word for count in (6, 0, 1, 8, 2, 3, 8) for word in (fence, *[PLAIN] * count)]
        yield make("fences among plain words", rows, _NO_DATA)
    yield from _long_programs(device)
    load, store = encode("lw", rd=_RD, rs1=_DATA), encode("sw", rs1=_DATA, imm=64)
    yield make("loads and stores among plain words",
               [load, load, *[PLAIN] * 8, load, PLAIN, load, *[PLAIN] * 8, store, load,
                *[PLAIN] * 8], _BOTH)  # fmt: skip
    yield make("jumps after loads and stores",
               [load, *jump, store, *jump, load, *taken, load, PLAIN, *jump], _BOTH)  # fmt: skip
    if size_bytes(device.isa) == 2:
        halves = [*[_C_NOP] * 12, PLAIN, PLAIN, _C_NOP, *[PLAIN] * 6, _C_NOP]
        far = [load, *[_C_NOP] * 9, *[PLAIN] * 4, _C_NOP]
        yield make("compressed instructions among words", [*halves, *far],
                   (*_NO_DATA, *_BOTH))  # fmt: skip
        yield make("branches among compressed instructions", _list_branches(), _NO_DATA)


def _list_branches() -> list[int]:
    """Return taken branches in both halves of a word, over words of all kinds, to such words."""
    ones = encode("addi", rs1=6)  # bits 16 and 17 are 1
    words: list[int] = []
    for over, upper, (target_upper, target) in product(
        ([PLAIN], [ones], [_C_NOP, PLAIN, _C_NOP], [_C_NOP, _C_NOP]),
        (False, True),
        ((False, PLAIN), (True, PLAIN), (True, _C_NOP)),
    ):
        skipped = [*over, *[_C_NOP] * (upper != target_upper)]
        branch = encode("beq", imm=4 + sum(map(size_bytes, skipped)))
        block = [*[_C_NOP] * upper, branch, *skipped, target, PLAIN, PLAIN]
        words += [*block, *[_C_NOP] * (sum(map(size_bytes, block)) % 4 // 2)]
    return words
