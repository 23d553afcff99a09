"""Values with a text form of their own: sizes, frequencies, start addresses, table names."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BeforeValidator, Field, PlainValidator
from pydantic_core import PydanticCustomError

from gnomon.arch._problems import shown
from gnomon.base.errors import GnomonError
from gnomon.base.units import Bytes, Hertz, format_frequency, parse_frequency, parse_size


def _size(value: object) -> Bytes:
    try:
        return parse_size(value)
    except GnomonError as error:
        raise ValueError(str(error)) from None


def _frequency(value: object) -> Hertz:
    try:
        frequency = parse_frequency(value)
    except GnomonError as error:
        raise ValueError(str(error)) from None
    if not 0 < frequency <= 10**11:
        raise ValueError(f"must be above 0 and at most 100 GHz, not {format_frequency(frequency)}")
    return frequency


def none_word(value: object) -> object:
    """``none`` and YAML's own null mean the same."""
    return None if value == "none" else value


def _reset_pc(value: object) -> int | Literal["entry"]:
    if value == "entry":
        return "entry"
    if type(value) is not int or not 0 <= value < 2**32:
        raise ValueError(f"must be a 32-bit address such as 0x80, or 'entry', not {shown(value)}")
    return value


def _post_scale(value: object) -> int | Literal["mpsclfac"]:
    if value == "mpsclfac":
        return "mpsclfac"
    if type(value) is not int or not 0 <= value <= 31:
        raise ValueError(f"must be 0 to 31 bits, or 'mpsclfac', not {shown(value)}")
    return value


def names_tuple(value: object) -> object:
    """YAML gives lists; a frozen machine holds tuples."""
    return tuple(value) if isinstance(value, list) else value


def plain_text(text: str) -> str:
    """Refuse characters that would garble a terminal or a report."""
    if not text.isprintable():
        raise PydanticCustomError("not_allowed", "not printable")
    return text


def whole_number(value: object) -> object:
    """Refuse ``true`` and ``4.0``, which compare equal to 1 and 4 in a list of allowed values."""
    if type(value) is not int:
        raise PydanticCustomError("not_allowed", "not a whole number")
    return value


Size = Annotated[Bytes, PlainValidator(_size)]
Frequency = Annotated[Hertz, PlainValidator(_frequency)]
ResetPc = Annotated[int | Literal["entry"], PlainValidator(_reset_pc)]
PostScale = Annotated[int | Literal["mpsclfac"], PlainValidator(_post_scale)]
TableName = Annotated[
    Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]*$", max_length=64)] | None,
    BeforeValidator(none_word),
]
