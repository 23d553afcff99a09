"""The constants of a run: the machine, and user-defined dividers."""

from typing import Any

import numpy as np
import numpy.typing as npt

from gnomon.arch import Architecture
from gnomon.arch.dividers import Divider
from gnomon.base.structs import only
from gnomon.sim._codes import SHARING
from gnomon.sim._structs import CONFIG

Array = npt.NDArray[np.int64]


def configuration(
    architecture: Architecture, entry: int = 0, text_bytes: int | None = None
) -> npt.NDArray[np.void]:
    """Return the record of a machine, with empty records and no limit.

    ``text_bytes``: with one memory for code and data, the bytes that the engine treats as
    instruction memory, at most all. The rest is data memory.
    """
    record = CONFIG.make()
    cfg = only(record)
    core, memory = architecture.core, architecture.memory
    cfg["harts"] = core.harts
    cfg["is_t13"] = core.model == "t13"
    cfg["is_morph"] = core.rtl == "morph"
    # Without a vector unit, no other unit runs in parallel with an in-order core.
    cfg["serial"] = not core.superscalar and (core.model == "t13" or architecture.vcu is not None)
    cfg["count_all"] = core.count_all
    cfg["ibase"], cfg["isize"] = memory.instruction.base, memory.instruction.size
    cfg["dbase"], cfg["dsize"] = memory.data.base, memory.data.size
    cfg["ishift"] = core.alignment_bytes // 2
    if memory.is_one:
        cfg["isize"] = memory.data.size if text_bytes is None else text_bytes
        cfg["dbase"], cfg["dsize"] = cfg["ibase"] + cfg["isize"], memory.data.size - cfg["isize"]
    cfg["data_word0"] = cfg["isize"] // 4
    cfg["data_waits"] = architecture.memory.data.waits
    cfg["access_words"], cfg["burst"] = memory.data.width // 32, memory.data.burst
    cfg["protocol"] = memory.unmapped == "protocol"
    cfg["reset_pc"] = entry if core.reset_pc == "entry" else core.reset_pc
    cfg["split"] = core.misaligned == "split"
    if core.latency is not None:
        latency = core.latency
        for name in ("branch_taken", "mul_per_bit"):
            cfg[name] = getattr(latency, name)
        cfg["fetch"] = latency.fetch + latency.instruction_waits
        if latency.div is not None and latency.div_by_zero is not None:
            cfg["div_zero"] = latency.div_by_zero - latency.div
        cfg["misaligned"] = (
            latency.misaligned + architecture.data_waits if latency.misaligned else 0
        )
        cfg["redirect"] = latency.fetch_redirect
        cfg["split_target"] = latency.split_target
        cfg["taken_fetch"] = latency.fetch_redirect
        cfg["taken_fetch"] += latency.taken_fetches * latency.instruction_waits
    _set_flags(cfg["core"], core.quirks)
    if core.divider is not None:
        scalar = Divider.named(core.divider)
        cfg["div_variable"] = scalar.fixed_cycles is None
        cfg["div_law"], cfg["div_first"] = scalar.law_number, scalar.first
        cfg["div_second"] = scalar.second
    _set_vector_unit(cfg, architecture)
    return record


def _set_vector_unit(cfg: np.void, architecture: Architecture) -> None:
    vcu = architecture.vcu
    if vcu is None:
        return
    cfg["has_vcu"] = 1
    cfg["simd"] = vcu.simd
    cfg["sharing"] = SHARING.index(vcu.sharing)
    cfg["spm_count"], cfg["spm_size"] = vcu.scratchpads.count, vcu.scratchpads.size
    cfg["spm_shift"] = int(vcu.scratchpads.size).bit_length() - 1
    cfg["spm_base"] = vcu.scratchpads.base
    _set_flags(cfg["vcu"], vcu.quirks)
    _set_flags(cfg["morph"], vcu.morph_quirks)
    cfg["postscale"] = -1 if vcu.postscale_shift == "mpsclfac" else vcu.postscale_shift
    cfg["divide_zero_riscv"] = vcu.divide_by_zero == "riscv"
    if vcu.divider is not None:
        lane = Divider.named(vcu.divider)
        cfg["vdiv_law"], cfg["vdiv_first"] = lane.law_number, lane.first
        cfg["vdiv_second"] = lane.second


def _set_flags(flags: np.void, quirks: Any) -> None:
    for name in flags.dtype.names or ():
        flags[name] = getattr(quirks, name)


def latency_tables(architecture: Architecture) -> Array:
    """Return the tables of user-defined dividers: row 0 of the core, row 1 of the vector unit."""
    tables = [
        None if unit is None else unit.divider_table
        for unit in (architecture.core, architecture.vcu)
    ]
    lookups = [[0] if each is None else each.lookup() for each in tables]
    laws = np.zeros((2, max(map(len, lookups))), dtype=np.int64)
    for row, lookup in enumerate(lookups):
        laws[row, : len(lookup)] = lookup
    return laws
