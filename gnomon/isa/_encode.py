"""From a mnemonic and operands to a word. Nothing is truncated: what does not fit is an error."""

from __future__ import annotations

from gnomon.isa._fields import IMMEDIATE_RANGE, REGISTER_FIELDS, pack_immediate
from gnomon.isa._instruction import IsaError
from gnomon.isa._table import instruction


def encode(
    mnemonic: str, *, rd: int = 0, rs1: int = 0, rs2: int = 0, imm: int = 0, csr: int = 0
) -> int:
    """Return the 32-bit word of an instruction.

    Args:
        mnemonic: as in ``INSTRUCTIONS``; no pseudo-instructions.
        rd: destination register 0 to 31. The vector instructions read it.
        rs1: first register read, 0 to 31.
        rs2: second register read, 0 to 31.
        imm: byte offset for branches, jumps, loads and stores; the value added (a multiple of
            4096) for lui and auipc; the shift amount; the operand of csrrwi and its kin; fm, pred
            and succ (12 bits) for fence; aq and rl (2 bits) for amoswap.w.
        csr: CSR address 0 to 0xfff.

    Raises:
        IsaError: unknown mnemonic, a value out of range, or an operand the instruction lacks.
    """
    row = instruction(mnemonic)
    registers = REGISTER_FIELDS[row.format]
    word = row.template
    for name, value, shift in (("rd", rd, 7), ("rs1", rs1, 15), ("rs2", rs2, 20)):
        if name not in registers:
            _must_be_absent(mnemonic, name, value)
        elif not 0 <= value <= 31:
            raise IsaError(f"{mnemonic}: {name} must be a register 0 to 31, not {value}")
        word |= value << shift
    if row.format in ("csr", "csri"):
        if not 0 <= csr <= 0xFFF:
            raise IsaError(f"{mnemonic}: csr must be 0 to 0xfff, not {csr:#x}")
        word |= csr << 20
    else:
        _must_be_absent(mnemonic, "csr", csr)
    if row.format not in IMMEDIATE_RANGE:
        _must_be_absent(mnemonic, "imm", imm)
        return word
    low, high, step = IMMEDIATE_RANGE[row.format]
    if not low <= imm <= high or imm % step:
        multiple = f" and a multiple of {step}" if step > 1 else ""
        raise IsaError(f"{mnemonic}: imm must be {low} to {high}{multiple}, not {imm}")
    return word | pack_immediate(row.format, imm)


def _must_be_absent(mnemonic: str, operand: str, value: int) -> None:
    if value:
        raise IsaError(f"{mnemonic} has no operand {operand}, got {value}")
