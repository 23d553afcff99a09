"""The structs that the engine and Python share, read from the engine's headers.

``engine/structs.h`` has the data of a run, ``engine/path_structs.h`` those of recorded paths,
``engine/hot.h`` those of compiled blocks. Quirks come from the schema of machine files.
"""

from pathlib import Path as File
from typing import Final

from gnomon.arch import Architecture
from gnomon.base.keys import section_at
from gnomon.base.structs import Field, Struct, read_header
from gnomon.sim import _codes

FOLDER: Final = File(__file__).with_name("engine")


def _make_flags_struct(name: str, what: str, *place: str) -> Struct:
    """Return a struct of the quirks in a section of machine files, with the same names."""
    section = section_at(Architecture, place)
    assert section is not None
    return Struct(name, what, tuple(Field(each, kind="uint8_t") for each in section.model_fields))


QUIRKS: Final = (
    _make_flags_struct(
        "CoreQuirks", "Quirks of the core, 0 or 1 each, as the machine file names them.",
        "core", "quirks",
    ),
    _make_flags_struct("VcuQuirks", "Quirks of the vector unit.", "vcu", "quirks"),
    _make_flags_struct(
        "MorphQuirks", "Quirks of the Morph vector division.", "vcu", "morph_quirks"
    ),
)  # fmt: skip
NUMBERS: Final[dict[str, int]] = {
    **{name: value for name, value in vars(_codes).items() if isinstance(value, int)},
    "BUSES": len(_codes.BUSES),
    "CLASSES": len(_codes.CLASSES),
}
"""Macros of the headers and of :mod:`._codes`."""
STRUCTS: Final = {each.name: each for each in QUIRKS}
for _name in ("hot", "structs", "path_structs"):
    read_header(FOLDER / f"{_name}.h", STRUCTS, NUMBERS)

ACCOUNT, BLOCK, CALLER, CALL_NODE, CALL_TREE, CONFIG, ENTRY, EVENT = (
    STRUCTS[name]
    for name in ("Account", "Block", "Caller", "CallNode", "CallTree", "Config", "Entry", "Event")
)
(
    CACHED_SPAN, DATA_CACHE, DEVICE, FETCH, HART, HOT, INTERLOCKS, LATENCY, MACHINE, MARK_TIME,
    OPERAND_CYCLES, PAIR, PATH, STATE, TIMER, UNIT, VECTOR_STAT, VECTOR_UNIT, WINDOW,
) = (
    STRUCTS[name]
    for name in (
        "CachedSpan", "DataCache", "Device", "Fetch", "Hart", "Hot", "Interlocks", "Latency",
        "Machine", "MarkTime", "OperandCycles", "Pair", "Path", "State", "Timer", "Unit",
        "VectorStat", "VectorUnit",
        "Window",
    )
)  # fmt: skip
