"""From words to instructions, one at a time or a whole memory at once, and from those to text."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Final

from gnomon.isa._csrs import CSR_NAME
from gnomon.isa._encode import ABI_NAMES, REGISTER_FIELDS, encode, unpack_immediate
from gnomon.isa._instruction import Extension, Instruction, IsaError
from gnomon.isa._table import ALL_EXTENSIONS, INSTRUCTIONS, OPTIONAL_EXTENSIONS, instructions

if TYPE_CHECKING:
    from collections.abc import Collection

    import numpy as np
    from numpy.typing import NDArray


DECODED_DTYPE: Final = [
    ("number", "<i2"),
    ("rd", "u1"),
    ("rs1", "u1"),
    ("rs2", "u1"),
    ("csr", "<u2"),
    ("imm", "<i4"),
]


@dataclass(frozen=True, slots=True)
class Decoded:
    """One decoded word. Fields the format does not have are 0.

    ``imm`` is signed and ready to use: a byte offset for B and J, the value added for U, the
    5-bit operand of csrrwi and its kin.
    """

    instruction: Instruction
    rd: int
    rs1: int
    rs2: int
    imm: int
    csr: int


@cache
def _by_opcode(extensions: frozenset[Extension]) -> dict[int, tuple[Instruction, ...]]:
    rows: dict[int, list[Instruction]] = {}
    for row in instructions(extensions):
        rows.setdefault(row.opcode, []).append(row)
    return {opcode: tuple(group) for opcode, group in rows.items()}


def decode(word: int, extensions: Collection[Extension] = ALL_EXTENSIONS) -> Decoded | None:
    """Decode one 32-bit word as the ISA manual reads it; None if it is no instruction.

    By default the instructions of the public T13x are known. What it decodes differently (it
    does not check funct7 of slli) is the machine's business, not this function's.

    Raises:
        IsaError: the word does not fit in 32 bits, or an extension does not exist.
    """
    if not 0 <= word <= 0xFFFF_FFFF:
        raise IsaError(f"an instruction word must be 0 to 0xffffffff, not {word:#x}")
    for row in _by_opcode(frozenset(extensions)).get(word & 0x7F, ()):
        if word & row.mask == row.match:
            fields = REGISTER_FIELDS[row.format]
            return Decoded(
                instruction=row,
                rd=word >> 7 & 0x1F if "rd" in fields else 0,
                rs1=word >> 15 & 0x1F if "rs1" in fields else 0,
                rs2=word >> 20 & 0x1F if "rs2" in fields else 0,
                imm=unpack_immediate(row.format, word),
                csr=word >> 20 if row.format in ("csr", "csri") else 0,
            )
    return None


def decode_words(
    words: NDArray[np.uint32], extensions: Collection[Extension] = ALL_EXTENSIONS
) -> NDArray[np.void]:
    """Decode an array of words into a structured array (``DECODED_DTYPE``) of the same shape.

    The fields mean what the attributes of ``Decoded`` mean, ``number`` being that of the
    instruction. Where it is -1 the word is no instruction and the other fields are 0.

    Raises:
        IsaError: the array is not of type uint32, or an extension does not exist.
    """
    import numpy as np

    if words.dtype != np.uint32:
        raise IsaError(f"decode_words takes an array of uint32, not {words.dtype}")
    flat = words.ravel()
    numbers = _numbers(flat, frozenset(extensions))
    layouts = list(REGISTER_FIELDS)
    layout_of_row = [layouts.index(row.format) for row in INSTRUCTIONS]
    codes = np.array([*layout_of_row, -1], dtype=np.int8)[numbers]  # number -1 picks the last
    out = np.zeros(flat.shape, dtype=DECODED_DTYPE)
    out["number"] = numbers
    for code, layout in enumerate(layouts):
        where = np.flatnonzero(codes == code)
        if not where.size:
            continue
        some = flat[where].astype(np.int64)
        for name, shift in (("rd", 7), ("rs1", 15), ("rs2", 20)):
            if name in REGISTER_FIELDS[layout]:
                out[name][where] = some >> shift & 0x1F
        if layout in ("csr", "csri"):
            out["csr"][where] = some >> 20
        out["imm"][where] = unpack_immediate(layout, some)
    return out.reshape(words.shape)


def _numbers(flat: NDArray[np.uint32], extensions: frozenset[Extension]) -> NDArray[np.int16]:
    """Match by mask: few masks exist, and the matches of one mask are disjoint."""
    import numpy as np

    rows_of_mask: dict[int, list[Instruction]] = {}
    for row in instructions(extensions):
        rows_of_mask.setdefault(row.mask, []).append(row)
    numbers = np.full(flat.shape, -1, dtype=np.int16)
    for mask, rows in rows_of_mask.items():
        rows.sort(key=lambda row: row.match)
        matches = np.array([row.match for row in rows], dtype=np.uint32)
        masked = flat & np.uint32(mask)
        nearest = np.minimum(np.searchsorted(matches, masked), len(rows) - 1)
        hit = matches[nearest] == masked
        numbers[hit] = np.array([row.number for row in rows], dtype=np.int16)[nearest[hit]]
    return numbers


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
