"""The branch predictor of a core: candidates, and the programs that distinguish them."""

from __future__ import annotations

from itertools import pairwise, product
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from gnomon.calibrate._candidates import Candidate, ProbeProgram, probe_program
from gnomon.calibrate._device import Device, Waits
from gnomon.calibrate._programs import BRANCHES, PLAIN, Probe
from gnomon.calibrate._untaught import MOST_COUNTERS
from gnomon.isa import encode, size_bytes

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

_N, _M, _PARITY, _TURN = 20, 21, 13, 14
_ROUNDS: Final = 8
_ENTRIES: Final = (2, 4, 8, 16, 32, 64)
_SOME: Final = (Waits(0, 0), Waits(1, 0), Waits(3, 0))
_BODY: Final = 6  # plain instructions of a round
_TRAINED: Final = 3  # taken branches after which a counter predicts taken


class LoopCosts(NamedTuple):
    """Cycles of a predicted and of a wrongly predicted branch of a loop, beyond one not taken."""

    hit: int
    miss: int


def _loop(body: Sequence[int], rounds: int, counter: int = _N) -> list[int]:
    """Return a loop of some rounds."""
    back = -4 * (len(body) + 1)
    return [
        encode("addi", rd=counter, imm=rounds),
        *body,
        encode("addi", rd=counter, rs1=counter, imm=-1),
        encode("bne", rs1=counter, rs2=0, imm=back),
    ]


def loop_program(device: Device) -> ProbeProgram:
    """Return a loop of eight rounds."""
    return probe_program(device, f"a loop of {_ROUNDS} rounds",
                         _loop([PLAIN] * _BODY, _ROUNDS), _SOME)  # fmt: skip


def loop_costs(device: Device, taken: int) -> LoopCosts | None:
    """Measure a loop of eight rounds, without wait states.

    Args:
        device: device to measure.
        taken: cycles of a taken branch, that is not predicted, beyond one that is not taken.

    None if the rounds do not settle.
    """
    size = 4 * (_BODY + 2)
    again = [
        encode("bne", rs1=_M, rs2=0, imm=16),
        encode("addi", rd=_M, imm=1),
        encode("addi", rd=_N, imm=_ROUNDS),
        encode("jal", imm=-(size + 4 * _BODY + 12)),
    ]
    # First a round that ends the loop: caches hold it then, and predictors have learned nothing.
    body = [encode("addi", rd=_M), *_loop([PLAIN] * _BODY, 1), *[PLAIN] * _BODY, *again]
    retired = device.execute(probe_program(device, "loop", body, _SOME).program, Waits(0, 0))
    counts: dict[int, list[int]] = {}
    for each in retired:
        if each.cycle is not None:
            counts.setdefault(each.pc, []).append(each.cycle)
    top = next((pc for pc, cycles in counts.items() if len(cycles) == _ROUNDS + 1), None)
    if top is None:
        return None
    rounds = [after - before for before, after in pairwise(counts[top][1:])]
    after = counts.get(top + size + 8, [])
    if len(after) != 2 or len(set(rounds[3:])) != 1:
        return None
    plain = counts[top + 8][-1] - counts[top + 4][-1]
    hit = taken + rounds[-1] - rounds[0]
    # From the top of the last round to the third instruction after the loop, without a branch.
    straight = (after[-1] - counts[top][-1]) - (rounds[0] - taken)
    return LoopCosts(hit, straight - 2 * plain)


def loop_programs(device: Device) -> Iterator[ProbeProgram]:
    """Yield programs of loops, which distinguish predictors."""
    yield loop_program(device)
    inner = [PLAIN, PLAIN, *_loop([PLAIN] * 3, 3, _M), PLAIN]
    yield probe_program(device, "nested loops", _loop(inner, 4), _SOME)
    parity = encode("andi", rd=_PARITY, rs1=_N, imm=1)
    for name, operand, forms in (
        ("a forward branch, taken in each round", 0, ()),
        ("a forward branch, taken in every other round", _PARITY, (parity,)),
    ):
        over = [*forms, encode("beq", rs1=operand, rs2=0, imm=8), PLAIN, PLAIN, PLAIN]
        yield probe_program(device, name, _loop(over, _ROUNDS), _SOME)
    step = size_bytes(device.isa)
    for entries in _ENTRIES:
        apart = entries * step // 4  # words between two branches that share a counter
        first = encode("beq", rs1=_PARITY, rs2=0, imm=4)
        between = [PLAIN] * max(0, apart - 1)
        second = encode("bne", rs1=0, rs2=0, imm=8)
        body = [parity, first, *between, second, PLAIN, PLAIN]
        yield probe_program(device, f"two branches {apart} words apart, in a loop",
                            _loop(body, _ROUNDS), _SOME[:1])  # fmt: skip


def share_counters(device: Device) -> bool:
    """Return whether a branch is predicted by what other branches have done.

    Branches at distances of all counters are first taken, to the middle between two, then not.
    """
    if not device.sees_all:
        return False
    apart = [PLAIN] * (MOST_COUNTERS - 1)
    taken, untaken = encode("beq", imm=2 * MOST_COUNTERS), encode("bne", imm=8)
    body = [*[taken, *apart] * _TRAINED, *[untaken, *apart] * (_TRAINED + 1)]
    program = probe_program(device, "shared counters", body, _SOME[:1]).program
    retired = device.execute(program, _SOME[0])
    cycles = [
        after.cycle - before.cycle
        for before, each, after in zip(retired, retired[1:], retired[2:], strict=False)
        if program.instruction_at(each.pc) in (taken, untaken)
        and before.cycle is not None
        and after.cycle is not None
    ]  # with the next instruction
    first, last = cycles[:_TRAINED], cycles[_TRAINED:]
    return bool(first and last) and (first[0] != first[-1] or last[0] != last[-1])


def is_back(probe: Probe) -> bool:
    """Return whether a probe is a branch to a lower address."""
    return probe.mnemonic in BRANCHES and probe.kind.endswith(", back")


def static_costs(cycles: Mapping[Probe, int]) -> LoopCosts | None:
    """Return the costs of branches back, if they are predicted as taken.

    None if branches back take as long as others, or one branch differs from the others.
    """
    by_name: dict[str, dict[str, int]] = {}
    for probe, taken in cycles.items():
        if probe.mnemonic in BRANCHES:
            by_name.setdefault(probe.mnemonic, {})[probe.kind] = taken
    kinds = ("taken", "taken, back", "not taken, back")
    costs = {tuple(each[kind] - each["not taken"] for kind in kinds) for each in by_name.values()}
    if len(costs) != 1:
        return None
    taken, hit, miss = costs.pop()
    if (hit, miss) == (taken, 0) or min(hit, miss) < 0:
        return None
    return LoopCosts(hit, miss)


def add_static(base: Candidate, costs: LoopCosts) -> Iterator[Candidate]:
    """Yield candidates with static prediction; none if a branch is shorter than one fetch.

    The requests of both targets may have waited for a port that takes several cycles.
    """
    fetch = base.others.get("fetch.latency", 1) - 1 + base.others.get("fetch.redirect", 0)
    times = range(2 * base.others.get("fetch.interval", 1) - 1)
    for hit, miss in product(times, times):
        if costs.hit >= fetch + hit and costs.miss >= fetch + miss:
            keys = {"predictor.kind": "static", "predictor.hit": costs.hit - fetch - hit,
                    "predictor.miss": costs.miss - fetch - miss}  # fmt: skip
            yield Candidate(base.others | keys, base.latency)


def learns(device: Device) -> bool:
    """Return whether a branch of a loop takes other cycles in later rounds."""
    costs = loop_costs(device, 0)
    return costs is not None and costs.hit != 0


def list_predictors(base: Candidate, costs: LoopCosts, taken: int) -> Iterator[Candidate]:
    """Yield candidates with a predictor whose costs do not show with single branches.

    Args:
        base: keys of the fetch queue, if the core has one.
        costs: costs of branches that are predicted.
        taken: cycles of a taken branch, that is not predicted, beyond one that is not taken.
    """
    yield from add_static(base, LoopCosts(taken, 0))  # as without; it shows with what is fetched
    if "fetch.queue" in base.others:
        fetch = base.others["fetch.latency"] - 1 + base.others.get("fetch.redirect", 0)
        for late in range(2 * base.others.get("fetch.interval", 1) - 1):
            if costs.miss >= fetch + late:
                keys = {"predictor.kind": "one-entry", "predictor.miss": costs.miss - fetch - late}
                yield Candidate(base.others | keys, base.latency)
        return
    if min(costs) < 0:
        return
    common: dict[str, Any] = {"predictor.hit": costs.hit, "predictor.miss": costs.miss}
    yield Candidate(base.others | {"predictor.kind": "one-entry"} | common, base.latency)
    for entries, bits, targets in product(_ENTRIES, (2, 1), (True, False)):
        keys = {"predictor.kind": "table", "predictor.entries": entries, "predictor.bits": bits,
                "predictor.targets": targets}  # fmt: skip
        yield Candidate(base.others | keys | common, base.latency)
