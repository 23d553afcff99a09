"""Deviations of the T13x RTL from the instruction set manual or from common expectation.

Each deviation is a named switch: a machine file states which of them it has, and a study can
evaluate the machine without them. The facts refer to klessydra/T13x commit c2c62163, measured by
VHDL simulation; those of the vector divider to klessydra/Morph commit e3f0dcbd.
"""

from typing import Any

from gnomon.base.schema import Section, key


def _quirk(meaning: str) -> Any:
    return key(meaning, default=False)


class CoreQuirks(Section):
    """Scalar core. All true in the public RTL, all false in a core that follows the manual."""

    csr_set_clear_x0_is_nop: bool = _quirk(
        "csrrs, csrrc, csrrsi and csrrci with rd = x0 are decoded as nop: the CSR is not changed"
    )
    op_rd_x0_is_nop: bool = _quirk(
        "an OP or OP-IMM instruction with rd = x0 is a nop even if its encoding is illegal"
    )
    load_rd_x0_is_nop: bool = _quirk(
        "a load with rd = x0 is a nop: no bus access, no trap, no extra cycle, whatever its funct3"
    )
    amo_ignores_funct5: bool = _quirk(
        "every AMO instruction with funct3 = 2 executes as amoswap.w, also lr.w and sc.w"
    )
    amo_stale_byte_enables: bool = _quirk(
        "the write of amoswap.w uses the byte enables of the last load (rd not x0) or store that "
        "any hart decoded: one byte after lb, lbu, sb; two after lh, lhu, sh; none before the first"
    )
    unknown_csr_reads_zero: bool = _quirk(
        "an access to a CSR that does not exist reads 0 and writes nothing, without a trap"
    )
    slli_ignores_funct7: bool = _quirk("slli executes for any value of its funct7 field")
    fetch_ignores_alignment: bool = _quirk(
        "jumps, branches and mret never trap on alignment: the fetch reads the word at pc & ~3, "
        "while pc keeps its low bits; mtvec and mepc keep them too; false = they are 0 there"
    )
    boot_first_slot_repeats: bool = _quirk(
        "the first fetch happens during reset, so the highest-numbered hart executes the word at "
        "the reset pc twice"
    )
    swi_stale_target: bool = _quirk(
        "sw to 0xFF00 + 4k with k beyond the last hart, or misaligned into that page, sets the "
        "software interrupt of the hart addressed by the last CSR access or interrupt store"
    )
    swi_store_writes_register: bool = _quirk(
        "sw to a software-interrupt register uses bits 4:0 of its offset as destination register, "
        "which gets the last CSR value that the hart read; with these bits 0 there is no effect"
    )
    mbadaddr_from_next_slot: bool = _quirk(
        "a misaligned access stores the address wires of the next instruction in rotation, usually "
        "of another hart, in mbadaddr instead of the misaligned address"
    )
    trap_sets_mpie: bool = _quirk(
        "an exception sets mstatus.MPIE to 1 instead of copying MIE (interrupts do copy it)"
    )
    counter_write_costs_others_a_cycle: bool = _quirk(
        "with core.count_all, a write to mcycle or mcycleh makes mcycle of every other counting "
        "hart lose one cycle"
    )
    jalr_ignores_funct3: bool = _quirk("jalr executes for any value of its funct3 field")
    pcer_keeps_all_bits: bool = _quirk(
        "PCER holds all 32 bits written to it, not only those that enable a counter"
    )
    mhpmevent_bits: bool = _quirk(
        "mhpmevent3 and 6 to 10 read their bit of PCER; a write to them also writes PCER, except "
        "that a clearing write does not change PCER; false = they read 0"
    )
    mbadaddr_read_only: bool = _quirk("a write to mbadaddr is an illegal instruction")
    mestatus_writes_bit_0: bool = _quirk(
        "mestatus reads bits 12:11 as 11, and a write changes only its bit 0, which traps keep"
    )
    fetched_before_store: bool = _quirk(
        "if another hart overwrites an instruction in the slot before it issues, or two slots "
        "before without a stall in between, the old instruction has been fetched and executes"
    )


class VcuQuirks(Section):
    """Vector unit. All true in the public RTL."""

    simd1_byte_products: bool = _quirk(
        "with vcu.simd 1, 8-bit products are wrong: finished words of kvmul, ksvmulsc and "
        "ksvmulrf are zero, and kdotp, kdotpps, kvred use bytes 0 and 1 of each word twice"
    )
    first_beat_width_of_hart0: bool = _quirk(
        "shared unit: the first beat of 8-bit products, dot products and reductions takes the "
        "element width of hart 0; if only the issuing hart is set to 8 bit, a vector longer than "
        "2 * vcu.simd bytes never finishes"
    )
    multithreaded_lane_mask: bool = _quirk(
        "multithreaded units: 8- and 16-bit shifts and kdotpps of harts other than 0 do not mask "
        "the bits that leak in from the neighbor lane"
    )
    kmemld_partial_word_repeats: bool = _quirk(
        "the bytes of the last word beyond the length of a kmemld repeat those of the word "
        "transferred before it"
    )
    scalar_read_every_beat: bool = _quirk(
        "ksvaddsc and ksvmulsc read their scalar in every beat, so a result that overwrites it "
        "changes it for later beats; false = it is read once"
    )
    scalar_beside_vector: bool = _quirk(
        "ksvaddsc and ksvmulsc with vector and scalar in one scratchpad, which has one read port: "
        "the first beat takes 0 for the scalar, the others take the words around the scalar for "
        "the vector; after a wait all beats do"
    )
    byte_products_clear_ahead: bool = _quirk(
        "8-bit kvmul, ksvmulsc and ksvmulrf compute half a line per beat but write a whole one: "
        "they clear the words of the next beat, which is visible if operands overlap"
    )
    held_reduction_loses_beats: bool = _quirk(
        "kvred, kdotp and kdotpps whose first write waits for a transfer into the scratchpad of "
        "the result lose the sums of the first two beats, and that of the beat being fetched if "
        "it is the last"
    )
    spm_check_fixed_to_four: bool = _quirk(
        "scratchpad address checks are right for 4 scratchpads only: with fewer, or with 8, a "
        "wrong address is not caught; with 5 to 7, scratchpad 4 itself raises cause 0x101"
    )
    long_transfer_wraps: bool = _quirk(
        "the overrun check of transfers takes the length modulo the size of a scratchpad: a longer "
        "transfer does not trap, and continues at the start of the scratchpad; false = it traps"
    )


class MorphQuirks(Section):
    """Vector division and post-scaled products in the public Morph RTL. All false = as intended."""

    divide_drops_signs: bool = _quirk(
        "kvdiv, kvrem and their scalar forms divide magnitudes and give the result no sign"
    )
    divide_loses_short_vectors: bool = _quirk(
        "a vector of at most vcu.simd words divides to zeros, in 6 cycles, or 4 if every lane has "
        "a zero operand"
    )
    divide_narrow_is_zero: bool = _quirk(
        "a division of 8- or 16-bit elements gives zeros, two cycles per step; false = it ends the "
        "run as a fault, since no hardware for it exists"
    )
    divide_tail_lanes_gate: bool = _quirk(
        "lanes beyond the end of the vector divide what the scratchpads hold there, and the last "
        "step waits for them"
    )
    postscale_reads_unsigned: bool = _quirk("post-scaled products read both operands without sign")
