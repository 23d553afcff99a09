"""What the vector division and the post-scaled product compute, one 32-bit lane at a time.

Operands and results are signed 32-bit values. Source: measurements of klessydra/Morph e3f0dcbd.
"""

from dataclasses import dataclass

_M32 = 0xFFFFFFFF
_LARGEST = 0x7FFFFFFF
_SMALLEST = -0x80000000


def wrap32(value: int) -> int:
    """Keep the low 32 bits, as a signed word."""
    return ((value & _M32) ^ 0x80000000) - 0x80000000


@dataclass(frozen=True, slots=True)
class Lane:
    """A lane, as its instructions are meant, or with quirks of the public Morph RTL.

    ``zero_as_riscv``: a choice of the machine file: x / 0 is -1 and x rem 0 is x, both else 0.
    """

    drops_signs: bool = False  # quotients and remainders are those of the magnitudes
    zero_as_riscv: bool = False
    reads_unsigned: bool = False  # post-scaled products read their operands without sign

    def quotient(self, dividend: int, divisor: int) -> int:
        """Towards zero; -2**31 / -1 is -2**31."""
        if divisor == 0:
            return -1 if self.zero_as_riscv else 0
        quotient = abs(dividend) // abs(divisor)
        negative = (dividend < 0) != (divisor < 0) and not self.drops_signs
        return wrap32(-quotient if negative else quotient)

    def remainder(self, dividend: int, divisor: int) -> int:
        """With the sign of the dividend."""
        if divisor == 0:
            return dividend if self.zero_as_riscv else 0
        remainder = abs(dividend) % abs(divisor)
        return wrap32(-remainder if dividend < 0 and not self.drops_signs else remainder)

    def post_scaled_product(self, a: int, b: int, shift: int) -> int:
        """Low 32 bits of floor(a * b / 2**shift), the product in full; shift 0 to 31."""
        if self.reads_unsigned:
            return wrap32(((a & _M32) * (b & _M32)) >> shift)
        return wrap32((a * b) >> shift)

    @staticmethod
    def pre_shifted_quotient(dividend: int, divisor: int, shift: int) -> int:
        """(dividend << shift) / divisor towards zero, saturated; shift 0 to 31. gnomon's proposal.

        x / 0 is the largest or smallest value, by the sign of x; 0 / 0 is 0.
        """
        negative = dividend < 0
        if divisor == 0:
            return 0 if dividend == 0 else _SMALLEST if negative else _LARGEST
        quotient = (abs(dividend) << shift) // abs(divisor)
        if negative != (divisor < 0):
            quotient = -quotient
        return min(max(quotient, _SMALLEST), _LARGEST)
