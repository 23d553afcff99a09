"""What stands while a program runs: quirks, decoded words, the machine, a user's own dividers."""

from typing import Any

import numpy as np
import numpy.typing as npt

from gnomon.arch import Architecture, Vcu
from gnomon.arch.dividers import divider
from gnomon.base.structs import Field, Struct, only, plain
from gnomon.sim._codes import SHARING

Array = npt.NDArray[np.int64]
_F = Field


def _flags(name: str, what: str, section: Any, quirks: str) -> Struct:
    """The quirks of a section of machine files, as that names them."""
    names = section.model_fields[quirks].annotation.model_fields
    return Struct(name, what, tuple(Field(each, kind="uint8_t") for each in names))


CORE = _flags("CoreQuirks", "Quirks of the core, 0 or 1 each, as the machine file names them.",
              Architecture.model_fields["core"].annotation, "quirks")  # fmt: skip
VCU = _flags("VcuQuirks", "Quirks of the vector unit.", Vcu, "quirks")
MORPH = _flags("MorphQuirks", "Quirks of the Morph vector division.", Vcu, "morph_quirks")

ENTRY = Struct(
    "Entry",
    "One instruction, decoded. For CSR instructions imm is the address and rs1 the register\n"
    "   or the immediate operand; for illegal words imm is the word. In the table that the loop\n"
    "   reads imm of a branch or jal is the way to its target's entry in bytes; 0: there is none.",
    (
        _F("op", "OP_*: number in the ISA table, or one of the engine's own", "uint8_t"),
        _F("rd", "SINK: thrown away (but a vector instruction's rd may be 0)", "uint8_t"),
        _F("rs1", "", "uint8_t"),
        _F("rs2", "", "uint8_t"),
        _F("imm", "", "int32_t"),
        _F("extra", "static cycles in execute beyond the first", "uint8_t"),
        _F("fetch", "of these, waits for the next instruction (in-order core)", "uint8_t"),
        _F("rule", "number of the table that its cycles are in; 0: they are static", "uint8_t"),
        _F("use", "row of `uses`; 0: its result can be read at its end", "uint8_t"),
        _F(
            "at",
            "in that table: cycles from the first word to this one, straight on; with RV32C in\n"
            "   both: bytes of the instruction",
            "uint32_t",
        ),
    ),
)

CONFIG = Struct(
    "Config",
    "The machine and what is recorded of it.",
    (
        _F("harts", "in the rotation"),
        _F("is_t13", "strict rotation with an LSU; 0 = in-order core, timing from a table"),
        _F("is_morph", "a T13 with the CSR unit and software interrupts of Klessydra Morph"),
        _F("serial", "superscalar execution off: a busy LSU or VCU stalls every instruction"),
        *plain("count_all", "ibase", "isize", "dbase", "dsize"),
        _F("ishift", "log2 of the alignment of instructions in bytes: 2, with RV32C 1"),
        _F("data_word0", "index of the first data word in ram"),
        _F("data_waits", "further cycles of each access to the data memory"),
        _F("access_words", "of a transfer"),
        _F("burst", "accesses of a transfer with the wait states of one"),
        _F("protocol", "unmapped loads return 0, stores are dropped; else they fault"),
        _F("reset_pc"),
        _F("branch_taken", "extra cycles of a taken branch (in-order core)"),
        _F("has_vcu"),
        _F("simd", "lanes"),
        _F("sharing", "SHARED, REPLICATED, MULTITHREADED"),
        _F("spm_count"),
        _F("spm_size", "bytes of one scratchpad, a power of two"),
        *plain("spm_shift", "spm_base"),
        _F("tracing", "record every issue and every busy interval"),
        _F("keep_slots", "sleeping harts keep their slots: every one is wanted in a trace"),
        _F("bus", "record every request on the data bus (while tracing)"),
        _F("counts_events", "an instruction of the program accesses mhpmcounter3 or 6 to 10 (T13)"),
        _F("calls", "record calls, returns and the stack pointer"),
        _F("stop_at_rare", "come back to Python before what is executed outside the loop"),
        _F("hard_limit", "last cycle in which an instruction may issue (max cycles)"),
        _F("split", "misaligned loads and stores take two accesses instead of a trap"),
        _F("div_variable", "the scalar divider's cycles depend on its operands"),
        _F("div_law", "scalar divider: law and its two parameters"),
        *plain("div_first", "div_second"),
        _F("vdiv_law", "divider of each lane"),
        *plain("vdiv_first", "vdiv_second"),
        _F("postscale", "right shift of post-scaled products; -1 = MPSCLFAC"),
        _F("divide_zero_riscv"),
        _F(
            "mul_per_bit",
            "in-order core: extra cycles of mul per bit of its second operand beyond the first",
        ),
        _F("div_zero", "cycles by which a division by zero is longer (negative: shorter)"),
        _F("misaligned", "cycles of a second access; 0 = as many as the first"),
        _F("fetch", "wait for the next instruction: after each, and more where fetch starts anew"),
        _F("redirect"),
        _F("taken_fetch", "wait for the target of a taken branch beyond that of any instruction"),
        _F("split_target", "wait for a target of 32 bits that lies in two words (RV32C)"),
        _F("core", "", CORE),
        _F("vcu", "", VCU),
        _F("morph", "", MORPH),
    ),
)


def configuration(architecture: Architecture, entry: int = 0) -> npt.NDArray[np.void]:
    """The record of a machine, with nothing recorded and no limit yet."""
    record = CONFIG.make()
    cfg = only(record)
    core, memory = architecture.core, architecture.memory
    cfg["harts"] = core.harts
    cfg["is_t13"] = core.model == "t13"
    cfg["is_morph"] = core.rtl == "morph"
    # Without a vector unit nothing else works beside an in-order core.
    cfg["serial"] = not core.superscalar and (core.model == "t13" or architecture.vcu is not None)
    cfg["count_all"] = core.count_all
    cfg["ibase"], cfg["isize"] = memory.instruction.base, memory.instruction.size
    cfg["dbase"], cfg["dsize"] = memory.data.base, memory.data.size
    cfg["ishift"] = core.alignment_bytes // 2
    cfg["data_word0"] = memory.instruction.size // 4
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
        scalar = divider(core.divider)
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
        lane = divider(vcu.divider)
        cfg["vdiv_law"], cfg["vdiv_first"] = lane.law_number, lane.first
        cfg["vdiv_second"] = lane.second


def _set_flags(flags: np.void, quirks: Any) -> None:
    for name in flags.dtype.names or ():
        flags[name] = getattr(quirks, name)


def latency_tables(architecture: Architecture) -> Array:
    """Tables of a user's own dividers: row 0 of the scalar core, row 1 of the vector unit."""
    tables = [
        None if unit is None else unit.divider_table
        for unit in (architecture.core, architecture.vcu)
    ]
    lookups = [[0] if each is None else each.lookup() for each in tables]
    laws = np.zeros((2, max(map(len, lookups))), dtype=np.int64)
    for row, lookup in enumerate(lookups):
        laws[row, : len(lookup)] = lookup
    return laws
