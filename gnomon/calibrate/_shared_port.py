"""A port that fetches and accesses to data share: measurements without the fetch that waits."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from gnomon.calibrate import _programs as programs
from gnomon.calibrate._device import Device, Waits
from gnomon.calibrate._measure import Flushed, Refused, Skew, Skews, Warm, measure
from gnomon.calibrate._programs import PLAIN, Probe, sequence_probe
from gnomon.calibrate._restarts import long_words
from gnomon.isa import encode

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_A, _B, _RD, _DATA = 10, 11, 14, 8
_ACCESSES: Final = (encode("lw", rd=_RD, rs1=_DATA), encode("sw", rs1=_DATA, rs2=_B, imm=64))
_FAR: Final = 12  # plain instructions between two that are apart
_NEAR: Final = 4  # instructions after an access whose cycles are measured
_NONE: Final = Waits(0, 0)
_DATA_WAITS: Final = Waits(0, 3)


class SharedPort(NamedTuple):
    """A core whose fetch waits for loads and stores.

    ``load`` and ``store``: as of :class:`~._measure.Flushed`. ``lead``: instructions before a load
    with which the next one does not wait for its fetch; None if there are none. ``fetches``: cycles
    that each instruction after it waits for its fetch, the first with none between. ``restarts``:
    long instructions after which the queue is as empty as after jumps, or those of which this is
    unknown if no instruction fills it. ``fills``: whether one does.
    """

    load: int
    store: int
    lead: tuple[int, ...] | None
    fetches: tuple[int, ...]
    restarts: tuple[str, ...]
    fills: bool

    def lead_of(self, name: str) -> tuple[int, ...] | None:
        """Return ``lead`` for a load; None for others: the cycles of all show their waits."""
        return self.lead if name in programs.ACCESSES else None

    def fetch_after(self, name: str, distance: int) -> int:
        """Return how long the fetch of an instruction waits for a load ``distance`` before it."""
        return self.fetches[distance] if self.fetches and name in programs.ACCESSES else 0


def flush(device: Device) -> Device:
    """Return a device whose probes do not depend on those before them if its port is shared.

    A jump forgets the words that the fetch has not got yet, and a long instruction hides that they
    are late: directly after a load either takes fewer cycles than apart from it, if the fetch waits
    for the load. A fetch of one cycle is late again before the next instruction; then the load
    takes fewer cycles after a long instruction, during which the queue has filled.
    """
    if not device.sees_all or isinstance(device, Warm):
        return device
    long = {"slli": encode("slli", rd=_RD, rs1=_A, imm=31)}
    for name in {"mul", "div"} & set(programs.units(device.isa)):
        long[name] = encode(name, rd=_RD, rs1=_A, rs2=_B)
    fillers = [[long[name]] for name in sorted(long.keys() - device.excluded)]
    try:
        saved = _save_behind(device, [[encode("jal", imm=8), PLAIN], *fillers])
        if not any(map(any, saved)):
            saved = _save_before(device, fillers)
    except Refused:  # the reason shows with all probes
        return device
    load, store = map(max, saved)
    shared = max(load, store) > 0 and min(map(min, saved)) >= 0
    return Flushed(device, load, store) if shared else device


def _save_behind(device: Device, hiding: Sequence[Sequence[int]]) -> list[list[int]]:
    """Return how many cycles less each takes next to a load, and to a store, than apart."""
    pairs = [
        [
            sequence_probe(f"access {n}, {apart} and {k}", [word, *[PLAIN] * apart, *after],
                           apart + 2, _FAR)
            for apart in (0, _FAR)
        ]
        for n, word in enumerate(_ACCESSES)
        for k, after in enumerate(hiding)
    ]  # fmt: skip
    measured = measure(Flushed(device), [probe for two in pairs for probe in two], _NONE)
    saved = [measured.cycles[far] - _FAR * measured.plain - measured.cycles[near]
             for near, far in pairs]  # fmt: skip
    return [saved[: len(hiding)], saved[len(hiding) :]]


def _save_before(device: Device, fillers: Sequence[Sequence[int]]) -> list[list[int]]:
    """Return how many cycles less a load, and a store, take directly after each filler."""
    named = [*((f"access {n}", [word]) for n, word in enumerate(_ACCESSES)),
             *((f"filler {k}", [*words]) for k, words in enumerate(fillers)),
             *((f"filler {k} and access {n}", [*words, word])
               for n, word in enumerate(_ACCESSES) for k, words in enumerate(fillers))]  # fmt: skip
    probes = [sequence_probe(name, words, len(words), _FAR) for name, words in named]
    cycles = measure(Flushed(device), probes, _NONE).cycles
    count = len(_ACCESSES)
    alone, filling, both = (
        [cycles[probe] for probe in some]
        for some in (probes[:count], probes[count:][: len(fillers)], probes[count + len(fillers) :])
    )
    rows = [both[n * len(fillers) :][: len(fillers)] for n in range(count)]
    return [[usual + long - taken for long, taken in zip(filling, row, strict=True)]
            for usual, row in zip(alone, rows, strict=True)]  # fmt: skip


def find_shared_port(
    device: Device, spacers: int, at_rest: Mapping[Probe, int], plain: int
) -> SharedPort | None:
    """Return how accesses of data delay the fetch; None if they do not.

    Args:
        device: device to measure.
        spacers: plain instructions on either side of each probe.
        at_rest: cycles of probes without wait states.
        plain: cycles of a plain instruction.
    """
    if not isinstance(device, Flushed) or not max(device.load, device.store):
        return None
    access, saved = max(zip((device.load, device.store), _ACCESSES, strict=True))[::-1]
    long = long_words(at_rest, plain)
    filling: list[tuple[int, str]] = []
    others: list[str] = []
    alone = {name: sequence_probe(name, [word], 1, spacers) for name, word in long.items()}
    then = {name: sequence_probe(name, [word, access], 2, spacers) for name, word in long.items()}
    only = sequence_probe("access", [access], 1, spacers)
    cycles = measure(device, [only, *alone.values(), *then.values()], _NONE).cycles
    for name in long:
        hidden = cycles[alone[name]] + cycles[only] - cycles[then[name]]
        if hidden >= saved:
            filling.append((cycles[alone[name]], name))
        else:
            others.append(name)
    leads: list[tuple[int, ...]] = [(), *((long[name],) for _, name in sorted(filling)[-1:])]
    for lead in leads:
        after = _cycles_after(device, spacers, _ACCESSES[0], lead, _NONE)
        fetches = tuple(cycles - plain for cycles in after)
        if fetches[0] == 0 and min(fetches) >= 0:
            break
    else:
        lead, fetches = None, ()
    return SharedPort(device.load, device.store, lead, fetches, tuple(others), bool(filling))


def _cycles_after(
    device: Device, spacers: int, access: int, lead: Sequence[int], waits: Waits
) -> list[int]:
    """Return the cycles of each plain instruction after an access of data, which follows others."""
    probes = []
    for number in range(1, _NEAR + 1):
        words = [*lead, access, *[PLAIN] * number]
        name = f"{number}. instruction after an access"
        probes.append(sequence_probe(name, words, len(words), spacers, only=len(lead) + number))
    cycles = measure(device, probes, waits).cycles
    return [cycles[probe] for probe in probes]


def without_fetch(skews: Skews, device: Device, spacers: int, port: SharedPort) -> Skews:
    """Return skews, those of loads and stores without the fetch that waits for them.

    Wait states of data that show with instructions after them count. All cycles at rest are taken
    to show with the access.

    Args:
        skews: skews of all instructions.
        device: device to measure.
        spacers: plain instructions on either side of each probe.
        port: how accesses delay the fetch.
    """
    found = dict(skews)
    for name in (each for each in programs.ACCESSES if each not in device.excluded):
        skew, after = found.pop(name, Skew()), 0
        if device.waits == "any":
            register = {"rs2": _B} if name[0] == "s" else {"rd": _RD}
            word = encode(name, rs1=_DATA, imm=64, **register)
            usual, waiting = (_cycles_after(device, spacers, word, port.lead or (), waits)
                              for waits in (_NONE, _DATA_WAITS))  # fmt: skip
            unlike = [one != other for one, other in zip(usual, waiting, strict=True)]
            after = _NEAR - unlike[::-1].index(True) if any(unlike) else 0
        if skew.before or after:
            found[name] = Skew(skew.before, after)
    return found
