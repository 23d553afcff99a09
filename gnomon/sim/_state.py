"""The state of the engine: structs with named fields, described once for Python and for C.

Python sees each as a NumPy record (``st["cycle"]``, ``harts["pc"][h]``); C includes the header
that :func:`state_header` makes. The engine can stop after any instruction and go on later: all
that it knows is in here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from gnomon.arch.dividers import LAWS, START_UP_CYCLES, TRIVIAL_STEP_CYCLES
from gnomon.base.structs import Field, Struct, constants
from gnomon.isa import INSTRUCTIONS
from gnomon.sim import _codes, _csr_numbers, _ops
from gnomon.sim._classes import CLASS_OF, INTERRUPTIBLE, T13_EXTRA_CYCLES
from gnomon.sim._codes import CLASSES, MAX_HARTS
from gnomon.sim._hot_state import HOT, TRANSLATION

if TYPE_CHECKING:
    from types import ModuleType

_F = Field
FUNCTIONAL_UNITS: Final = 6  # of a vector unit; multithreaded units share them
LATE_WORDS: Final = 4  # a word written is behind the fetch of two slots

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
    "   or the immediate operand; for illegal words imm is the word.",
    (
        _F("op", "OP_*: number in the ISA table, or one of the engine's own", "uint8_t"),
        _F("rd", "SINK: thrown away (but a vector instruction's rd may be 0)", "uint8_t"),
        _F("rs1", "", "uint8_t"),
        _F("rs2", "", "uint8_t"),
        _F("imm", "", "int32_t"),
        _F("extra", "static cycles in execute beyond the first", "uint8_t"),
        _F("fetch", "of these, waits for the next instruction (in-order core)", "uint8_t"),
        _F("spare", "", "uint8_t", 2),
        _F("go", "the loop's own", "int32_t"),
    ),
)

CONFIG = Struct(
    "Config",
    "The machine and what is recorded of it.",
    (
        _F("harts", "in the rotation"),
        _F("is_t13", "strict rotation with an LSU; 0 = in-order core, timing from a table"),
        _F("serial", "superscalar execution off: a busy LSU or VCU stalls every instruction"),
        _F("count_all"),
        _F("ibase"),
        _F("isize"),
        _F("dbase"),
        _F("dsize"),
        _F("data_word0", "index of the first data word in ram"),
        _F("protocol", "unmapped loads return 0, stores are dropped; else they fault"),
        _F("reset_pc"),
        _F("branch_taken", "extra cycles of a taken branch (in-order core)"),
        _F("has_vcu"),
        _F("simd", "lanes"),
        _F("sharing", "SHARED, REPLICATED, MULTITHREADED"),
        _F("spm_count"),
        _F("spm_size", "bytes of one scratchpad, a power of two"),
        _F("spm_shift"),
        _F("spm_base"),
        _F("tracing", "record every issue and every busy interval"),
        _F("keep_slots", "sleeping harts keep their slots: every one is wanted in a trace"),
        _F("bus", "record every request on the data bus (while tracing)"),
        _F("calls", "record calls, returns and the stack pointer"),
        _F("stop_at_rare", "come back to Python before what is executed outside the loop"),
        _F("hard_limit", "last cycle in which an instruction may issue (max cycles)"),
        _F("split", "misaligned loads and stores take two accesses instead of a trap"),
        _F("div_variable", "the scalar divider's cycles depend on its operands"),
        _F("div_law", "scalar divider: law and its two parameters"),
        _F("div_first"),
        _F("div_second"),
        _F("vdiv_law", "divider of each lane"),
        _F("vdiv_first"),
        _F("vdiv_second"),
        _F("postscale", "right shift of post-scaled products; -1 = MPSCLFAC"),
        _F("divide_zero_riscv"),
        _F("load_use", "in-order core: cycles from the end of a load until its result is there"),
        _F("mul_use"),
        _F("mul_per_bit", "extra cycles of mul per bit of its second operand beyond the first"),
        _F("div_zero", "cycles by which a division by zero is longer (negative: shorter)"),
        _F("misaligned", "cycles of a second access; 0 = as many as the first"),
        _F("fetch", "wait for the next instruction: after each, and more where fetch starts anew"),
        _F("redirect"),
        _F("core", "", CORE),
        _F("vcu", "", VCU),
        _F("morph", "", MORPH),
    ),
)

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
        _F("transfer_spm"),
        _F("transfer_units"),
        _F("bus_requests", "by the transfer engine"),
        _F("vcu_last", "last busy cycle of each accelerator", count=MAX_HARTS),
        _F("void_cycle", "issue of the last vector instruction that trapped or had no length"),
        _F("held_from", "multithreaded: when a write waits, not of the adder's user"),
        _F("held_to"),
        _F("held_hart", "the highest such hart"),
        _F("adder_hart", "who asked for the adder last, and until when it runs"),
        _F("adder_to"),
        _F("swi_target"),
        _F("trap_end", "first cycle after the last trap's stay in execute"),
        _F("step_over", "execute the marked instruction underneath"),
        _F("mark_cycle", "issue cycle of the instruction stepped over"),
        _F("watch", "CALL_TRAP, CALL_TRAP_RETURN: record the next instruction to issue as that"),
        _F("rewritten", "an instruction was overwritten at which a hart may be waiting"),
        _F("text_writes", "of instruction words, so far"),
        _F("late", "words written that are still to reach the instruction memory"),
        _F("late_index", "the oldest first: word, its value, cycle on the bus", count=LATE_WORDS),
        _F("late_value", count=LATE_WORDS),
        _F("late_cycle", count=LATE_WORDS),
        _F("hot_from", "cycle from which translated blocks are tried"),
        _F("several", "more than one hart is awake"),
        _F("last_hart", "of the last issue: hart, word, parked slots behind it"),
        _F("last_index"),
        _F("last_gap"),
        _F("last_wait", "cycles waited behind the last instruction (serial execution)"),
        _F("last_wait_vcu", "1: for a vector unit; 0: for the LSU"),
        _F("jumped", "the last instruction was a branch that was taken (in-order core)"),
        _F("ready_last", "first cycle in which all results are there (in-order core)"),
        _F("ready", "first cycle in which the result for each register is there", count=64),
        _F("busy", "of a slow step: cycles in execute beyond the first"),
        _F("next_pc", "of a slow step"),
        _F("retried", "of a slow step: it was a VCU-busy retry"),
        _F("extra_slots", "of a slow step"),
        _F("rare", "RARE_*: what is to be executed outside the loop, with its arguments"),
        _F("cause"),
        _F("value"),
        _F("prepared", "the next instruction has been executed; take over its result"),
        _F("text_first", "first and one past last word that can have been executed"),
        _F("text_end"),
        _F("printed", "rows used in each buffer"),
        _F("traced"),
        _F("spans"),
        _F("bus_rows"),
        _F("call_rows"),
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
        _F("mie"),
        _F("mpie"),
        _F("mtvec"),
        _F("mepc"),
        _F("mcause"),
        _F("msip"),
        _F("mbadaddr"),
        _F("mestatus"),
        _F("mscratch"),
        _F("mie_register"),
        _F("pcer"),
        _F("events", "bits of mhpmevent3 and 6 to 10, where PCER has them"),
        _F("mvsize"),
        _F("mvtype"),
        _F("mpsclfac"),
        _F("cycle_base", "counter value = clock - base while it counts"),
        _F("cycle_value", "value while it stands"),
        _F("instret_base"),
        _F("instret_value"),
        _F("csr_read", "what the CSR unit read last for this hart (T13)"),
        _F("trap_pc"),
        _F("trap_cause"),
        _F("trap_repeats"),
    ),
)

ACCOUNT = Struct(
    "Account",
    "Cycles of one hart by cause, beyond what issues by word and their static cycles say.",
    (
        _F("issue", "by class", count=len(CLASSES)),
        _F("execute", "by class", count=len(CLASSES)),
        _F("wait_lsu"),
        _F("wait_vcu"),
        _F("retry"),
        _F("trap"),
        _F("parked"),
        _F("wait_operand"),
        _F("wait_fetch"),
    ),
)

DYNAMIC = Struct(
    "Dynamic",
    "Cycles of one instruction word on one hart beyond its static ones, and what slots were.",
    (
        _F("execute"),
        _F("wait_lsu"),
        _F("wait_vcu"),
        _F("wait_operand"),
        _F("wait_fetch"),
        _F("trap", "of traps, beyond their slots"),
        _F("retry", "slots, from here on"),
        _F("parked"),
        _F("trapped"),
    ),
)

VECTOR_STAT = Struct(
    "VectorStat",
    "Work of the vector unit by hart and operation.",
    (
        _F("issued"),
        _F("beats"),
        _F("bytes"),
        _F("busy"),
        _F("narrow", "of those issued: with 8- or 16-bit elements"),
    ),
)

TRACE_ROW = Struct(
    "TraceRow",
    "One issue, written while tracing.",
    (
        _F("cycle"),
        _F("hart"),
        _F("pc"),
        _F("word"),
        _F("extra", "cycles in execute beyond the first, waits for the next instruction included"),
        _F("waits", "sums so far of the hart: LSU, VCU, operand, next instruction; traps", count=5),
    ),
)
SPAN_ROW = Struct(
    "SpanRow",
    "A busy interval of a unit, written while tracing.",
    (
        _F("unit", "SPAN_LSU, or number of the accelerator"),
        _F("start"),
        _F("last"),
        _F("rd"),
        _F("rs1"),
        _F("rs2"),
        _F("size_bytes"),
    ),
)
BUS_ROW = Struct(
    "BusRow",
    "A request on the data bus.",
    (
        _F("cycle"),
        _F("enables", "bytes written, bit 0 = lowest; 0 = a read"),
        _F("address", "of the word"),
        _F("data", "in its byte lanes; 0 for reads"),
    ),
)
CALL_ROW = Struct(
    "CallRow",
    "An instruction that may leave its function or move the stack, after it.",
    (
        _F("hart"),
        _F("index"),
        _F("next_pc"),
        _F("slots"),
        _F("beyond", "cycles of the hart beyond one per issue"),
        _F("stack"),
        _F("kind", "CALL_*"),
    ),
)

CALL_NODE = Struct(
    "CallNode",
    "A call path: a function entered at a site from the function of the parent.",
    (
        _F("parent"),
        _F("function"),
        _F("site", "word of the instruction that entered it; -1 at reset"),
        _F("child", "first one; -1 = none"),
        _F("next", "of the same parent"),
        _F("calls"),
        _F("cycles", "in units of 1 / harts: the rotation gives each hart one slot in so many"),
    ),
)
CALLER = Struct(
    "Caller",
    "What is known of a hart's calls.",
    (
        _F("depth", "frames"),
        _F("up_to", "cycles accounted for"),
        _F("base", "stack pointer at its first call; -1 before"),
        _F("low", "lowest one since, and the node of that"),
        _F("low_node"),
        _F("deep", "calls beyond the depth"),
    ),
)
CALL_TREE = Struct(
    "CallTree",
    "Calls followed so far. There is room for two nodes per row to follow.",
    (
        _F("nodes", "", CALL_NODE, pointer=True),
        _F("count"),
        _F("callers", "by hart", CALLER, pointer=True),
        _F("frames", "frames[h * max_depth + depth]: nodes", pointer=True),
        _F("returns", "where each frame returns to; OF_TRAP", pointer=True),
        _F("max_depth"),
        _F("functions", "by word: number of the function; 0 = none", pointer=True),
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
        _F("prof", "issues by hart and word: prof[h * words + index]", pointer=True),
        _F("vstat", "vstat[h * INSTRUCTION_COUNT + op]", VECTOR_STAT, pointer=True),
        _F("laws", "latency tables of a user's own dividers: scalar core, vector unit",
           pointer=True),
        _F("law_entries", "of each table"),
        _F("table", "by word, as the loop sees them: STALE and marks lie over entries", ENTRY,
           pointer=True),
        _F("decoded", "by word, without marks", ENTRY, pointer=True),
        _F("words", "of the instruction memory"),
        _F("regs", "regs[h * REGISTERS + n]", "uint32_t", pointer=True),
        _F("ram", "instruction memory, then data memory", "int32_t", pointer=True),
        _F("ram_words"),
        _F("spm", "scratchpads, of all replicas", "int32_t", pointer=True),
        _F("spm_words"),
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
        _F("hot", "the second tier; 0 = none", HOT, pointer=True),
    ),
)  # fmt: skip

STRUCTS = (
    CORE, VCU, MORPH, ENTRY, CONFIG, ARBITER, STATE, HART, ACCOUNT, DYNAMIC, VECTOR_STAT,
    TRACE_ROW, SPAN_ROW, BUS_ROW, CALL_ROW, CALL_NODE, CALLER, CALL_TREE, TRANSLATION, HOT, MACHINE,
)  # fmt: skip


def state_header() -> str:
    """The text of ``state.h``: constants, then structs."""
    numbers = _numbers(_codes) | {f"CLASS_{name.upper()}": k for k, name in enumerate(CLASSES)}
    numbers |= {f"T13_EXTRA_{name.upper()}": n for name, n in T13_EXTRA_CYCLES.items()}
    own = {name: value for name, value in _numbers(_ops).items() if value >= len(INSTRUCTIONS)}
    numbers |= {f"OP_{name.removeprefix('OP_')}": value for name, value in own.items()}
    numbers |= {f"CSR_{name}": value for name, value in _numbers(_csr_numbers).items()}
    numbers |= {
        f"LAW_{name.upper().replace('-', '_')}": number for name, (number, *_) in LAWS.items()
    }
    numbers |= {
        "START_UP_CYCLES": START_UP_CYCLES,
        "TRIVIAL_STEP_CYCLES": TRIVIAL_STEP_CYCLES,
        "INSTRUCTION_COUNT": len(INSTRUCTIONS),
        "FUNCTIONAL_UNITS": FUNCTIONAL_UNITS,
        "LATE_WORDS": LATE_WORDS,
    }
    lines = [
        "/* Made by gnomon/sim/_state.py. */",
        "#ifndef STATE_H",
        "#define STATE_H",
        '#include "native.h"',
        constants(numbers),
        *(struct.declaration() for struct in STRUCTS),
        _table("CLASS_OF", CLASS_OF.tolist()),
        _table("INTERRUPTIBLE", INTERRUPTIBLE.astype(int).tolist()),
        "#endif",
    ]
    return "\n".join(lines) + "\n"


def _numbers(module: ModuleType) -> dict[str, int]:
    """The numbers that a module names."""
    return {
        name: value
        for name, value in vars(module).items()
        if name.isupper() and isinstance(value, int)
    }


def _table(name: str, values: list[int]) -> str:
    """A table of small numbers by operation."""
    return f"static const uint8_t {name}[] = {{{', '.join(map(str, values))}}};"
