"""Sizes and frequencies: integers that know their unit, and their texts.

Binary prefixes for bytes (``4 KiB``), decimal ones for hertz (``100 MHz``). A number without
a unit is rejected: 256 could mean bytes or kilobytes.
"""

import re
from collections.abc import Iterable, Mapping
from fractions import Fraction

from gnomon.base.errors import GnomonError, did_you_mean


class _Quantity(int):
    __slots__ = ()

    def __repr__(self) -> str:
        return f"{type(self).__name__}({int(self)})"


class Bytes(_Quantity):
    """A size in bytes."""

    __slots__ = ()


class Hertz(_Quantity):
    """A frequency in hertz."""

    __slots__ = ()


_SIZE_UNITS = {"B": 1, "KiB": 2**10, "MiB": 2**20, "GiB": 2**30}
_FREQUENCY_UNITS = {"Hz": 1, "kHz": 10**3, "MHz": 10**6, "GHz": 10**9}
# Twelve digits before and after the point are more than any machine needs, and limit the
# arithmetic below for any file content.
SHORT = r"(?s:(?=.{0,300}\Z))"
"""Start of a pattern for user input; on longer texts matching takes quadratic time."""
_QUANTITY = re.compile(r"([0-9]{1,12}(?:\.[0-9]{1,12})?)[ ]*([A-Za-z]+)", re.ASCII)


def parse_size(value: object) -> Bytes:
    """Return the bytes that a text such as ``"4 KiB"`` or ``"4096 B"`` means.

    Raises:
        GnomonError: if it is not a text with a known unit, or not a whole number of bytes.
    """
    if isinstance(value, Bytes):
        return value
    return Bytes(_parse_quantity(value, _SIZE_UNITS, "size", "bytes", "4 KiB"))


def parse_frequency(value: object) -> Hertz:
    """Return the hertz that a text such as ``"100 MHz"`` or ``"32.768 kHz"`` means.

    Raises:
        GnomonError: if it is not a text with a known unit, or not a whole number of hertz.
    """
    if isinstance(value, Hertz):
        return value
    return Hertz(_parse_quantity(value, _FREQUENCY_UNITS, "frequency", "hertz", "100 MHz"))


def format_size(size_bytes: int) -> str:
    """Write a size with the largest unit that divides it: ``format_size(4096) == "4 KiB"``."""
    return _format_quantity(size_bytes, _SIZE_UNITS)


def format_frequency(frequency_hz: int) -> str:
    """Write a frequency with the largest unit that divides it, such as ``"100 MHz"``."""
    return _format_quantity(frequency_hz, _FREQUENCY_UNITS)


def microseconds(cycles: float, clock_hz: float) -> float:
    """Return the microseconds of some cycles; a single division, so rounded only once."""
    return cycles * 10**6 / clock_hz


def meets_limit(figure: float, limit: Fraction | float, *, at_most: bool = True) -> bool:
    """Return whether a figure meets a limit in the same unit, the limit itself included.

    Whole numbers are compared with the exact limit. Other figures are the double nearest to the
    measured value, so they are compared with the double nearest to the limit: a figure that a tool
    prints meets a limit that is written the same.
    """
    bound = limit if isinstance(figure, int) else float(limit)
    return figure <= bound if at_most else figure >= bound


_PREFIXES = {
    "n": Fraction(1, 10**9), "u": Fraction(1, 10**6), "µ": Fraction(1, 10**6),
    "m": Fraction(1, 1000), "": Fraction(1), "k": Fraction(1000),
}  # fmt: skip


def prefixed(unit: str, scale: int, prefixes: str = "nuµm") -> dict[str, Fraction]:
    """Return a unit with and without prefixes, and the value of each in the base unit.

    ``scale`` of the base unit are one ``unit``.
    """
    names = sorted((*prefixes, ""), key=lambda prefix: _PREFIXES[prefix])
    return {f"{prefix}{unit}": _PREFIXES[prefix] * scale for prefix in names}


def alike_unit(unit: str, units: Iterable[str]) -> str:
    """Return ", did you mean 'x'?" for the unit that differs in capitals or ``i``, or the nearest.

    A unit of one or two letters with an unknown prefix has no nearest unit: not J for pJ.
    """
    units, word = list(units), unit.casefold()
    alike = [known for known in units if known.casefold() in (word, f"{word[:1]}i{word[1:]}")]
    if alike:
        return f", did you mean {alike[0]!r}?"
    return did_you_mean(unit, units) if len(unit) > 2 else ""


def short_number(value: float) -> str:
    """Return a number for tables: whole from 100 on, else with three significant digits."""
    return f"{value:,.0f}" if abs(value) >= 100 else f"{value:.3g}"


def suited_unit(
    value: float, scales: Mapping[str, Fraction], names: Iterable[str]
) -> tuple[float, str]:
    """Return a value in the largest unit that it reaches; ``names`` are from small to large."""
    units = [(float(scales[name]), name) for name in names]
    scale, name = next((pair for pair in reversed(units) if abs(value) >= pair[0]), units[0])
    return value / scale, name


def _parse_quantity(
    value: object, units: dict[str, int], quantity: str, whole: str, example: str
) -> int:
    known = f"(units: {', '.join(units)}"
    if not isinstance(value, str):
        words: dict[object, str] = {None: "none", True: "true", False: "false"}
        shown = words[value] if value is None or isinstance(value, bool) else repr(value)
        shown = shown if len(shown) <= 40 else shown[:37] + "..."
        raise GnomonError(f"a {quantity} needs its unit, as in '{example}'; got {shown} {known})")
    text = value.strip()
    shown = repr(text) if len(text) <= 40 else repr(text[:37] + "...")
    match = _QUANTITY.fullmatch(text)
    if match is None:
        raise GnomonError(
            f"{shown} is not a {quantity}; write a number and its unit, as in '{example}' {known})"
        )
    number, unit = match.groups()
    if unit not in units:
        near = _suggest_unit(unit, units)
        raise GnomonError(f"{unit!r} in {shown} is not a unit of {quantity} {known}{near})")
    amount = Fraction(number) * units[unit]
    if amount.denominator != 1:
        raise GnomonError(f"{shown} is not a whole number of {whole}")
    return int(amount)


def _suggest_unit(unit: str, units: dict[str, int]) -> str:
    # KB, kb, K and mhz are common mistakes; their first letter identifies the intended unit.
    same_start = [known for known in units if known[0].lower() == unit[0].lower()]
    return f", did you mean {same_start[0]!r}?" if same_start else did_you_mean(unit, units)


def _format_quantity(amount: int, units: dict[str, int]) -> str:
    if amount == 0:
        return f"0 {next(iter(units))}"
    unit, scale = max((pair for pair in units.items() if amount % pair[1] == 0), key=lambda p: p[1])
    return f"{amount // scale} {unit}"


def counted(count: int, one: str, many: str | None = None) -> str:
    """``1 kernel``, ``3 kernels``."""
    return f"{count:,} {one if count == 1 else many or one + 's'}"
