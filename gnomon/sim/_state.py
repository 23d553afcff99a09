"""The state of the engine: structs with named fields, described once for Python and for C.

Python sees each as a NumPy record (``st["cycle"]``, ``harts["pc"][h]``); C includes the header
that ``_library.py`` makes. The engine can stop after any instruction and go on later: all
that it knows is in here, in ``_config.py`` and in ``_rows.py``.
"""

from typing import Final

from gnomon.base.structs import Field, Struct, plain
from gnomon.sim._codes import BUSES, CLASSES, MAX_HARTS
from gnomon.sim._config import CONFIG, CORE, ENTRY, MORPH, VCU
from gnomon.sim._rows import (
    BUS_ROW,
    CALL_NODE,
    CALL_ROW,
    CALL_TREE,
    CALLER,
    HOT,
    SPAN_ROW,
    TRACE_ROW,
    TRANSLATION,
)

_F = Field
FUNCTIONAL_UNITS: Final = 6  # of a vector unit; multithreaded units share them
EVENT_COUNTERS: Final = 6
LATE_WORDS: Final = 4  # a word written is behind the fetch of two slots

_BY_UNIT = FUNCTIONAL_UNITS
ARBITER = Struct(
    "Arbiter",
    "Who has the functional units that multithreaded vector units share.",
    (
        _F("cycle", "the next to be worked out"),
        _F("busy", "units held in the cycle before"),
        _F("waiting", "harts whose instruction waits"),
        _F("held", "by unit, one bit per hart", count=_BY_UNIT),
        _F("wanted", "", count=_BY_UNIT),
        _F("granted", "", count=_BY_UNIT),
        _F("ring", "by unit: harts in the order in which they asked", count=_BY_UNIT),
        _F("write", "by unit: place in the ring", count=_BY_UNIT),
        _F("read", "", count=_BY_UNIT),
        _F("end", "by hart: last busy cycle", count=MAX_HARTS),
        _F("first", "first read", count=MAX_HARTS),
        _F("to_write", "", count=MAX_HARTS),
        _F("after", "", count=MAX_HARTS),
        _F("read_free", "", count=MAX_HARTS),
        _F("write_free", "", count=MAX_HARTS),
    ),
)

STATE = Struct(
    "State",
    "The machine as it stands between two instructions.",
    (
        _F("cycle", "earliest issue cycle of the next instruction, which is of `hart`"),
        _F("hart"),
        _F("slots", "issue slots so far, parked ones included"),
        _F("quantum_end", "last cycle to issue in before looking at Python again"),
        _F("pending", "bit h: hart h has MIE and MSIP set"),
        _F("exit_code"),
        _F("exit_cycle", "-1 until the exit store is known"),
        _F("stop", "STOP_HANG: every hart is blocked, counted by the loop"),
        _F("fault", "FAULT_*"),
        _F("fault_address"),
        _F("warnings", "WARN_*"),
        _F("lsu_last", "last busy cycle of the LSU"),
        _F("amo_enables", "byte enables left by the last load or store decoded"),
        _F("lsu_word", "last word the transfer engine moved"),
        _F("transfer_last", "transfer in flight: last busy cycle, scratchpad, accelerator mask"),
        *plain("transfer_spm", "transfer_units"),
        _F("bus_requests", "by the transfer engine"),
        _F("vcu_last", "last busy cycle of each accelerator", count=MAX_HARTS),
        _F("void_cycle", "issue of the last vector instruction that trapped or had no length"),
        _F("held_from", "multithreaded: when a write waits, not of the adder's user"),
        _F("held_to"),
        _F("held_hart", "the highest such hart"),
        _F("adder_hart", "who asked for the adder last, and until when it runs"),
        *plain("adder_to", "swi_target"),
        _F("trap_end", "first cycle after the last trap's stay in execute"),
        _F("step_over", "execute the marked instruction underneath"),
        _F("mark_cycle", "issue cycle of the instruction stepped over"),
        _F("watch", "CALL_TRAP, CALL_TRAP_RETURN: record the next instruction to issue as that"),
        _F("rewritten", "an instruction was overwritten at which a hart may be waiting"),
        _F("text_writes", "of instruction words, so far"),
        _F("counting", "some hart counts events: each instruction is looked at by itself"),
        _F("holder", "while counting: the hart in execute"),
        _F("burst_next", "requests of the last transfer that no event counter has seen: cycles"),
        *plain("burst_end", "burst_step", "burst_stores"),
        _F("late", "words written that are still to reach the instruction memory"),
        _F("late_index", "the oldest first: word, its value, cycle on the bus", count=LATE_WORDS),
        _F("late_value", count=LATE_WORDS),
        _F("late_cycle", count=LATE_WORDS),
        _F("hot_from", "cycle from which translated blocks are tried"),
        _F("several", "more than one hart is awake"),
        _F("last_hart", "of the last issue: hart, word, parked slots behind it"),
        *plain("last_index", "last_gap"),
        _F("last_wait", "cycles waited behind the last instruction (serial execution)"),
        _F("last_wait_vcu", "1: for a vector unit; 0: for the LSU"),
        _F("rule_wait", "for the next instruction, of the last one that a rule holds for"),
        _F("jumped", "the last instruction was a branch that was taken (in-order core)"),
        _F("ready_last", "first cycle in which all results are there (in-order core)"),
        _F("ready", "by register: first cycle in which all can read the result", count=64),
        _F("made_by", "by register: row of `uses` of who made that", count=64),
        _F("busy", "of a slow step: cycles in execute beyond the first"),
        _F("next_pc", "of a slow step"),
        _F("retried", "of a slow step: it was a VCU-busy retry"),
        _F("extra_slots", "of a slow step"),
        _F("rare", "RARE_*: what is to be executed outside the loop, with its arguments"),
        *plain("cause", "value"),
        _F("prepared", "the next instruction has been executed; take over its result"),
        _F("text_first", "first and one past last word that can have been executed"),
        _F("text_end"),
        _F("unmapped_loads", "of addresses without memory under the program protocol"),
        _F("unmapped_stores"),
        _F("unmapped_load", "the first address of each"),
        _F("unmapped_store"),
        _F("printed", "rows used in each buffer"),
        *plain("traced", "spans", "bus_rows", "call_rows"),
        _F("bus_read", "what a load or a swap has read on the data bus last"),
        _F("seen", "of a slow step: its word, while toggles are counted"),
        _F("arbiter", "", ARBITER),
        _F("foreseen", "a copy that looks ahead", ARBITER),
    ),
)

HART = Struct(
    "Hart",
    "One hart.",
    (
        _F("pc"),
        _F("next", "next active hart in rotation"),
        _F("gap", "parked slots until then"),
        _F("parked", "asleep and out of the rotation"),
        _F("park_issued", "slots of this hart when it parked"),
        _F("own_extra", "execute cycles beyond one per issue"),
        _F("charged", "waits in decode charged to this hart"),
        _F("retries"),
        _F("stuck", "spinning for ever: parked slot by slot, or waiting for a hung VCU"),
        *plain("mie", "mpie", "mtvec", "mepc", "mcause", "msip", "mbadaddr", "mestatus"),
        *plain("mscratch", "mie_register", "pcer"),
        _F("events", "bits of mhpmevent3 and 6 to 10, where PCER has them"),
        _F("counted", "mhpmcounter3 and 6 to 10", count=EVENT_COUNTERS),
        *plain("mvsize", "mvtype", "mpsclfac"),
        _F("cycle_base", "counter value = clock - base while it counts"),
        _F("cycle_value", "value while it stands"),
        *plain("instret_base", "instret_value"),
        _F("csr_read", "what the CSR unit read last for this hart (T13)"),
        *plain("trap_pc", "trap_cause", "trap_repeats"),
    ),
)

ACCOUNT = Struct(
    "Account",
    "Cycles of one hart by cause, beyond what issues by word and their static cycles say.",
    (
        _F("issue", "by class", count=len(CLASSES)),
        _F("execute", "by class", count=len(CLASSES)),
        *plain("wait_lsu", "wait_vcu", "retry", "trap", "parked", "wait_operand", "wait_fetch"),
    ),
)

DYNAMIC = Struct(
    "Dynamic",
    "Cycles of one instruction word on one hart beyond its static ones, and what slots were.",
    (
        *plain("execute", "wait_lsu", "wait_vcu", "wait_operand", "wait_fetch"),
        _F("trap", "of traps, beyond their slots"),
        _F("retry", "slots, from here on"),
        *plain("parked", "trapped"),
    ),
)

VECTOR_STAT = Struct(
    "VectorStat",
    "Work of the vector unit by hart and operation.",
    (
        *plain("issued", "beats", "bytes", "busy"),
        _F("narrow", "of those issued: with 8- or 16-bit elements"),
    ),
)

TOGGLES = Struct(
    "Toggles",
    "What one instruction word has put on buses, of all harts: by bus (BUS_*).",
    (
        _F("values", "", count=len(BUSES)),
        _F("toggles", "bits in which they differ from the value before them", count=len(BUSES)),
    ),
)

MACHINE = Struct(
    "Machine",
    "All that a run works on. Python owns the arrays.",
    (
        _F("cfg", "", CONFIG, pointer=True),
        _F("st", "", STATE, pointer=True),
        _F("hs", "by hart", HART, pointer=True),
        _F("acct", "by hart", ACCOUNT, pointer=True),
        _F("dyn", "by hart and word: dyn[h * words + index]", DYNAMIC, pointer=True),
        _F("flow", "by hart and word, and one more: issues beyond those of the word before it;\n"
           "       flow[h * (words + 1) + index]", pointer=True),
        _F("vstat", "vstat[h * INSTRUCTION_COUNT + op]", VECTOR_STAT, pointer=True),
        _F("laws", "latency tables of a user's own dividers: scalar core, vector unit",
           pointer=True),
        _F("law_entries", "of each table"),
        _F("rules", "tables of rules, RULE_ROW numbers each: what they go by (RULE_*), further\n"
           "       cycles in execute by that, then cycles of waiting for the next instruction",
           pointer=True),
        _F("uses", "by row: the most cycles from the end of an instruction until its result can\n"
           "       be read; then cycles by operation and operand (rs1, rs2, rd); USE_ROW numbers",
           pointer=True),
        _F("table", "by word, as the loop sees them: STALE and marks lie over entries", ENTRY,
           pointer=True),
        _F("decoded", "by word, without marks", ENTRY, pointer=True),
        _F("words", "of the instruction memory"),
        _F("regs", "regs[h * REGISTERS + n]", "uint32_t", pointer=True),
        _F("ram", "instruction memory, then data memory", "int32_t", pointer=True),
        _F("ram_words"),
        _F("spm", "scratchpads, of all replicas", "int32_t", pointer=True),
        _F("spm_words"),
        _F("written", "by word of the scratchpads: 1 once it is written", "uint8_t", pointer=True),
        _F("temp", "room for one vector and a step", "int32_t", pointer=True),
        _F("temp_words"),
        _F("printed", "", pointer=True),
        _F("printed_rows", "room"),
        _F("trace", "", TRACE_ROW, pointer=True),
        _F("trace_rows", "room"),
        _F("spans", "", SPAN_ROW, pointer=True),
        _F("span_rows", "room"),
        _F("bus", "", BUS_ROW, pointer=True),
        _F("bus_rows", "room"),
        _F("calls", "", CALL_ROW, pointer=True),
        _F("call_rows", "room"),
        _F("toggles", "by word; 0 = they are not counted", TOGGLES, pointer=True),
        _F("buses", "by bus: its last value", "uint32_t", pointer=True),
        _F("lane_buses", "by unit, operand and lane", "uint32_t", pointer=True),
        _F("pad_buses", "by scratchpad, port (read, write) and bank", "uint32_t", pointer=True),
        _F("hot", "the second tier; 0 = none", HOT, pointer=True),
        _F("path", "a Path that is being recorded; 0 = none", "void", pointer=True),
    ),
)  # fmt: skip

STRUCTS = (
    CORE, VCU, MORPH, ENTRY, CONFIG, ARBITER, STATE, HART, ACCOUNT, DYNAMIC, VECTOR_STAT, TOGGLES,
    TRACE_ROW, SPAN_ROW, BUS_ROW, CALL_ROW, CALL_NODE, CALLER, CALL_TREE, TRANSLATION, HOT, MACHINE,
)  # fmt: skip
