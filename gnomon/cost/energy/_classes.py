"""Timing classes of the entries of ``Work.instructions``."""

from typing import Final

from gnomon.isa import INSTRUCTIONS

UNIT: Final = "unit"
VECTOR_CLASSES: Final = ("kmem", "kdsp", UNIT)
ILLEGAL: Final = "illegal"
"""Entry of instructions that trap in decode; it has no class."""
COUNTED_AS: Final = {"nop": "alu", "load.x0": "load", "csr.read": "csr", "csr.write": "csr",
                     "csr.vector": "csr"}  # fmt: skip
"""Classes of the entries that stand for several mnemonics."""
_CLASS_OF: Final = {row.mnemonic: row.timing_class for row in INSTRUCTIONS}
CLASSES: Final[tuple[str, ...]] = tuple(dict.fromkeys(_CLASS_OF.values()))


def find_class(name: str) -> str:
    """Return the timing class of an entry; empty: none, or that of a user-defined unit."""
    return _CLASS_OF.get(name) or COUNTED_AS.get(name, "")
