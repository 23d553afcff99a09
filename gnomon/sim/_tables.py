"""Instruction memory as the loop reads it: one packed int64 per word.

Layout: operation 7:0, rd 13:8 (32 = thrown away), rs1 18:14, rs2 23:19, static extra execute
cycles 31:24, immediate 63:32 (signed). For CSR instructions the immediate holds the address and
rs1 the register or the immediate operand; for illegal words it holds the word.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from gnomon.arch import DIVIDER_CYCLES
from gnomon.isa import ALL_EXTENSIONS, INSTRUCTIONS, OPTIONAL_EXTENSIONS, decode_words
from gnomon.sim import _layout as at
from gnomon.sim import _ops as op
from gnomon.sim._inorder import REDIRECTING

if TYPE_CHECKING:
    from gnomon.arch import Architecture
    from gnomon.isa import Extension

Packed = npt.NDArray[np.int64]

_OPCODE_LOAD = 0x03
_OPCODE_STORE = 0x23
_OPCODE_AMO = 0x2F
_OPCODE_KMEM = 0x0B
_OPCODE_KDSP = 0x2B
_OPCODE_OP = 0x33
_OPCODE_OP_IMM = 0x13
_OPCODE_SYSTEM = 0x73


def _class_of_operations() -> npt.NDArray[np.int64]:
    classes = np.zeros(op.OP_COUNT, dtype=np.int64)
    for row in INSTRUCTIONS:
        classes[row.number] = at.CLASSES.index(row.timing_class)
    classes[op.NOP] = at.CLASSES.index("alu")
    classes[op.LOAD_X0] = at.CLASSES.index("load")
    for illegal in (op.ILLEGAL, op.ILLEGAL_LSU, op.ILLEGAL_KMEM, op.ILLEGAL_KDSP, op.NO_FETCH):
        classes[illegal] = at.CLASSES.index("illegal")
    return classes


CLASS_OF = _class_of_operations()
"""Timing class (index into ``CLASSES``) of each operation."""

# Extra execute cycles of the T13 by class: microarchitecture.md section 1 (exact).
_T13_EXTRA_CYCLES = {"load": 1, "mulh": 2, "csr": 2, "amo": 3}


def _extra_by_operation(architecture: Architecture) -> npt.NDArray[np.int64]:
    core, latency = architecture.core, architecture.core.latency
    extra = np.zeros(op.OP_COUNT, dtype=np.int64)
    for row in INSTRUCTIONS:
        if row.timing_class == "div" and core.divider is not None:
            # A divider whose cycles depend on its operands is not in the table.
            extra[row.number] = DIVIDER_CYCLES.get(core.divider, 1) - 1
        elif latency is None:
            extra[row.number] = _T13_EXTRA_CYCLES.get(row.timing_class, 0)
        elif row.timing_class in ("kmem", "kdsp"):
            extra[row.number] = latency.vector - 1
        else:
            extra[row.number] = latency[row.timing_class] - 1
    if latency is not None:
        extra[op.NOP] = extra[op.ADDI]
        extra[op.FENCE_I] = latency["fence-i"] - 1
        extra += latency.fetch
        extra[list(REDIRECTING)] += latency.fetch_redirect
    return extra


def _enabled(architecture: Architecture) -> frozenset[Extension]:
    extensions = set(ALL_EXTENSIONS)
    if architecture.vcu is not None:
        extensions |= {name for name in OPTIONAL_EXTENSIONS if name in architecture.vcu.extensions}
    if architecture.vcu is None:
        extensions -= {"kmem", "kdsp"}
    if architecture.core.model != "t13":
        extensions -= {"A"}
    return frozenset(extensions)


def pack(words: npt.NDArray[np.uint32], architecture: Architecture) -> Packed:
    """Decode words into packed entries, with the decode quirks of the machine applied."""
    quirks = architecture.core.quirks
    extensions = _enabled(architecture)
    decoded = decode_words(words, extensions)
    number = decoded["number"].astype(np.int64)
    rd = decoded["rd"].astype(np.int64)
    rs1 = decoded["rs1"].astype(np.int64)
    rs2 = decoded["rs2"].astype(np.int64)
    imm = decoded["imm"].astype(np.int64)
    word = words.astype(np.int64)
    opcode = word & 0x7F
    funct3 = (word >> 12) & 7
    field_rd = (word >> 7) & 31

    csr = (number >= 0) & np.isin(number, _numbers("csr")) & (opcode == _OPCODE_SYSTEM)
    imm = np.where(csr, decoded["csr"].astype(np.int64), imm)
    rs1 = np.where(csr, (word >> 15) & 31, rs1)

    if quirks.slli_ignores_funct7:
        loose = (opcode == _OPCODE_OP_IMM) & (funct3 == 1) & (number < 0)
        number[loose] = op.SLLI
        rd[loose] = field_rd[loose]
        rs1[loose] = (word[loose] >> 15) & 31
        imm[loose] = (word[loose] >> 20) & 31
    if quirks.amo_ignores_funct5:
        loose = (opcode == _OPCODE_AMO) & (funct3 == 2)
        number[loose] = op.AMOSWAP
        rd[loose] = field_rd[loose]
        rs1[loose] = (word[loose] >> 15) & 31
        rs2[loose] = (word[loose] >> 20) & 31
        imm[loose] = 0
    if quirks.op_rd_x0_is_nop:
        number[((opcode == _OPCODE_OP) | (opcode == _OPCODE_OP_IMM)) & (field_rd == 0)] = op.NOP
    discards = np.isin(number, _numbers("alu")) & (field_rd == 0)
    number[discards] = op.NOP
    if quirks.load_rd_x0_is_nop:
        legal_load = (opcode == _OPCODE_LOAD) & (number >= 0)
        number[legal_load & (field_rd == 0)] = op.LOAD_X0
    if quirks.csr_set_clear_x0_is_nop:
        set_clear = (op.CSRRS, op.CSRRC, op.CSRRSI, op.CSRRCI)
        number[np.isin(number, set_clear) & (field_rd == 0)] = op.NOP

    illegal = number < 0
    number[illegal] = op.ILLEGAL
    if architecture.core.model == "t13":
        number[illegal & ((opcode == _OPCODE_LOAD) | (opcode == _OPCODE_STORE))] = op.ILLEGAL_LSU
        waits = (opcode == _OPCODE_AMO) | (opcode == _OPCODE_KMEM)
        number[illegal & waits] = op.ILLEGAL_KMEM
        if architecture.vcu is not None:
            number[illegal & (opcode == _OPCODE_KDSP)] = op.ILLEGAL_KDSP
    imm = np.where(illegal, word, imm)
    vector = np.isin(number, _numbers("kmem", "kdsp"))
    extra = _extra_by_operation(architecture)[number]
    extra = np.where((number == op.AMOSWAP) & (field_rd == 0), np.minimum(extra, 1), extra)
    target = np.where((rd == 0) & ~vector, at.SINK, rd)
    low = number | (target << 8) | (rs1 << 14) | (rs2 << 19) | (extra << 24)
    packed: Packed = low | (imm << 32)
    return packed


def _numbers(*classes: str) -> list[int]:
    return [row.number for row in INSTRUCTIONS if row.timing_class in classes]


def _interruptible() -> npt.NDArray[np.bool_]:
    table = np.ones(op.OP_COUNT, dtype=np.bool_)
    for number in [op.LB, op.LH, op.LW, op.LBU, op.LHU, op.SB, op.SH, op.AMOSWAP, op.ILLEGAL_KDSP]:
        table[number] = False
    table[_numbers("kmem", "kdsp")] = False
    return table


INTERRUPTIBLE = _interruptible()
"""Operations that look at pending interrupts: those that go through the integer unit, and sw.

Source: microarchitecture.md section 3. Vector instructions look only when they are retried.
"""
