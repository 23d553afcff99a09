"""The compressed instructions of RV32C: the expansion of each 16-bit word.

A compressed instruction behaves as its expansion, except that the address of the next instruction,
and so a link, is pc + 2.
"""

import re
from functools import cache
from typing import NamedTuple

from gnomon.base.errors import GnomonError
from gnomon.isa._encode import ABI_NAMES, encode
from gnomon.isa._instruction import table_rows


class Compressed(NamedTuple):
    """One form of a compressed instruction."""

    mnemonic: str
    # bits 15:0; `i` the immediate, `d` and `s` registers, `D` and `S` registers x8 to x15, written
    # as `d` and `s` in the expansion as well
    pattern: str
    immediate: str  # the bit of the immediate that each `i` is, from the left, as in the manual
    signed: bool  # whether the highest of them is the sign
    expansion: str  # mnemonic, then fields of `encode`: a letter, or the number itself
    # in the order of assembly text: the letters, the immediate as a `shift` amount, the `upper`
    # bits of a word, or `to`, the target of a jump
    operands: str
    nonzero: str = ""  # the letters whose value must not be 0


@cache
def _read_forms() -> tuple[Compressed, ...]:
    return tuple(
        Compressed(**row | {"signed": row["signed"] == "yes"})  # type: ignore[arg-type]
        for row in table_rows("compressed.csv")
    )


@cache
def _parse_bit_ranges(ranges: str) -> tuple[int, ...]:
    """Return the bit numbers of ``"5:4 9"``, from the left: 5, 4, 9."""
    bits: list[int] = []
    for part in ranges.split():
        high, _, low = part.partition(":")
        bits += range(int(high), int(low or high) - 1, -1)
    return tuple(bits)


def _match_form(row: Compressed, halfword: int) -> dict[str, int] | None:
    """Return the value of each letter; None if the word does not have this form."""
    found: dict[str, str] = {}
    for letter, bit in zip(row.pattern.replace(" ", ""), f"{halfword:016b}", strict=True):
        if letter in "01":
            if letter != bit:
                return None
        else:
            found[letter] = found.get(letter, "") + bit
    values = {
        letter.lower(): int(bits, 2) + (8 if letter in "DS" else 0)
        for letter, bits in found.items()
    }
    if row.immediate:
        places = _parse_bit_ranges(row.immediate)
        value = sum(1 << place for place, bit in zip(places, found["i"], strict=True) if bit == "1")
        sign = 1 << max(places)
        values["i"] = (value ^ sign) - sign if row.signed else value
    return None if any(values[letter] == 0 for letter in row.nonzero) else values


def size_bytes(of: int | str) -> int:
    """Return the size of an instruction word in bytes; for an ISA name, its smallest size.

    A compressed instruction has 16 bits, and its last two bits are not both 1.
    """
    if isinstance(of, str):
        return 2 if of.partition("_")[0].endswith("c") else 4
    return 2 if of <= 0xFFFF and of & 3 != 3 else 4


@cache
def _find_form(halfword: int) -> tuple[Compressed, dict[str, int]] | None:
    if not 0 <= halfword <= 0xFFFF:
        raise GnomonError(f"a compressed instruction must be 0 to 0xffff, not {halfword:#x}")
    fitting = ((row, _match_form(row, halfword)) for row in _read_forms())
    return next(((row, values) for row, values in fitting if values is not None), None)


def expand(halfword: int) -> int | None:
    """Return the 32-bit equivalent of a compressed instruction; None if the word is invalid.

    Also None for forms of other machines (floating point, 64 bits) and reserved forms.

    Raises:
        GnomonError: if the word does not fit in 16 bits.
    """
    form = _find_form(halfword)
    if form is None:
        return None
    row, values = form
    mnemonic, *operands = row.expansion.split()
    fields = {
        field: values[value] if value in values else int(value)
        for field, value in (operand.split("=") for operand in operands)
    }
    if row.immediate:
        fields["imm"] = values["i"]
    return encode(mnemonic, **fields)


def compressed_text(halfword: int, pc: int) -> str | None:
    """Return the assembly text of a compressed instruction at ``pc``; None if it is invalid."""
    form = _find_form(halfword)
    if form is None:
        return None
    row, values = form
    imm = values.get("i", 0)
    shown = {letter: ABI_NAMES[values[letter]] for letter in "ds" if letter in values}
    shown |= {"i": f"{imm}", "shift": f"{imm:#x}", "upper": f"{imm >> 12 & 0xFFFFF:#x}",
              "to": f"{(pc + imm) & 0xFFFF_FFFF:#x}"}  # fmt: skip
    operands = re.sub(r"\w+", lambda name: shown.get(name[0], name[0]), row.operands)
    return f"{row.mnemonic} {operands}".rstrip()
