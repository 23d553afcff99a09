"""Explanations of illegal instructions: the feature that the machine lacks."""

from __future__ import annotations

from typing import Final

from gnomon.arch import Architecture
from gnomon.isa import decode_word
from gnomon.sim._substituted import standard_name
from gnomon.sim._tables import enabled_extensions

_MISSING: Final = {
    "M": "no multiplication and division",
    "A": "no atomic instructions",
    "Zicsr": "no CSRs",
    "machine": "no CSRs and traps",
    "kmem": "no vector unit",
    "kdsp": "no vector unit",
}
"""The missing feature of a machine without an extension."""

_ATOMIC: Final = 0x2F  # opcode
_OPTIONAL: Final = frozenset({"kdiv", "kdivps", "kps"})


def why_illegal(word: int, architecture: Architecture) -> str:
    """Return a text about an illegal instruction and the feature that the machine lacks.

    Args:
        word: the instruction; 16 bits if it is compressed.
        architecture: the machine on which it trapped.
    """
    core = architecture.core
    if word & 0xFFFF == 0:
        return "zeros, which are not an instruction: memory without code holds them"
    if word & 3 != 3 and core.alignment_bytes == 4:
        return f"the machine has no compressed instructions (core.isa: {core.isa}): {word:#06x}"
    text = standard_name(word)
    decoded = decode_word(word) or decode_word(word, _OPTIONAL)
    if decoded is None and word & 0x7F == _ATOMIC:
        return f"the machine has {_MISSING['A']} (core.isa: {core.isa}): {text}"
    if decoded is None:
        return f"the machine does not know it (core.isa: {core.isa}): {text}"
    extension = decoded.instruction.extension
    if extension not in enabled_extensions(architecture):
        if extension in _MISSING:
            where = "vcu: none" if extension.startswith("k") else f"core.isa: {core.isa}"
            return f"the machine has {_MISSING[extension]} ({where}): {text}"
        return f"the vector unit has no {extension} (vcu.extensions): {text}"
    if extension == "Zicsr":
        return f"the machine has no CSR {decoded.csr_name}, or one that cannot be written: {text}"
    return f"the machine rejects it: {text}"
