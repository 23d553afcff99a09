"""The constants of a run: the machine."""

from typing import Any

import numpy as np
import numpy.typing as npt

from gnomon.arch import Architecture
from gnomon.base.structs import only
from gnomon.sim._codes import SHARING
from gnomon.sim._structs import CONFIG


def configuration(
    architecture: Architecture, entry: int = 0, text_bytes: int | None = None
) -> npt.NDArray[np.void]:
    """Return the record of a machine, with empty records and no limit.

    ``text_bytes``: with one memory for code and data, or with regions, the bytes of the code's
    memory that the engine treats as instruction memory, at most all. The rest is data.
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
    if memory.regions and text_bytes is not None:
        cfg["isize"] = text_bytes
    if memory.is_one:
        cfg["isize"] = memory.data.size if text_bytes is None else text_bytes
        cfg["dbase"], cfg["dsize"] = cfg["ibase"] + cfg["isize"], memory.data.size - cfg["isize"]
    cfg["data_word0"] = cfg["isize"] // 4
    cfg["data_waits"] = memory.data.waits
    if memory.regions:
        # No wait states outside of all regions.
        cfg["elsewhere"] = -memory.data.waits
    cfg["access_words"], cfg["burst"] = memory.data.width // 32, memory.data.burst
    cfg["protocol"] = memory.unmapped == "protocol"
    cfg["reset_pc"] = entry if core.reset_pc == "entry" else core.reset_pc
    cfg["split"] = core.misaligned == "split"
    if core.latency is not None:
        latency = core.latency
        cfg["branch_taken"] = latency.branch_taken
        cfg["misaligned"] = (
            latency.misaligned + architecture.data_waits if latency.misaligned else 0
        )
    if core.latency is not None and not architecture.computes_fetch:
        cfg["split_target"] = latency.split_target
        cfg["fetch"] = latency.fetch + architecture.static_fetch_waits
        cfg["redirect"] = latency.fetch_redirect
        cfg["taken_fetch"] = latency.fetch_redirect
        cfg["taken_fetch"] += latency.taken_fetches * architecture.static_fetch_waits
    if core.interrupts is not None:
        cfg["interrupts"], cfg["entry"] = 1, core.interrupts.entry
        cfg["vectored"] = core.interrupts.vectored
    _set_flags(cfg["core"], core.quirks)
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


def _set_flags(flags: np.void, quirks: Any) -> None:
    for name in flags.dtype.names or ():
        flags[name] = getattr(quirks, name)
