"""Changes of a machine with regions that may save waits: placements, and instruction caches."""

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from gnomon.arch import Architecture
from gnomon.base.units import Bytes, format_size

Measure = Callable[[Sequence[str]], int | None]
"""Returns the wall cycles that settings of the machine save in a run; None: infeasible."""

_CACHE_BYTES = (256, 512, 1024, 2048, 4096)
_LINE_BYTES = 16
_ENOUGH = 0.9  # of the largest saving: what a smaller cache must reach


class Tried(NamedTuple):
    """Settings that were run."""

    settings: Sequence[str]
    because: str  # the observation that suggests them
    saves_cycles: int


def try_placements(architecture: Architecture, measure: Measure) -> Iterator[Tried]:
    """Yield faster regions for constants, for code, and for both."""
    memory = architecture.memory
    if memory.link is None:
        return
    placed = memory.link.resolved()
    for what in (("constants",), ("text",), ("constants", "text")):
        waits = min(memory.regions[placed[each]].waits for each in what)
        for name, region in memory.regions.items():
            if not region.writable or region.waits >= waits:
                continue
            # By default, constants are with the text: they are named even if they stay.
            keys = {"constants": placed["constants"], **dict.fromkeys(what, name)}
            settings = [f"memory.link.{key}={value}" for key, value in keys.items()]
            saved = measure(settings)
            if saved is not None:
                moved = " and ".join("code" if each == "text" else each for each in what)
                because = f"moves {moved} to a region with {region.waits} wait states, not {waits}"
                yield Tried(settings, because, saved)


def try_caches(architecture: Architecture, measure: Measure) -> Iterator[Tried]:
    """Yield the smallest instruction cache with most of the largest saving of all sizes."""
    memory = architecture.memory
    if memory.link is None or memory.caches.icache is not None:
        return
    name = memory.link.text
    region = memory.regions[name]
    if not region.waits:
        return
    found = []
    for size_bytes in _CACHE_BYTES:
        settings = [
            f"memory.regions.{name}.cache={'both' if region.serves_loads else 'icache'}",
            f"memory.caches.icache.line={_LINE_BYTES}B",
            f"memory.caches.icache.sets={size_bytes // _LINE_BYTES}",
            "memory.caches.icache.ways=1",
        ]
        saved = measure(settings)
        if saved is not None:
            size = format_size(Bytes(size_bytes))
            because = (
                f"{size}: the smallest cache that saves {_ENOUGH:.0%} of the largest saving of"
                f" {len(_CACHE_BYTES)} sizes"
            )
            found.append(Tried(settings, because, saved))
    enough = _ENOUGH * max((each.saves_cycles for each in found), default=0)
    yield from [each for each in found if each.saves_cycles >= enough][:1]
