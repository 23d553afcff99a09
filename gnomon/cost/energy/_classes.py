"""Timing classes of the entries of ``Work.instructions``."""

from typing import Final

from gnomon.isa import INSTRUCTIONS

UNIT: Final = "unit"
_CLASS_OF: Final = {row.mnemonic: row.timing_class for row in INSTRUCTIONS}
_OF_OTHERS: Final = {"nop": "alu", "load": "load", "csr": "csr"}  # load.x0, csr.read ...
CLASSES: Final[tuple[str, ...]] = tuple(dict.fromkeys(_CLASS_OF.values()))


def find_class(name: str) -> str:
    """Return the timing class of an entry; empty: none, or that of a user-defined unit."""
    return _CLASS_OF.get(name) or _OF_OTHERS.get(name.partition(".")[0], "")
