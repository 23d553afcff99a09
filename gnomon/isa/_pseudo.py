"""Pseudo-instructions of the assembler: what each one stands for."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

PSEUDO: dict[str, tuple[int, Callable[..., list[str]]]] = {
    "nop": (0, lambda: ["addi zero,zero,0"]),
    "mv": (2, lambda rd, rs: [f"addi {rd},{rs},0"]),
    "la": (2, lambda rd, label: [f"lui {rd},%hi({label})", f"addi {rd},{rd},%lo({label})"]),
    "j": (1, lambda target: [f"jal zero,{target}"]),
    "ret": (0, lambda: ["jalr zero,0(ra)"]),
    "beqz": (2, lambda rs, target: [f"beq {rs},zero,{target}"]),
    "bnez": (2, lambda rs, target: [f"bne {rs},zero,{target}"]),
    "csrr": (2, lambda rd, csr: [f"csrrs {rd},{csr},zero"]),
    "csrw": (2, lambda csr, rs: [f"csrrw zero,{csr},{rs}"]),
    "csrwi": (2, lambda csr, imm: [f"csrrwi zero,{csr},{imm}"]),
}
"""Number of operands, and the statements it becomes: as many whatever the labels are.

``li`` is not here: its length depends on its value.
"""


def low_part(value: int) -> int:
    """Return the signed low 12 bits: what addi adds to what lui left."""
    return (value & 0xFFF ^ 0x800) - 0x800


def load_constant(rd: str, value: int) -> list[str]:
    """Return the statements of ``li``: addi, lui, or both, for any 32-bit value."""
    signed = (value & 0xFFFF_FFFF ^ 0x8000_0000) - 0x8000_0000
    if -2048 <= signed <= 2047:
        return [f"addi {rd},zero,{signed}"]
    low = low_part(signed)
    upper = f"lui {rd},{(signed - low) >> 12 & 0xFFFFF:#x}"
    return [upper, f"addi {rd},{rd},{low}"] if low else [upper]
