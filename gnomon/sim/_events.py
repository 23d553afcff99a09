"""Recorded paths: structs that the recorder, the pricing and Python share; see :mod:`._state`."""

from typing import Final

from gnomon.base.structs import Field, Struct

_F = Field

# Kinds of events.
EVENT_VECTOR: Final = 1
EVENT_DIVIDE: Final = 2  # a vector division
EVENT_TRANSFER: Final = 3
EVENT_MEMORY: Final = 4  # the first load or store behind a transfer
EVENT_DIVISION: Final = 5  # of the scalar core
EVENT_MARK: Final = 6  # a region starts or ends

REFUSED: Final = 100
"""What the recorder returns where a path cannot be priced on other machines."""
REFUSALS: Final = {
    "HARTS": "events of other harts than 0, or with several awake",
    "NARROW": "vectors of 8- or 16-bit elements, whose results depend on lanes",
    "SCALAR_BESIDE": "a scalar in the scratchpad of its vector: waits change both",
    "OVERLAP": "a vector instruction writes what it still reads",
    "BROADCAST": "broadcasts to all scratchpads are not understood",
}
"""Why, by their names in C; the numbers count from 1."""

EVENT = Struct(
    "Event",
    "What the timing of a run depends on. `count` is: VECTOR, DIVIDE: bytes; TRANSFER: words;\n"
    "   DIVISION: static cycles beyond the first; MARK: its number.",
    (
        _F("cycle", "with all units idle"),
        _F("kind", "EVENT_*", "uint8_t"),
        _F("op", "VECTOR, DIVIDE: instruction; TRANSFER: 1 = store; DIVISION: 1 = signed",
           "uint8_t"),
        _F("sources", "VECTOR, DIVIDE: mask of the scratchpads read", "uint8_t"),
        _F("target", "mask of the scratchpad written; TRANSFER: of its scratchpad", "uint8_t"),
        _F("count", "", "int32_t"),
        _F("x", "DIVISION: dividend; DIVIDE: its first pair", "int32_t"),
        _F("y", "DIVISION: divisor; DIVIDE: left shift of its dividends", "int32_t"),
    ),
)  # fmt: skip

PAIR = Struct(
    "Pair",
    "Operands of one lane of a vector division.",
    (_F("x", "dividend", "int32_t"), _F("y", "divisor", "int32_t")),
)

MARK_TIME = Struct(
    "MarkTime",
    "What a priced machine has done up to a mark beyond the recording.",
    (
        _F("cycle", "issue cycle of the marked instruction"),
        _F("retries"),
        _F("wait_lsu", "cycles"),
        _F("wait_vcu"),
        _F("division", "cycles of scalar divisions beyond their static ones"),
    ),
)

PATH = Struct(
    "Path",
    "A path that is recorded or priced. Python owns the arrays.",
    (
        _F("events", "", EVENT, pointer=True),
        _F("event_rows", "room"),
        _F("event_count"),
        _F("pairs", "", PAIR, pointer=True),
        _F("pair_rows", "room"),
        _F("pair_count"),
        _F("marks", "so far"),
        _F("regions", "by word: 1 = a region starts or ends here", "uint8_t", pointer=True),
        _F("delay_slots", "rotations by which every event is later than need be"),
        _F("armed", "the next load or store is the first behind a transfer"),
        _F("at_mark", "Python has seen the mark; its instruction is to be recorded itself"),
        _F("mark_cycle", "issue cycle of the last marked instruction of a region"),
        _F("unseen", "it has not issued yet"),
        _F("refusal", "REFUSED_*"),
        _F("lane_cycles", "pricing: of each pair", "int32_t", pointer=True),
        _F("times", "pricing: by mark", MARK_TIME, pointer=True),
        _F("held_sum", "pricing: a sum waited for a transfer, and its value depends on that"),
    ),
)

STRUCTS = (EVENT, PAIR, MARK_TIME, PATH)
