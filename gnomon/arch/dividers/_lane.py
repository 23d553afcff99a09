"""Results of a lane of the vector division: whole numbers in and out."""

from typing import NamedTuple


class Lane(NamedTuple):
    """The results of vector division, as its instructions are defined, or as the public Morph RTL.

    Operands and results are signed 32-bit values. Source: measurements of klessydra/Morph e3f0dcbd.

    ``zero_as_riscv``: set by the machine file: x / 0 is -1 and x rem 0 is x; else both are 0.
    """

    drops_signs: bool = False  # quotients and remainders are those of the magnitudes
    zero_as_riscv: bool = False

    def quotient(self, dividend: int, divisor: int) -> int:
        """Return the quotient, rounded towards zero; -2**31 / -1 is -2**31."""
        if divisor == 0:
            return -1 if self.zero_as_riscv else 0
        quotient = abs(dividend) // abs(divisor)
        negative = (dividend < 0) != (divisor < 0) and not self.drops_signs
        return _wrap_to_word(-quotient if negative else quotient)

    def remainder(self, dividend: int, divisor: int) -> int:
        """Return the remainder, with the sign of the dividend."""
        if divisor == 0:
            return dividend if self.zero_as_riscv else 0
        remainder = abs(dividend) % abs(divisor)
        return _wrap_to_word(-remainder if dividend < 0 and not self.drops_signs else remainder)


def _wrap_to_word(value: int) -> int:
    """Return the low 32 bits as a signed word."""
    return ((value & 0xFFFF_FFFF) ^ 0x8000_0000) - 0x8000_0000
