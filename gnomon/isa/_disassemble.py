"""From words to text, in the style of GNU objdump with ``-M no-aliases``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gnomon.isa._csrs import CSR_NAME
from gnomon.isa._decode import Decoded, decode
from gnomon.isa._encode import encode
from gnomon.isa._registers import ABI_NAMES
from gnomon.isa._table import ALL_EXTENSIONS, OPTIONAL_EXTENSIONS

if TYPE_CHECKING:
    from collections.abc import Collection

    from gnomon.isa._instruction import Extension

_FENCE_BITS = ((8, "i"), (4, "o"), (2, "r"), (1, "w"))
_ORDERING = ("", ".rl", ".aq", ".aqrl")
_FENCE_TSO = 0x833  # fm, pred and succ of the one fence with a name of its own


def disassemble(
    word: int, pc: int = 0, extensions: Collection[Extension] = ALL_EXTENSIONS | OPTIONAL_EXTENSIONS
) -> str:
    """Return the assembly text of a 32-bit word; ``pc`` is its address, for branch targets.

    ABI register names, no pseudo-instructions, CSRs by the names of ``CSRS``. A word that is no
    instruction reads ``.word 0x...``. So does an instruction in which bits that no operand
    covers are not the customary ones (a fence with reserved fields, a vector instruction with
    another funct3), with the instruction as a comment: the text always assembles to this word.
    ``extensions`` are those to know: as with objdump, all, whatever the machine has.

    Raises:
        IsaError: the word does not fit in 32 bits, or an extension does not exist.
    """
    decoded = decode(word, extensions)
    if decoded is None:
        return f".word {word:#010x}"
    text = _text(decoded, pc)
    return text if _encode_again(decoded) == word else f".word {word:#010x} # {text}"


def _encode_again(decoded: Decoded) -> int:
    row = decoded.instruction
    shown = {"rs1": decoded.rs1, "rs2": decoded.rs2}
    if row.format in ("kmem", "kdsp"):  # the text leaves out a register that is not read
        shown = {field: value for field, value in shown.items() if field in row.reads}
    imm = decoded.imm
    if row.format == "fence" and imm != _FENCE_TSO:
        imm = 0 if row.mnemonic == "fence.i" else imm & 0xFF
    return encode(row.mnemonic, rd=decoded.rd, imm=imm, csr=decoded.csr, **shown)


def _text(decoded: Decoded, pc: int) -> str:
    row = decoded.instruction
    name, layout = row.mnemonic, row.format
    rd, rs1, rs2 = ABI_NAMES[decoded.rd], ABI_NAMES[decoded.rs1], ABI_NAMES[decoded.rs2]
    imm = decoded.imm
    csr = CSR_NAME.get(decoded.csr, f"{decoded.csr:#x}")
    target = f"{(pc + imm) & 0xFFFF_FFFF:#x}"
    if layout == "I" and row.timing_class in ("load", "jump"):
        operands = f"{rd},{imm}({rs1})"
    elif name == "fence" and imm == _FENCE_TSO:
        name, operands = "fence.tso", ""
    elif layout == "fence":
        # pred or succ of no access at all has no letters; objdump calls it unknown.
        sets = [_access_set(imm >> 4 & 0xF), _access_set(imm & 0xF)]
        operands = "" if name == "fence.i" else ",".join(sets)
    elif layout in ("kmem", "kdsp"):
        named = [rd] + [ABI_NAMES[getattr(decoded, field)] for field in row.reads if field != "rd"]
        operands = ",".join(named)
    else:
        operands = {
            "R": f"{rd},{rs1},{rs2}",
            "I": f"{rd},{rs1},{imm}",
            "S": f"{rs2},{imm}({rs1})",
            "B": f"{rs1},{rs2},{target}",
            "U": f"{rd},{imm >> 12 & 0xFFFFF:#x}",
            "J": f"{rd},{target}",
            "shift": f"{rd},{rs1},{imm:#x}",
            "csr": f"{rd},{csr},{rs1}",
            "csri": f"{rd},{csr},{imm}",
            "amo": f"{rd},{rs2},({rs1})",
            "system": "",
        }[layout]
    if layout == "amo":
        name += _ORDERING[imm]
    return f"{name} {operands}".rstrip()


def _access_set(bits: int) -> str:
    return "".join(letter for bit, letter in _FENCE_BITS if bits & bit) or "unknown"
