"""Numbers that Python and the engine in C share: why it stopped, faults, warnings, classes.

The header that the engine is compiled with is made from this module and from :mod:`._ops`.
"""

from typing import Final

MAX_HARTS: Final = 8
NEVER: Final = 1 << 60  # a cycle that no run reaches
LONG_AGO: Final = -(1 << 40)  # last busy cycle of a unit that has done nothing yet

REGISTERS: Final = 64  # room of one hart; index 32 swallows writes to x0
SINK: Final = 32

SHARING: Final = ("shared", "replicated", "multithreaded")
"""How harts share vector units."""
SHARED: Final = 0

# --- why the engine came back to Python --------------------------------------------------------
STOP_QUANTUM: Final = 0
STOP_EXIT: Final = 1
STOP_HANG: Final = 2
STOP_FAULT: Final = 3
STOP_DECODE: Final = 4  # words were written that are to be executed now
STOP_MARK: Final = 5
STOP_BUFFER: Final = 6  # a buffer is nearly full: empty it and go on
STOP_HARD_LIMIT: Final = 7
STOP_RARE: Final = 8  # to Python only where `stop_at_rare` is set

BUSES: Final = (
    "rs1_read", "rs2_read", "rd_read", "write_back", "alu_a", "alu_b", "multiplier_a",
    "multiplier_b", "divider_a", "divider_b", "address", "load_data", "store_data", "lane_a",
    "lane_b", "scratchpad_read", "scratchpad_write",
)  # fmt: skip
"""Where operand toggles are counted; ``engine/toggles.h`` says what is put there."""

READS_RS1: Final = 1
READS_RS2: Final = 2
READS_RD: Final = 4
READS_SCALAR: Final = 8  # rs2 is an operand of all lanes: what it holds, or the word at it

RARE: Final = ("trap", "interrupt", "csr", "mret", "sleep", "software_interrupt", "rewritten")
"""What programs do seldom, from 1 on: executed outside the loop."""

RULE_BY: Final = ("shift-amount", "signs", "rs1-bits", "rs2-bits", "signs-product")
"""What the table of a rule goes by."""
RULE_VALUES: Final = 39  # room for its cycles, and for its waits
RULE_ROW: Final = 80

FAULTS: Final = {
    "FETCH": "fetch outside the instruction memory at 0x{address:08X}",
    "LOAD": "load from 0x{address:08X}, where the machine has no memory",
    "STORE": "store to 0x{address:08X}, where the machine has no memory",
    "NO_HANDLER": "trap, and no handler at mtvec = 0x{address:08X} ({cause})",
    "TRAP_LOOP": "the same trap repeats without progress ({cause})",
    "EBREAK": "ebreak: the machine enters debug mode and stops",
    "SPM": (
        "vector access to 0x{address:08X}, where there is no scratchpad; this machine does not "
        "trap on it and its result is undefined"
    ),
    "SPM_ALIGN": (
        "vector address 0x{address:08X} is not a multiple of 4; the machine does not trap on it "
        "and its result is undefined"
    ),
    "NARROW": (
        "vector division or post-scaled product with 8- or 16-bit elements, which has no hardware"
    ),
    "LOST_REQUEST": (
        "misaligned sw to the software-interrupt register at 0x{address:08X}, behind a CSR access "
        "of the same hart: the machine waits for ever for a CSR request that the trap took away"
    ),
    "MVTYPE": "vector instruction with MVTYPE = 3, which is undefined",
}
"""Texts by their names in C; the numbers count from 1."""

WARNINGS: Final = {
    "HPM": (
        "the program reads an mhpmcounter with wait states, of Morph, or by an instruction that it "
        "has written itself; in the RTL it may have counted something else"
    ),
    "MVTYPE_MIX": (
        "a hart other than 0 multiplies 16- or 32-bit elements while MVTYPE of hart 0 is 8-bit; "
        "the machine returns wrong data there, the simulator the intended ones"
    ),
    "PARTIAL_WORD": (
        "a kmemld of less than 4 bytes leaves unpredictable upper bytes in its scratchpad word"
    ),
    "BROADCAST_OVERLAP": (
        "a kbcastld started while a vector unit was busy; that timing is not exact"
    ),
    "HELD_SUM": (
        "a kvred, kdotp or kdotpps waited for a transfer into the scratchpad of its result; the "
        "machine loses a part of the sum then, and so does the simulator "
        "(vcu.quirks.held_reduction_loses_beats)"
    ),
    "BEHIND_VOID": (
        "a vector instruction came at most 7 cycles behind one of another hart that trapped or had "
        "MVSIZE 0; a shared unit may start it early, with wrong operands; the simulator does not"
    ),
    "STALE_REQUEST": (
        "a vector instruction that trapped or had MVSIZE 0 found a functional unit of the "
        "multithreaded vector unit busy; the machine keeps its request, and later instructions "
        "wait for it, for ever in the worst case; so they do in the simulator"
    ),
    "CARRY": (
        "a vector write waited for a transfer while another hart used the adder of the "
        "multithreaded vector unit; the machine gives the adder the waiting hart's carries there "
        "and may compute wrong sums, the simulator the right ones"
    ),
    "SWI_REGISTER": (
        "a sw to a software-interrupt register has bits 4:0 of its offset set; the machine writes "
        "a CSR's value to the register they name, and so does the simulator: put the whole address "
        "in a register (core.quirks.swi_store_writes_register)"
    ),
    "SCALAR_BESIDE": (
        "a ksvaddsc or ksvmulsc has its scalar in the scratchpad of its vector; the machine reads "
        "wrong operands then, and so does the simulator (vcu.quirks.scalar_beside_vector)"
    ),
    "LONG_TRANSFER": (
        "a transfer is longer than its scratchpad; the machine does not trap but goes on at the "
        "start of the scratchpad, and so does the simulator (vcu.quirks.long_transfer_wraps)"
    ),
    "CODE_TRANSFER": (
        "a kmemstr writes into the instruction memory; in the simulator all of its words are there "
        "at once, the machine may have fetched some of them before"
    ),
    "SIGNS": (
        "a kvred, kdotp or kdotpps of 8- or 16-bit elements met negative ones: bytes count as 0 to "
        "255, and what a beat sums is cut to 16 bits without sign, so the word that it leaves is "
        "no sum of signed numbers and depends on vcu.simd; use 32-bit elements"
    ),
    "UNWRITTEN": (
        "a vector instruction or a kmemstr read words of a scratchpad that nothing had written; "
        "the simulator reads 0, the machine whatever they hold, undefined in the RTL"
    ),
    "STALE_RESULT": (
        "an illegal encoding of a shift or of sub trapped; the Morph RTL writes an earlier result "
        "of its integer unit to the register in rd all the same, the simulator nothing"
    ),
}
"""Texts by their names in C, the lowest bit first."""

CLASSES: Final = (
    "alu", "mul", "mulh", "div", "load", "store", "branch", "jump",
    "csr", "fence", "amo", "system", "kmem", "kdsp", "illegal",
)  # fmt: skip
"""Timing classes of instructions."""

CALL_PLAIN: Final = 0  # kinds of recorded calls
CALL_TRAP: Final = 1
CALL_TRAP_RETURN: Final = 2

SPAN_LSU: Final = -1  # unit of a busy interval; otherwise the number of the accelerator
