"""Structs of the engine that stand while a program runs: quirks, decoded words, the machine."""

from __future__ import annotations

from typing import Final

from gnomon.base.structs import Field, Struct, plain

_F = Field

CORE_QUIRKS: Final = (
    "csr_set_clear_x0_is_nop",
    "op_rd_x0_is_nop",
    "load_rd_x0_is_nop",
    "amo_ignores_funct5",
    "amo_stale_byte_enables",
    "unknown_csr_reads_zero",
    "slli_ignores_funct7",
    "fetch_ignores_alignment",
    "boot_first_slot_repeats",
    "swi_stale_target",
    "mbadaddr_from_next_slot",
    "trap_sets_mpie",
    "counter_write_costs_others_a_cycle",
    "swi_store_writes_register",
    "jalr_ignores_funct3",
    "pcer_keeps_all_bits",
    "mhpmevent_bits",
    "mbadaddr_read_only",
    "mestatus_writes_bit_0",
    "fetched_before_store",
)
VCU_QUIRKS: Final = (
    "simd1_byte_products",
    "first_beat_width_of_hart0",
    "multithreaded_lane_mask",
    "kmemld_partial_word_repeats",
    "spm_check_fixed_to_four",
    "scalar_read_every_beat",
    "scalar_beside_vector",
    "byte_products_clear_ahead",
    "held_reduction_loses_beats",
    "long_transfer_wraps",
)
MORPH_QUIRKS: Final = (
    "divide_drops_signs",
    "divide_loses_short_vectors",
    "divide_narrow_is_zero",
    "divide_tail_lanes_gate",
    "postscale_reads_unsigned",
)


def _flags(name: str, what: str, names: tuple[str, ...]) -> Struct:
    return Struct(name, what, tuple(Field(each, kind="uint8_t") for each in names))


CORE = _flags("CoreQuirks", "Quirks of the core, 0 or 1 each, as the machine file names them.",
              CORE_QUIRKS)  # fmt: skip
VCU = _flags("VcuQuirks", "Quirks of the vector unit.", VCU_QUIRKS)
MORPH = _flags("MorphQuirks", "Quirks of the Morph vector division.", MORPH_QUIRKS)

ENTRY = Struct(
    "Entry",
    "One instruction word, decoded. For CSR instructions imm is the address and rs1 the register\n"
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
        _F("at", "in that table: cycles from the first word to this one, straight on", "uint32_t"),
    ),
)

CONFIG = Struct(
    "Config",
    "The machine and what is recorded of it.",
    (
        _F("harts", "in the rotation"),
        _F("is_t13", "strict rotation with an LSU; 0 = in-order core, timing from a table"),
        _F("serial", "superscalar execution off: a busy LSU or VCU stalls every instruction"),
        *plain("count_all", "ibase", "isize", "dbase", "dsize"),
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
        _F("core", "", CORE),
        _F("vcu", "", VCU),
        _F("morph", "", MORPH),
    ),
)
