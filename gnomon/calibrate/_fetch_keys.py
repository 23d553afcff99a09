"""The fetch queue of a core: candidates, and the programs that distinguish them."""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING, Any, Final

from gnomon.calibrate import _programs as programs
from gnomon.calibrate._candidates import Candidate, ProbeProgram, probe_program
from gnomon.calibrate._device import Device, Waits
from gnomon.calibrate._programs import PLAIN
from gnomon.isa import encode, size_bytes
from gnomon.rtl.bare_metal import li

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gnomon.calibrate._inferred import Inferred

_A, _B, _RD, _DATA = 10, 11, 12, 8
_LONGEST: Final = 8  # queue and latency of core.fetch
_C_NOP: Final = 0x0001
_NO_DATA: Final = (Waits(0, 0), Waits(1, 0), Waits(2, 0), Waits(3, 0))
_BOTH: Final = (Waits(0, 3), Waits(1, 1), Waits(3, 3), Waits(1, 7), Waits(2, 20))
REPLACED: Final = {"prefetch": "none", "taken-fetches": 0, "split-target": 0}
"""Keys of core.latency that a queue replaces, with their values next to one."""


def list_queues(inferred: Inferred, device: Device) -> list[Candidate]:
    """Return the candidates with a queue, those with few words and cycles first.

    With a queue, jumps take fewer execute cycles than measured without wait states, by the
    ``latency`` of the queue beyond 1.
    """
    takes = ("words", "instructions") if size_bytes(device.isa) == 2 else ("words",)
    found = []
    for latency, queue, kind, stage in product(
        range(1, _LONGEST + 1), range(1, _LONGEST + 1), takes, (False, True)
    ):
        changed = _shorten_jumps(inferred, latency - 1)
        if changed is None or queue < latency or (kind == "instructions" and queue < 2):
            continue
        others: dict[str, Any] = {"fetch.queue": queue, "fetch.latency": latency}
        if len(takes) > 1:
            others["fetch.takes"] = kind
        others["fetch.memory_stage"] = stage
        found.append(Candidate(others, changed))
    return found


def _shorten_jumps(inferred: Inferred, less: int) -> dict[str, Any] | None:
    """Return core.latency with shorter jumps; None if a jump is too short."""
    latency = inferred.latency
    rules = []
    for rule in latency.get("rules", []):
        jumps = [name for name in rule["of"] if name in ("jal", "jalr")]
        others = [name for name in rule["of"] if name not in jumps]
        if others:
            rules.append(rule | {"of": others})
        if jumps:
            if not isinstance(rule["cycles"], int) or rule["cycles"] <= less:
                return None
            rules.append(rule | {"of": jumps, "cycles": rule["cycles"] - less})
    jump, taken = latency["jump"] - less, latency["branch-taken"] - less
    if jump < 1 or taken < 0:
        return None
    neutral = {key: value for key, value in REPLACED.items() if key in latency}
    return {"jump": jump, "branch-taken": taken, "rules": rules, **neutral}


def fetch_programs(device: Device) -> Iterator[ProbeProgram]:
    """Yield programs that distinguish queues, each of one kind of event."""

    def make(name: str, body: list[int], waits: tuple[Waits, ...]) -> ProbeProgram:
        return probe_program(device, name, [*li(_A, 7), *li(_B, 3), *body], waits)

    jump = [encode("jal", imm=8), PLAIN, *[PLAIN] * 6]
    taken = [encode("beq", imm=8), PLAIN, *[PLAIN] * 6]
    yield make("jumps and taken branches", [*jump, *taken, *jump[:2], *taken], _NO_DATA)
    yield make("plain words in a row", [PLAIN] * 16, _NO_DATA)
    load, store = encode("lw", rd=_RD, rs1=_DATA), encode("sw", rs1=_DATA, imm=64)
    units = programs.units(device.isa)
    name = next((each for each in ("div", "rem", "mul") if each in units
                 and each not in device.excluded), None)  # fmt: skip
    if name is not None:
        long = programs.encode_operation(name, 7, 3, rd=_RD, rs1=_A, rs2=_B)[0]
        after = [long, *[PLAIN] * 12, long, encode("jal", imm=8), *[PLAIN] * 8]
        yield make(f"plain words after {name}", after, _NO_DATA)
        mixed = [long, load, PLAIN, load, PLAIN, PLAIN, store, *[PLAIN] * 9]
        yield make(f"loads after {name}", mixed, _BOTH)
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
