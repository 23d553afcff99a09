"""Messages of the engine, by their names in C (FAULT_FETCH, WARN_HPM, REFUSED_HARTS).

Their order gives their numbers; faults count from 1.
"""

from typing import Final

FAULTS: Final[dict[str, str]] = {
    "FETCH": "fetch outside the instruction memory at 0x{address:08X}",
    "LOAD": "load from 0x{address:08X}, where the machine has no memory",
    "STORE": "store to 0x{address:08X}, where the machine has no memory",
    "READ_ONLY": "store to 0x{address:08X}, in a memory that stores do not write (rom or flash)",
    "TWO_REGIONS": (
        "transfer from 0x{address:08X} on that leaves its region for one of another speed, whose "
        "time is unavailable; split it"
    ),
    "NO_HANDLER": "trap, and no handler at mtvec = 0x{address:08X} ({cause})",
    "TRAP_LOOP": "the same trap repeats without progress ({cause})",
    "EBREAK": "ebreak: the machine enters debug mode and stops",
    "SPM": (
        "vector access to 0x{address:08X}, where there is no scratchpad; this machine "
        "does not trap on it and its result is undefined"
    ),
    "SPM_ALIGN": (
        "vector address 0x{address:08X} is not a multiple of 4; the machine does not "
        "trap on it and its result is undefined"
    ),
    "NARROW": (
        "vector division or post-scaled product with 8- or 16-bit elements, which has no hardware"
    ),
    "WIDTH": (
        "vector instruction of a unit with MVTYPE = {address}; elements in its unit.yaml have other"
        " widths (MVTYPE 0: 8 bits, 1: 16, 2: 32)"
    ),
    "LOST_REQUEST": (
        "misaligned sw to the software-interrupt register at 0x{address:08X}, after a "
        "CSR access of the same hart: the machine hangs: the trap cancelled the CSR "
        "request it waits for"
    ),
    "MVTYPE": "vector instruction with MVTYPE = 3, which is undefined",
    "HOST": (
        "semihosting call 0x{address:02X}, which is not modeled (allowed: 0x01 to 0x0A, 0x0C, 0x13,"
        " 0x15, 0x18, 0x20; there are no files, no input and no time of a host)"
    ),
    "HOST_BYTES": "call of the host with {address:,} bytes, more than 1 MiB",
    "TOHOST": (
        "request {address} to tohost, which is not modeled (allowed: exit, and write to file 1 or"
        " 2, as of riscv-tests; characters of device 1)"
    ),
    "DEVICE_WIDTH": (
        "load or store of less than a word at 0x{address:08X}: device {device} takes whole words"
        " alone (width: word in its device.yaml)"
    ),
    "DEVICE_PAST": (
        "device {device}: next({address}) answers with a cycle that is not after {address}; it must"
        " be the first later cycle in which the level may change"
    ),
    "DEVICE_ERROR": "device {device}: its code failed",
    "DEVICE_TEXT": "device {device} prints more bytes in one access than the simulator can hold",
    "DEVICE_NO_MEMORY": (
        "device {device} accesses 0x{address:08X}, where the machine has no memory"
    ),
    "DEVICE_CODE": (
        "device {device} writes to 0x{address:08X}, which holds code or which stores do not write"
        " (rom or flash)"
    ),
    "DEVICE_CACHED": (
        "device {device} accesses 0x{address:08X} in a region with a data cache; what the lines"
        " then hold is unavailable"
    ),
}

CAUSES: Final[dict[int, str]] = {
    0: "jump to a misaligned address",
    1: "fetch from an address that answers with an error",
    2: "illegal instruction",
    3: "breakpoint",
    4: "misaligned load",
    5: "load from an address that answers with an error",
    6: "misaligned store",
    7: "store to an address that answers with an error",
    11: "environment call",
    0x100: "transfer of a length that the vector unit rejects",
    0x101: "vector address outside the scratchpads",
    0x102: "vector that overruns its scratchpad",
    0x103: "both source vectors of one instruction in the same scratchpad",
    0x200: "failed assertion or abort",
    0x8000_0003: "software interrupt",
    0x8000_0007: "timer interrupt",
    0x8000_000B: "external interrupt",
}
"""By the value of mcause; from 0x100 on those of the vector unit; 0x200 belongs to gnomon.h."""

WARNINGS: Final[dict[str, str]] = {
    "HPM": (
        "the program reads an mhpmcounter with wait states, on Morph, or by an "
        "instruction that it has written itself; the count of the RTL may differ"
    ),
    "MVTYPE_MIX": (
        "a hart other than 0 multiplies 16- or 32-bit elements while MVTYPE of hart 0 is "
        "8-bit; the machine returns wrong data then, the simulator the intended data"
    ),
    "PARTIAL_WORD": (
        "a kmemld of less than 4 bytes leaves unpredictable upper bytes in its scratchpad word"
    ),
    "BROADCAST_OVERLAP": (
        "a kbcastld started while a vector unit was busy; that timing is not exact"
    ),
    "HELD_SUM": (
        "a reduction (kvred, kdotp, kdotpps or one of a unit) waited for a transfer into the "
        "scratchpad of its result; machine and simulator then lose a part of the sum "
        "(vcu.quirks.held_reduction_loses_beats)"
    ),
    "BEHIND_VOID": (
        "a vector instruction issued at most 7 cycles after one of another hart that "
        "trapped or had MVSIZE 0; a shared unit may start it early, with wrong operands; "
        "the simulator does not"
    ),
    "STALE_REQUEST": (
        "a vector instruction that trapped or had MVSIZE 0 found a functional unit of "
        "the multithreaded vector unit busy; the machine keeps its request, and later "
        "instructions wait for it, in the worst case without end; the simulator does the "
        "same"
    ),
    "CARRY": (
        "a vector write waited for a transfer while another hart used the adder of the "
        "multithreaded vector unit; the machine then gives the adder the waiting hart's "
        "carries and may compute wrong sums, the simulator the right ones"
    ),
    "SWI_REGISTER": (
        "a sw to a software-interrupt register has bits 4:0 of its offset set; machine "
        "and simulator write a CSR's value to the register they name; put the whole "
        "address in a register (core.quirks.swi_store_writes_register)"
    ),
    "SCALAR_BESIDE": (
        "a ksvaddsc or ksvmulsc has its scalar in the scratchpad of its vector; machine "
        "and simulator then read wrong operands (vcu.quirks.scalar_beside_vector)"
    ),
    "LONG_TRANSFER": (
        "a transfer is longer than its scratchpad; machine and simulator do not trap but "
        "continue at the start of the scratchpad (vcu.quirks.long_transfer_wraps)"
    ),
    "CODE_TRANSFER": (
        "a kmemstr writes into the instruction memory; in the simulator all of its words "
        "arrive at once, the machine may have fetched some of them before"
    ),
    "SIGNS": (
        "a kvred, kdotp or kdotpps of 8- or 16-bit elements read negative ones: bytes "
        "count as 0 to 255, and the sum of a beat is cut to 16 bits unsigned, so the "
        "result is not a sum of signed numbers and depends on vcu.simd; use 32-bit "
        "elements"
    ),
    "UNWRITTEN": (
        "a vector instruction or a kmemstr read unwritten words of a scratchpad; the "
        "simulator reads 0, the machine their content, which is undefined in the RTL"
    ),
    "LENGTH": (
        "a length, of a transfer or in MVSIZE, is not below twice the size of a "
        "scratchpad; machine and simulator keep only its low bits: 8192 with scratchpads "
        "of 4096 bytes is 0 and has no effect"
    ),
    "STALE_RESULT": (
        "an illegal encoding of a shift or of sub trapped; the Morph RTL still writes an "
        "earlier result of its integer unit to the register in rd, the simulator does not"
    ),
    "SWAP_NOTHING": (
        "an amoswap.w came before the first load or store of any hart; the machine does not "
        "reset the byte enables of its write, in RTL and simulator it writes no byte, so a "
        "lock taken this way is not taken; store a word first "
        "(core.quirks.amo_stale_byte_enables)"
    ),
}

REFUSALS: Final[dict[str, str]] = {
    "HARTS": "events of harts other than 0, or with several harts awake",
    "NARROW": "vectors of 8- or 16-bit elements, whose results depend on lanes",
    "SCALAR_BESIDE": "a scalar in the scratchpad of its vector: waits change the operands",
    "OVERLAP": "a vector instruction writes operands that it still reads",
    "BROADCAST": "broadcasts to all scratchpads are not supported",
}
