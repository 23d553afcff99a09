"""What the engine knows of translated blocks: structs of its second tier."""

from __future__ import annotations

from gnomon.base.structs import Field, Struct, plain

_F = Field
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
