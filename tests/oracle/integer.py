"""Results and costs of the integer unit: arithmetic, comparisons, multiplication, division."""

from __future__ import annotations

MASK = 0xFFFF_FFFF

# Extra cycles in the execute stage. The divider is a 32-step restoring one, without an early exit.
EXTRA_CYCLES = {"mul": 0, "mulh": 2, "mulhsu": 2, "mulhu": 2}
DIVIDE_EXTRA_CYCLES = 33


def signed(value: int) -> int:
    return value - ((value & 0x8000_0000) << 1)


def alu(name: str, a: int, b: int) -> int:
    match name:
        case "add":
            return (a + b) & MASK
        case "sub":
            return (a - b) & MASK
        case "sll":
            return (a << (b & 31)) & MASK
        case "slt":
            return int(signed(a) < signed(b))
        case "sltu":
            return int(a < b)
        case "xor":
            return a ^ b
        case "srl":
            return a >> (b & 31)
        case "sra":
            return (signed(a) >> (b & 31)) & MASK
        case "or":
            return a | b
        case "and":
            return a & b
    raise AssertionError(name)


def branch_taken(name: str, a: int, b: int) -> bool:
    match name:
        case "beq":
            return a == b
        case "bne":
            return a != b
        case "blt":
            return signed(a) < signed(b)
        case "bge":
            return signed(a) >= signed(b)
        case "bltu":
            return a < b
        case "bgeu":
            return a >= b
    raise AssertionError(name)


def _divide_signed(a: int, b: int) -> tuple[int, int]:
    """Quotient rounded towards zero, and the remainder with the sign of the dividend."""
    if b == 0:
        return -1, a
    quotient = abs(a) // abs(b)
    if (a < 0) != (b < 0):
        quotient = -quotient
    return quotient, a - quotient * b


def muldiv(name: str, a: int, b: int) -> tuple[int, int]:
    """Result and extra execute cycles of an M instruction."""
    match name:
        case "mul":
            result = a * b
        case "mulh":
            result = (signed(a) * signed(b)) >> 32
        case "mulhsu":
            result = (signed(a) * b) >> 32
        case "mulhu":
            result = (a * b) >> 32
        case "div":
            result = _divide_signed(signed(a), signed(b))[0]
        case "rem":
            result = _divide_signed(signed(a), signed(b))[1]
        case "divu":
            result = a // b if b else MASK
        case "remu":
            result = a % b if b else a
        case _:
            raise AssertionError(name)
    return result & MASK, EXTRA_CYCLES.get(name, DIVIDE_EXTRA_CYCLES)
