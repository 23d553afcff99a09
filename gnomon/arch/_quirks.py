"""Where the T13x RTL differs from the instruction set manual or from what one would expect.

Each is a named switch, so that a machine file says which of them it has, and a study can ask
what the machine would do without. Facts are of klessydra/T13x commit c2c62163, measured by
VHDL simulation; those of the vector divider of klessydra/Morph commit e3f0dcbd.
"""

from __future__ import annotations

from gnomon.base.schema import Section, key


class CoreQuirks(Section):
    """Scalar core. All true in the public RTL, all false in a core that keeps to the manual."""

    csr_set_clear_x0_is_nop: bool = key(
        "csrrs, csrrc, csrrsi and csrrci with rd = x0 are decoded as nop: the CSR is not changed",
        default=False,
    )
    op_rd_x0_is_nop: bool = key(
        "an OP or OP-IMM instruction with rd = x0 is a nop even if its encoding is illegal",
        default=False,
    )
    load_rd_x0_is_nop: bool = key(
        "a load with rd = x0 is a nop: no bus access, no trap, no extra cycle", default=False
    )
    amo_ignores_funct5: bool = key(
        "every AMO instruction with funct3 = 2 executes as amoswap.w, lr.w and sc.w too",
        default=False,
    )
    amo_stale_byte_enables: bool = key(
        "the write of amoswap.w uses the byte enables of the last load (rd not x0) or store that "
        "any hart decoded: one byte after lb, lbu, sb; two after lh, lhu, sh",
        default=False,
    )
    unknown_csr_reads_zero: bool = key(
        "an access to a CSR that does not exist reads 0 and writes nothing, without a trap",
        default=False,
    )
    slli_ignores_funct7: bool = key("slli executes whatever its funct7 field holds", default=False)
    fetch_ignores_alignment: bool = key(
        "jumps, branches and mret never trap on alignment: the fetch reads the word at pc & ~3 "
        "while pc keeps its low bits",
        default=False,
    )
    boot_first_slot_repeats: bool = key(
        "the first fetch is made during reset, so the highest-numbered hart executes the word at "
        "the reset pc twice",
        default=False,
    )
    swi_stale_target: bool = key(
        "sw to 0xFF00 + 4k with k beyond the last hart, or misaligned into that page, sets the "
        "software interrupt of the hart addressed by the last CSR access or interrupt store",
        default=False,
    )
    swi_store_writes_register: bool = key(
        "sw to a software-interrupt register takes bits 4:0 of its offset for a destination, and "
        "that register gets what the hart read last from a CSR; with these bits 0 nothing happens",
        default=False,
    )
    mbadaddr_from_next_slot: bool = key(
        "a misaligned access leaves in mbadaddr the address wires of the next instruction in "
        "rotation, usually another hart's, not the misaligned address",
        default=False,
    )
    trap_sets_mpie: bool = key(
        "an exception sets mstatus.MPIE to 1 instead of copying MIE (interrupts do copy it)",
        default=False,
    )
    counter_write_costs_others_a_cycle: bool = key(
        "with core.count_all, a write to mcycle or mcycleh makes mcycle of every other counting "
        "hart lose one cycle",
        default=False,
    )
    jalr_ignores_funct3: bool = key("jalr executes whatever its funct3 field holds", default=False)
    pcer_keeps_all_bits: bool = key(
        "PCER holds all 32 bits written to it, not only those that enable a counter", default=False
    )
    mhpmevent_bits: bool = key(
        "mhpmevent3 and 6 to 10 read their bit of PCER, and a write to them goes to PCER too, but "
        "one that clears leaves PCER alone; false = they read 0",
        default=False,
    )
    mbadaddr_read_only: bool = key("a write to mbadaddr is an illegal instruction", default=False)
    mestatus_writes_bit_0: bool = key(
        "mestatus reads bits 12:11 as 11, and a write changes nothing but its bit 0, which traps "
        "keep",
        default=False,
    )
    fetched_before_store: bool = key(
        "an instruction of another hart that is overwritten in the slot before its own, or two "
        "slots before it if nothing stalls in between, has been fetched already and executes as it "
        "was",
        default=False,
    )


class VcuQuirks(Section):
    """Vector unit. All true in the public RTL."""

    simd1_byte_products: bool = key(
        "with vcu.simd 1, 8-bit products are wrong: finished words of kvmul, ksvmulsc and "
        "ksvmulrf are zero, and kdotp, kdotpps, kvred use bytes 0 and 1 of each word twice",
        default=False,
    )
    first_beat_width_of_hart0: bool = key(
        "shared unit: the first beat of 8-bit products, dot products and reductions takes the "
        "element width of hart 0; if only the issuing hart is set to 8 bit, a vector longer than "
        "2 * vcu.simd bytes never finishes",
        default=False,
    )
    multithreaded_lane_mask: bool = key(
        "multithreaded units: 8- and 16-bit shifts and kdotpps of harts other than 0 do not mask "
        "the bits that leak in from the neighbor lane",
        default=False,
    )
    kmemld_partial_word_repeats: bool = key(
        "the bytes of the last word beyond the length of a kmemld repeat those of the word "
        "transferred before it",
        default=False,
    )
    scalar_read_every_beat: bool = key(
        "ksvaddsc and ksvmulsc read their scalar anew in every beat, so a result that covers it "
        "changes it for later beats; false = it is read once",
        default=False,
    )
    scalar_beside_vector: bool = key(
        "ksvaddsc and ksvmulsc with vector and scalar in one scratchpad, which has one read port: "
        "the first beat takes 0 for the scalar, the others take the words around the scalar for "
        "the vector; behind a wait all beats do",
        default=False,
    )
    byte_products_clear_ahead: bool = key(
        "8-bit kvmul, ksvmulsc and ksvmulrf compute half a line per beat but write a whole one: "
        "zeros go over the words of the next beat, which shows where operands overlap",
        default=False,
    )
    held_reduction_loses_beats: bool = key(
        "kvred, kdotp and kdotpps whose first write waits for a transfer into the scratchpad of "
        "the result lose the sums of the first two beats, and that of the beat being fetched if "
        "it is the last",
        default=False,
    )
    spm_check_fixed_to_four: bool = key(
        "scratchpad address checks are right for 4 scratchpads only: with fewer, or with 8, a "
        "wrong address is not caught; with 5 to 7, scratchpad 4 itself raises cause 0x101",
        default=False,
    )
    long_transfer_wraps: bool = key(
        "the overrun check of transfers takes the length modulo the size of a scratchpad: one that "
        "is longer does not trap, and goes on at the start of the scratchpad; false = it traps",
        default=False,
    )


class MorphQuirks(Section):
    """Vector division and post-scaled products in the public Morph RTL. All false = as meant."""

    divide_drops_signs: bool = key(
        "kvdiv, kvrem and their scalar forms divide magnitudes and give the result no sign",
        default=False,
    )
    divide_loses_short_vectors: bool = key(
        "a vector of at most vcu.simd words divides to zeros, in 6 cycles, or 4 if every lane has "
        "a zero operand",
        default=False,
    )
    divide_narrow_is_zero: bool = key(
        "a division of 8- or 16-bit elements gives zeros, two cycles per step; false = it ends the "
        "run as a fault, since no hardware for it exists",
        default=False,
    )
    divide_tail_lanes_gate: bool = key(
        "lanes beyond the end of the vector divide what the scratchpads hold there, and the last "
        "step waits for them",
        default=False,
    )
    postscale_reads_unsigned: bool = key(
        "post-scaled products read both operands without sign", default=False
    )
