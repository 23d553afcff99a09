"""What the decode stage makes of a word: the unit it goes to and its fields."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

# Opcodes, bits 6:0.
LOAD, STORE, AMO, KMEM, KDSP = 0x03, 0x23, 0x2F, 0x0B, 0x2B
OP, OP_IMM, LUI, AUIPC, JAL, JALR, BRANCH = 0x33, 0x13, 0x37, 0x17, 0x6F, 0x67, 0x63
MISC_MEM, SYSTEM = 0x0F, 0x73

RETRY_WORD = 0x0000_006F  # jal x0, 0: what a vector instruction becomes when its VCU is busy

_SYSTEM_WORDS = {
    0x0000_0073: "ecall",
    0x0010_0073: "ebreak",
    0x3020_0073: "mret",
    0x1050_0073: "wfi",
}
_LOADS = {0: "lb", 1: "lh", 2: "lw", 4: "lbu", 5: "lhu"}
_STORES = {0: "sb", 1: "sh", 2: "sw"}
_CSR = {1: "rw", 2: "rs", 3: "rc", 5: "rw", 6: "rs", 7: "rc"}
_OP_BASE = {0: "add", 1: "sll", 2: "slt", 3: "sltu", 4: "xor", 5: "srl", 6: "or", 7: "and"}
_OP_MULDIV = ["mul", "mulh", "mulhsu", "mulhu", "div", "divu", "rem", "remu"]
_BRANCHES = {0: "beq", 1: "bne", 4: "blt", 5: "bge", 6: "bltu", 7: "bgeu"}


@dataclass(frozen=True, slots=True)
class Decoded:
    """``kind`` names the unit's job; ``name`` the operation within it."""

    word: int
    opcode: int
    kind: str
    name: str
    rd: int
    rs1: int
    rs2: int
    funct3: int
    funct7: int
    imm: int


def sign_extend(value: int, bits: int) -> int:
    sign = 1 << (bits - 1)
    return (value & (sign - 1)) - (value & sign)


def _immediate(word: int, opcode: int) -> int:
    if opcode in {LUI, AUIPC}:
        return word & 0xFFFF_F000
    if opcode == JAL:
        raw = (word >> 31 & 1) << 20 | (word >> 12 & 0xFF) << 12
        return sign_extend(raw | (word >> 20 & 1) << 11 | (word >> 21 & 0x3FF) << 1, 21)
    if opcode == BRANCH:
        raw = (word >> 31 & 1) << 12 | (word >> 7 & 1) << 11
        return sign_extend(raw | (word >> 25 & 0x3F) << 5 | (word >> 8 & 0xF) << 1, 13)
    if opcode == STORE:
        return sign_extend((word >> 25) << 5 | (word >> 7 & 0x1F), 12)
    return sign_extend(word >> 20, 12)


def _integer(opcode: int, rd: int, funct3: int, funct7: int) -> tuple[str, str]:
    if rd == 0:  # even an encoding that is illegal otherwise
        return "nop", "nop"
    if opcode == OP and funct7 == 1:
        return "muldiv", _OP_MULDIV[funct3]
    name = _OP_BASE[funct3]
    if funct3 == 5 or (funct3 == 0 and opcode == OP):
        if funct7 == 0x20:
            return "alu", {"srl": "sra", "add": "sub"}[name]
        return ("alu", name) if funct7 == 0 else ("illegal", "illegal")
    if opcode == OP and funct7 != 0:  # funct7 of slli is not looked at
        return "illegal", "illegal"
    return "alu", name


def _system(word: int, rd: int, funct3: int) -> tuple[str, str]:
    if word in _SYSTEM_WORDS:
        return "system", _SYSTEM_WORDS[word]
    action = _CSR.get(funct3)
    if action is None:
        return "illegal", "illegal"
    if action != "rw" and rd == 0:  # set and clear need a destination, or nothing happens
        return "nop", "nop"
    return "csr", action


def _classify(word: int, opcode: int, rd: int, funct3: int, funct7: int) -> tuple[str, str]:
    illegal = ("illegal", "illegal")
    if opcode in {OP, OP_IMM}:
        return _integer(opcode, rd, funct3, funct7)
    if opcode == LOAD:
        if rd == 0:
            return "nop", "nop"
        return ("load", _LOADS[funct3]) if funct3 in _LOADS else illegal
    if opcode == STORE:
        return ("store", _STORES[funct3]) if funct3 in _STORES else illegal
    if opcode == BRANCH:
        return ("branch", _BRANCHES[funct3]) if funct3 in _BRANCHES else illegal
    if opcode == AMO:
        return ("amo", "amoswap") if funct3 == 2 else illegal
    if opcode == MISC_MEM:
        return ("nop", "fence") if funct3 in {0, 1} else illegal
    if opcode == SYSTEM:
        return _system(word, rd, funct3)
    simple = {LUI: "lui", AUIPC: "auipc", JAL: "jal", JALR: "jalr", KMEM: "kmem", KDSP: "kdsp"}
    return (simple[opcode], simple[opcode]) if opcode in simple else illegal


@cache
def decode(word: int) -> Decoded:
    opcode, rd, funct3 = word & 0x7F, word >> 7 & 0x1F, word >> 12 & 7
    funct7 = word >> 25
    kind, name = _classify(word, opcode, rd, funct3, funct7)
    return Decoded(
        word=word,
        opcode=opcode,
        kind=kind,
        name=name,
        rd=rd,
        rs1=word >> 15 & 0x1F,
        rs2=word >> 20 & 0x1F,
        funct3=funct3,
        funct7=funct7,
        imm=_immediate(word, opcode),
    )
