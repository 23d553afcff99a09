"""Values with their own text form: sizes, frequencies, start addresses, table names."""

from typing import Annotated, Literal

from pydantic import BeforeValidator, Field, PlainValidator
from pydantic_core import PydanticCustomError

from gnomon.base.schema import given, none_word
from gnomon.base.units import Bytes, Hertz, format_frequency, parse_frequency, parse_size
from gnomon.base.yaml import shown


def _parse_frequency(value: object) -> Hertz:
    frequency = parse_frequency(value)
    if not 0 < frequency <= 10**11:
        raise ValueError(f"must be above 0 and at most 100 GHz, not {format_frequency(frequency)}")
    return frequency


def _parse_reset_pc(value: object) -> int | Literal["entry"]:
    if value == "entry":
        return "entry"
    if type(value) is not int or not 0 <= value < 2**32:
        raise ValueError(f"must be a 32-bit address such as 0x80, or 'entry', not {shown(value)}")
    return value


def _parse_post_scale(value: object) -> int | Literal["mpsclfac"]:
    if value == "mpsclfac":
        return "mpsclfac"
    if type(value) is not int or not 0 <= value <= 31:
        raise ValueError(f"must be 0 to 31 bits, or 'mpsclfac', not {shown(value)}")
    return value


def check_printable(text: str) -> str:
    """Reject characters that would garble a terminal or a report."""
    if not text.isprintable():
        raise PydanticCustomError("not_allowed", "not printable")
    return text


Size = Annotated[Bytes, PlainValidator(given(parse_size))]
Frequency = Annotated[Hertz, PlainValidator(given(_parse_frequency))]
ResetPc = Annotated[int | Literal["entry"], PlainValidator(_parse_reset_pc)]
PostScale = Annotated[int | Literal["mpsclfac"], PlainValidator(_parse_post_scale)]
TableName = Annotated[
    Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]*$", max_length=64)] | None,
    BeforeValidator(none_word),
]
