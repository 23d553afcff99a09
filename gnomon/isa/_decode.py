"""Decoding of words, one at a time or a whole memory at once, and disassembly."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from functools import cache
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from gnomon.base.errors import GnomonError
from gnomon.isa._compressed import compressed_text, expand, size_bytes
from gnomon.isa._encode import (
    ABI_NAMES,
    LAYOUTS,
    REGISTER_FIELDS,
    encode,
    encode_row,
    operands,
)
from gnomon.isa._instruction import (
    ALL_EXTENSIONS,
    CSR_NAME,
    INSTRUCTIONS,
    OPTIONAL_EXTENSIONS,
    STANDARD_CSR_NAME,
    Instruction,
    list_instructions,
)

DECODED_DTYPE: Final = [
    ("number", "<i2"), ("rd", "u1"), ("rs1", "u1"), ("rs2", "u1"), ("csr", "<u2"), ("imm", "<i4"),
    ("word", "<u4"),
]  # fmt: skip


class Decoded(NamedTuple):
    """One decoded word. Fields that the format does not have are 0.

    ``imm`` is signed and ready to use: a byte offset for B and J, the added value for U, the
    5-bit operand of csrrwi, csrrsi and csrrci.
    """

    instruction: Instruction
    rd: int
    rs1: int
    rs2: int
    imm: int
    csr: int
    size_bytes: int = 4

    @property
    def csr_name(self) -> str:
        """Name of its CSR: of the T13, else of the specification, else its address."""
        known = CSR_NAME.get(self.csr) or STANDARD_CSR_NAME.get(self.csr)
        return known or f"{self.csr:#x}"

    @property
    def read(self) -> dict[str, int]:
        """Registers that it reads: numbers by ABI name."""
        numbers = [getattr(self, field) for field in self.instruction.reads]
        if self.instruction.format == "R4":
            numbers.append(self.imm)
        return {ABI_NAMES[number]: number for number in numbers}


def decode_word(
    word: int,
    extensions: Collection[str] = ALL_EXTENSIONS,
    *,
    compressed: bool = False,
    units: Sequence[Instruction] = (),
) -> Decoded | None:
    """Decode one 32-bit word as the ISA manual does; None for an illegal instruction.

    By default the instructions of the public T13x are known. The simulator, not this function,
    models the deviations of the T13x (it does not check funct7 of slli). With ``compressed``, a
    word of 16 bits is a compressed instruction, and its expansion is decoded. ``units``: further
    instructions, of the units of a machine.

    Raises:
        GnomonError: if the word does not fit in 32 bits, or an extension does not exist.
    """
    if not 0 <= word <= 0xFFFF_FFFF:
        raise GnomonError(f"an instruction word must be 0 to 0xffffffff, not {word:#x}")
    length = size_bytes(word) if compressed else 4
    if length == 2:
        expansion = expand(word)
        word = word if expansion is None else expansion
    for row in (*_group_by_opcode(frozenset(extensions)).get(word & 0x7F, ()), *units):
        if word & row.mask == row.match:
            layout = LAYOUTS[row.format]
            rd, rs1, rs2 = (
                word >> shift & 0x1F if name in layout.registers else 0
                for name, shift in REGISTER_FIELDS.items()
            )
            csr = word >> 20 if row.format in ("csr", "csri") else 0
            return Decoded(row, rd, rs1, rs2, layout.unpack(word), csr, length)
    return None


@cache
def _group_by_opcode(extensions: frozenset[str]) -> dict[int, tuple[Instruction, ...]]:
    rows: dict[int, list[Instruction]] = {}
    for row in list_instructions(extensions):
        rows.setdefault(row.opcode, []).append(row)
    return {opcode: tuple(group) for opcode, group in rows.items()}


def decode_words(
    words: NDArray[np.uint32],
    extensions: Collection[str] = ALL_EXTENSIONS,
    *,
    compressed: bool = False,
) -> NDArray[np.void]:
    """Decode an array of words into a structured array (``DECODED_DTYPE``) of the same shape.

    The fields are the attributes of ``Decoded``; ``number`` is the number of the instruction, and
    ``word`` the decoded word: the expansion of a compressed instruction. An illegal instruction has
    ``number`` -1, and its other fields are 0.

    Raises:
        GnomonError: if the array is not of type uint32, or an extension does not exist.
    """
    if words.dtype != np.uint32:
        raise GnomonError(f"decode_words takes an array of uint32, not {words.dtype}")
    flat = words.ravel()
    if compressed:
        short, which = np.unique(flat[flat & 3 != 3], return_inverse=True)
        whole = [word if (long := expand(word)) is None else long for word in short.tolist()]
        flat = flat.copy()
        flat[flat & 3 != 3] = np.array(whole, dtype=np.uint32)[which]
    numbers = _match_numbers(flat, frozenset(extensions))
    formats = list(LAYOUTS)
    layout_of_row = [formats.index(row.format) for row in INSTRUCTIONS]
    codes = np.array([*layout_of_row, -1], dtype=np.int8)[numbers]  # number -1 picks the last
    out = np.zeros(flat.shape, dtype=DECODED_DTYPE)
    out["number"], out["word"] = numbers, flat
    for code, (form, layout) in enumerate(LAYOUTS.items()):
        where = np.flatnonzero(codes == code)
        if not where.size:
            continue
        some = flat[where].astype(np.int64)
        for name, shift in REGISTER_FIELDS.items():
            if name in layout.registers:
                out[name][where] = some >> shift & 0x1F
        if form in ("csr", "csri"):
            out["csr"][where] = some >> 20
        out["imm"][where] = layout.unpack(some)
    return out.reshape(words.shape)


def fetched_words(
    memory: NDArray[np.uint32], places: NDArray[np.int64], *, compressed: bool
) -> NDArray[np.uint32]:
    """Return the instructions at some places of a memory, in the shape of ``places``.

    Places count words; with ``compressed`` they count halfwords, as such instructions have 16 bits.
    """
    if not compressed:
        return memory[places]
    halves = np.append(memory.view(np.uint16), np.uint16(0)).astype(np.uint32)
    low = halves[places]
    return np.where(low & 3 == 3, low | halves[places + 1] << 16, low)


def _match_numbers(flat: NDArray[np.uint32], extensions: frozenset[str]) -> NDArray[np.int16]:
    """Return the index in the instruction table of each instruction word; -1 if it is illegal.

    The search is by mask: few masks exist, and the matches of one mask are disjoint.
    """
    rows_of_mask: dict[int, list[Instruction]] = {}
    for row in list_instructions(extensions):
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
_FENCE_TSO = 0x833  # fm, pred and succ of the only fence with its own name


def disassemble(
    word: int,
    pc: int = 0,
    extensions: Collection[str] = ALL_EXTENSIONS | OPTIONAL_EXTENSIONS,
    *,
    units: Sequence[Instruction] = (),
) -> str:
    """Return the assembly text of an instruction; ``pc`` is its address, for branch targets.

    A 16-bit word that is a compressed instruction is printed as such. Registers have ABI names,
    CSRs the names of ``csrs.csv``; there are no pseudo-instructions. An illegal instruction is
    printed as ``.word 0x...``. The same holds, with the instruction as a comment, if bits that no
    operand covers have unusual values (a fence with reserved fields, a vector instruction with
    another funct3): the text of 32 bits always assembles to this word. ``extensions`` are the known
    ones: by default all, as in objdump, regardless of the machine; ``units`` are further ones, of
    the units of a machine.

    Raises:
        GnomonError: if the word does not fit in 32 bits, or an extension does not exist.
    """
    if size_bytes(word) == 2 and (short := compressed_text(word, pc)):
        return short
    decoded = decode_word(word, extensions, units=units)
    if decoded is None:
        return f".word {word:#010x}"
    text = _format_instruction(decoded, pc)
    return text if _encode_again(decoded) == word else f".word {word:#010x} # {text}"


def _encode_again(decoded: Decoded) -> int:
    row = decoded.instruction
    shown = {"rs1": decoded.rs1, "rs2": decoded.rs2}
    # The text omits a register that is not read.
    if row.format in ("kmem", "kdsp") or row.extension == "unit":
        shown = {field: value for field, value in shown.items() if field in row.reads}
    imm, rd = decoded.imm, decoded.rd
    if row.extension == "unit":
        return encode_row(row, rd=rd if row.rd else 0, imm=imm, **shown)
    if row.format == "fence" and imm != _FENCE_TSO:
        imm = 0 if row.mnemonic == "fence.i" else imm & 0xFF
    return encode(row.mnemonic, rd=rd, imm=imm, csr=decoded.csr, **shown)


def _format_instruction(decoded: Decoded, pc: int) -> str:
    row, imm = decoded.instruction, decoded.imm
    if row.mnemonic == "fence" and imm == _FENCE_TSO:
        return "fence.tso"
    rs1 = ABI_NAMES[decoded.rs1]
    shown = {
        "rd": ABI_NAMES[decoded.rd],
        "rs1": rs1,
        "rs2": ABI_NAMES[decoded.rs2],
        "imm": f"{imm}",
        "rs3": ABI_NAMES[imm & 31],
        "shift": f"{imm:#x}",
        "upper": f"{imm >> 12 & 0xFFFFF:#x}",
        "target": f"{(pc + imm) & 0xFFFF_FFFF:#x}",
        "memory": f"{imm}({rs1})",
        "address": f"({rs1})",
        "csr": CSR_NAME.get(decoded.csr, f"{decoded.csr:#x}"),
        "pred": _format_access_set(imm >> 4 & 0xF),
        "succ": _format_access_set(imm & 0xF),
    }
    ordering = _ORDERING[imm] if row.format == "amo" else ""
    return f"{row.mnemonic}{ordering} {','.join(shown[kind] for kind in operands(row))}".rstrip()


def _format_access_set(bits: int) -> str:
    # An empty access set has no letters; objdump prints "unknown".
    return "".join(letter for bit, letter in _FENCE_BITS if bits & bit) or "unknown"
