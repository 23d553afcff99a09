"""Instruction numbers as the engine sees them: the ISA table's rows, then the engine's own."""

from __future__ import annotations

from typing import Final

from gnomon.isa import INSTRUCTIONS, number

LUI: Final = number("lui")
AUIPC: Final = number("auipc")
JAL: Final = number("jal")
JALR: Final = number("jalr")
BEQ: Final = number("beq")
BNE: Final = number("bne")
BLT: Final = number("blt")
BGE: Final = number("bge")
BLTU: Final = number("bltu")
BGEU: Final = number("bgeu")
LB: Final = number("lb")
LH: Final = number("lh")
LW: Final = number("lw")
LBU: Final = number("lbu")
LHU: Final = number("lhu")
SB: Final = number("sb")
SH: Final = number("sh")
SW: Final = number("sw")
ADDI: Final = number("addi")
SLTI: Final = number("slti")
SLTIU: Final = number("sltiu")
XORI: Final = number("xori")
ORI: Final = number("ori")
ANDI: Final = number("andi")
SLLI: Final = number("slli")
SRLI: Final = number("srli")
SRAI: Final = number("srai")
ADD: Final = number("add")
SUB: Final = number("sub")
SLL: Final = number("sll")
SLT: Final = number("slt")
SLTU: Final = number("sltu")
XOR: Final = number("xor")
SRL: Final = number("srl")
SRA: Final = number("sra")
OR: Final = number("or")
AND: Final = number("and")
FENCE: Final = number("fence")
FENCE_I: Final = number("fence.i")
ECALL: Final = number("ecall")
EBREAK: Final = number("ebreak")
MRET: Final = number("mret")
WFI: Final = number("wfi")
MUL: Final = number("mul")
MULH: Final = number("mulh")
MULHSU: Final = number("mulhsu")
MULHU: Final = number("mulhu")
DIV: Final = number("div")
DIVU: Final = number("divu")
REM: Final = number("rem")
REMU: Final = number("remu")
CSRRW: Final = number("csrrw")
CSRRS: Final = number("csrrs")
CSRRC: Final = number("csrrc")
CSRRWI: Final = number("csrrwi")
CSRRSI: Final = number("csrrsi")
CSRRCI: Final = number("csrrci")
AMOSWAP: Final = number("amoswap.w")
KMEMLD: Final = number("kmemld")
KMEMSTR: Final = number("kmemstr")
KBCASTLD: Final = number("kbcastld")
KADDV: Final = number("kaddv")
KSUBV: Final = number("ksubv")
KVMUL: Final = number("kvmul")
KVRED: Final = number("kvred")
KDOTP: Final = number("kdotp")
KDOTPPS: Final = number("kdotpps")
KSVADDSC: Final = number("ksvaddsc")
KSVADDRF: Final = number("ksvaddrf")
KSVMULSC: Final = number("ksvmulsc")
KSVMULRF: Final = number("ksvmulrf")
KSRAV: Final = number("ksrav")
KSRLV: Final = number("ksrlv")
KRELU: Final = number("krelu")
KVSLT: Final = number("kvslt")
KSVSLT: Final = number("ksvslt")
KBCAST: Final = number("kbcast")
KVCP: Final = number("kvcp")
KVDIV: Final = number("kvdiv")
KSVDIVSC: Final = number("ksvdivsc")
KSVDIVRF: Final = number("ksvdivrf")
KVREM: Final = number("kvrem")
KSVREMSC: Final = number("ksvremsc")
KSVREMRF: Final = number("ksvremrf")
KVMULPS: Final = number("kvmulps")
KSVMULPSSC: Final = number("ksvmulpssc")
KSVMULPSRF: Final = number("ksvmulpsrf")
KVDIVPS: Final = number("kvdivps")
KSVDIVPSSC: Final = number("ksvdivpssc")
KSVDIVPSRF: Final = number("ksvdivpsrf")

# What the engine adds: encodings the machine treats in its own way, and its own marks.
NOP: Final = len(INSTRUCTIONS)  # ALU result thrown away
LOAD_X0: Final = NOP + 1  # load to x0: no bus access, but waits for the LSU
ILLEGAL: Final = NOP + 2
ILLEGAL_LSU: Final = NOP + 3  # LOAD or STORE opcode: waits for the LSU first
ILLEGAL_KMEM: Final = NOP + 4  # KMEM or AMO opcode: waits for LSU and VCU first
ILLEGAL_KDSP: Final = NOP + 5  # is retried while the VCU is busy, like a legal one
STALE: Final = NOP + 6  # the word was written; decode it again
HOT: Final = NOP + 7  # a translated block starts here
MARKED: Final = NOP + 8  # a region starts or ends here
WATCHED: Final = NOP + 9  # may leave a function, or writes the stack pointer: recorded
WATCHED_MARKED: Final = NOP + 10  # both
NO_FETCH: Final = NOP + 11  # outside the instruction memory
OP_COUNT: Final = NOP + 12

# The engine tests for families by range; the table must keep them together.
for _first, _last, _count in (
    (JAL, BGEU, 8),
    (LB, LHU, 5),
    (SB, SW, 3),
    (CSRRW, CSRRCI, 6),
    (KADDV, KVCP, 17),
    (KVCP, KSVDIVPSRF, 13),  # the extensions follow the vector instructions of the public RTL
    (KVDIV, KSVREMRF, 6),
    (KVMULPS, KSVMULPSRF, 3),
):
    assert _last - _first == _count - 1
assert LW - LB == SW - SB == 2
