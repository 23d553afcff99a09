"""Fetch queue, predictor, cache and interlocks of a machine as the engine reads them."""

from typing import Any

import numpy as np
import numpy.typing as npt

from gnomon.arch import Architecture
from gnomon.base.structs import only
from gnomon.sim import _ops as op
from gnomon.sim._codes import LONG_AGO, NEVER
from gnomon.sim._structs import CACHED_SPAN, DATA_CACHE, FETCH, INTERLOCKS, NUMBERS
from gnomon.sim._tables import hiding_operations


def fetch_tables(architecture: Architecture) -> dict[str, npt.NDArray[Any]]:
    """Return the members of ``Machine`` about fetch; none if its waits are static."""
    core, latency = architecture.core, architecture.core.latency
    if latency is None or not (architecture.computes_fetch or architecture.has_caches):
        return {}
    record = FETCH.make()
    fetch = only(record)
    fetch["waits"] = architecture.instruction_waits
    fetch["data_waits"] = architecture.data_waits
    fetch["always"], fetch["redirect"] = latency.fetch, latency.fetch_redirect
    fetch["prefetch"] = NEVER if latency.prefetch is None else latency.prefetch
    fetch["taken_fetches"] = latency.taken_fetches
    fetch["split_target"] = latency.split_target
    fetch["keeps_half"] = latency.split_next is not None
    fetch["split_next"], fetch["split_again"] = latency.split_next or 0, latency.split_again
    fetch["taken"] = latency.branch_taken
    fetch["first_word"] = -1
    if core.fetch is not None:
        fetch["queue"], fetch["latency"] = core.fetch.queue, core.fetch.latency
        fetch["interval"], fetch["target_delay"] = core.fetch.interval, core.fetch.redirect
        fetch["shared"] = core.fetch.port == "shared"
        fetch["by_instruction"] = core.fetch.takes == "instructions"
        fetch["memory_stage"] = core.fetch.memory_stage
    predictor = core.predictor
    if predictor is not None:
        name = f"PREDICTOR_{predictor.kind.upper().replace('-', '_')}"
        fetch["predictor"] = NUMBERS[name]
        fetch["entries"], fetch["bits"] = predictor.entries, predictor.bits
        fetch["tagged"], fetch["hit"] = predictor.targets, predictor.hit
        fetch["miss"] = latency.branch_taken if predictor.miss is None else predictor.miss
    lines = np.zeros(1, dtype=np.int64)
    cache = architecture.memory.caches.icache
    if cache is not None:
        fetch["ways"], fetch["sets"] = cache.ways, cache.sets
        fetch["line_shift"] = int(cache.line).bit_length() - 1
        fetch["refill"] = cache.refill_waits(architecture.instruction_waits)
        lines = np.zeros(cache.sets * cache.ways, dtype=np.int64)
    fetch["lined"] = not architecture.computes_fetch
    fetch["quiet_shift"], fetch["quiet"] = _quiet_shift(architecture), -1
    fetch["steady"] = fetch["always"] + (fetch["waits"] if cache is None else 0)
    hides = hiding_operations(architecture).astype(np.uint8)
    restarts = np.zeros(op.OP_COUNT, dtype=np.uint8)
    if core.fetch is not None:
        restarts[list(map(op.operation_number, core.fetch.restarts))] = 1
    return {"fetch": record, "hides": hides, "restarts": restarts, "lines": lines,
            **_interlock_tables(architecture), **_data_cache_tables(architecture)}  # fmt: skip


def _quiet_shift(architecture: Architecture) -> int:
    """Return log2 of the bytes in which all words in a row wait as long, and change no later wait.

    -1: there are none.
    """
    core, latency = architecture.core, architecture.core.latency
    assert latency is not None
    if core.fetch or core.predictor or latency.interlocks or latency.split_next is not None:
        return -1
    if architecture.memory.caches.icache is not None:
        return int(architecture.memory.caches.icache.line).bit_length() - 1
    hides = architecture.instruction_waits and latency.prefetch is not None
    return -1 if hides else 32


def _data_cache_tables(architecture: Architecture) -> dict[str, npt.NDArray[Any]]:
    """Return the members of ``Machine`` about the data cache; none without."""
    memory, latency = architecture.memory, architecture.core.latency
    cache = memory.caches.dcache
    if cache is None or latency is None:
        return {}
    served = [(memory.data.base, int(memory.data.size), memory.data.waits)]
    if memory.regions:
        regions = [each for each in memory.regions.values() if each.serves_loads]
        served = [(each.base, int(each.size), each.waits) for each in regions]
    record, spans = DATA_CACHE.make(), np.zeros(len(served), dtype=CACHED_SPAN.dtype)
    tags = only(record)
    tags["ways"], tags["sets"], tags["spans"] = cache.ways, cache.sets, len(served)
    tags["line_shift"] = int(cache.line).bit_length() - 1
    tags["waits"] = architecture.data_waits
    for span, (base, size, waits) in zip(spans, served, strict=True):
        span["base"], span["size"] = base, size
        span["refill"] = cache.refill_waits(latency.data_waits + waits)
    lines = np.zeros(cache.sets * cache.ways, dtype=np.int64)
    return {"dcache": record, "cached": spans, "data_lines": lines}


def _interlock_tables(architecture: Architecture) -> dict[str, npt.NDArray[Any]]:
    """Return the members of ``Machine`` about waits without a shared register; none without."""
    latency = architecture.core.latency
    if latency is None or not latency.interlocks:
        return {}
    record = INTERLOCKS.make()
    locks = only(record)
    locks["ends"][:] = LONG_AGO
    masks = {name: np.zeros(op.OP_COUNT, dtype=np.int64) for name in ("holding", "held")}
    for number, each in enumerate(latency.interlocks):
        locks["cycles"][number] = each.cycles
        for name, mnemonics in (("holding", each.of), ("held", each.to)):
            masks[name][list(map(op.operation_number, mnemonics))] |= np.int64(1) << number
    return {"interlocks": record, **masks}
