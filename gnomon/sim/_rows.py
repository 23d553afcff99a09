"""Structs of what the engine records, and of what it knows of translated blocks."""

from gnomon.base.structs import Field, Struct, plain

_F = Field

TRACE_ROW = Struct(
    "TraceRow",
    "One issue, written while tracing.",
    (
        *plain("cycle", "hart", "pc", "word"),
        _F("extra", "cycles in execute beyond the first, waits for the next instruction included"),
        _F("waits", "sums so far of the hart: LSU, VCU, operand, next instruction; traps", count=5),
    ),
)
SPAN_ROW = Struct(
    "SpanRow",
    "A busy interval of a unit, written while tracing.",
    (
        _F("unit", "SPAN_LSU, or number of the accelerator"),
        *plain("start", "last", "rd", "rs1", "rs2", "size_bytes"),
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
        *plain("hart", "index", "next_pc", "slots"),
        _F("beyond", "cycles of the hart beyond one per issue"),
        _F("stack"),
        _F("kind", "CALL_*"),
    ),
)

CALL_NODE = Struct(
    "CallNode",
    "A call path: a function entered at a site from the function of the parent.",
    (
        *plain("parent", "function"),
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

UNDO_WORDS = 2  # in an Undo, and in a Division: hot.h
DIVISION_WORDS = 3
FORMS = ("solo", "runner")
"""One hart awake, with exact cycles; one of several, ahead of the others."""

TRANSLATION = Struct(
    "Translation",
    "Blocks in one form, compiled.",
    (
        _F("blocks", "the function, see hot.h; 0 = none", "void", pointer=True),
        _F("table", "Block, by number", "void", pointer=True),
        _F("count", "of the blocks"),
        _F("counts", "executed since they were folded: counts[h * count + number]", pointer=True),
        _F("taken", "of these, with their branch taken, where that costs cycles", pointer=True),
    ),
)
BLOCK = Struct(
    "Block",
    "As in hot.h, which compiled blocks know.",
    (
        _F("accesses", kind="uint64_t"),
        _F("stores", kind="uint64_t"),
        _F("start", kind="uint32_t"),
        _F("length", kind="uint32_t"),
        _F("extra", kind="uint32_t"),
        _F("cycles", kind="uint32_t"),
    ),
)

HOT = Struct(
    "Hot",
    "The second tier of a run.",
    (
        _F("solo", "for one hart awake", TRANSLATION),
        _F("runner", "for several", TRANSLATION),
        _F("lengths", "by word: of the block of several harts that begins there; 0 = none",
           "uint8_t", pointer=True),
        _F("words", "indices of all translated words", "uint32_t", pointer=True),
        _F("word_count"),
        _F("writes", "of instruction words, when the translated ones were looked at"),
        _F("forced", "try at every block, however short the last go was"),
        _F("pause", "cycles until the next try, after a short go"),
        _F("slowest", "most cycles that an instruction stays in execute beyond the first"),
        _F("tags", "by line of data RAM: who may read (bit h) and write (bit 8 + h)", "uint16_t",
           pointer=True),
        _F("tag_shift", "log2 of the bytes of a line"),
        _F("journal", "room by hart, in rows of trace and undo"),
        _F("trace", "", "uint32_t", pointer=True),
        _F("undo", "Undo", "void", pointer=True),
        _F("divisions", "Division", "void", pointer=True),
        _F("window", "slots of the next window, and most ever"),
        _F("largest_window"),
        _F("lsu_busy", "the LSU was busy in the cycle before the window"),
        _F("windows", "so far; for tests and for who tunes it"),
        *plain("rollbacks", "conflicts", "solo_instructions", "runner_instructions"),
    ),
)  # fmt: skip
