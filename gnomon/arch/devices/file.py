"""``device.yaml``: descriptions of devices in the folders ``devices/<name>/``."""

from typing import Annotated, Final, Literal

from pydantic import AfterValidator, BeforeValidator, Field, field_validator

from gnomon.arch._values import Size
from gnomon.arch.units.file import ParameterKeys
from gnomon.base.schema import Section, Version, key, none_word, version_key
from gnomon.base.units import Bytes

MOST_BYTES: Final = 1 << 20
_MOST_PARAMETERS = 12
_FILE_NAME: Final = r"^[A-Za-z0-9_][A-Za-z0-9_.-]*\.(c|py)$"
_PARAMETER: Final = r"^[a-z][a-z0-9]*(_[a-z0-9]+)*$"


class DevicePriceKeys(Section):
    """Stated energy of an access."""

    read: float = key("energy of a read of a word or a part of it", unit="pJ", ge=0)
    write: float = key("energy of a write", unit="pJ", ge=0)
    source: str = key("source of the figures", min_length=1)


def _check_size(size: Bytes) -> Bytes:
    if size % 4 or not 4 <= size <= MOST_BYTES:
        raise ValueError(f"must be a multiple of 4, from 4 B to 1 MiB, not {int(size)} B")
    return size


class DeviceFile(Section):
    """Content of ``device.yaml``."""

    schema_version: Version = version_key()
    title: str = key("one human-readable line", min_length=1)
    source: str = key("origin of the device and of its timing", min_length=1)
    code: str = key(
        "C file with the functions device_read and device_write, or Python file with a class Device"
        " that has methods read and write",
        pattern=_FILE_NAME,
        allowed="the name of a file NAME.c or NAME.py in the same folder",
    )
    size: Annotated[Size, AfterValidator(_check_size)] = key(
        "addresses that it occupies", unit="bytes", allowed="a multiple of 4 B, at most 1 MiB"
    )
    width: Literal["any", "word"] = key(
        "any = loads and stores of 8, 16 and 32 bits; word = those of 32 bits alone, and any other"
        " stops the run",
        default="any",
    )
    interrupt: bool = key("it can request an interrupt: its code has level and next", default=False)
    master: bool = key(
        "it accesses the memory itself, on a port of its own: its code has step and next",
        default=False,
    )
    parameters: dict[Annotated[str, Field(pattern=_PARAMETER)], ParameterKeys] = key(
        "numbers that a machine sets: macro DEVICE_<NAME> in C, argument of the class in Python",
        default={},
    )
    price: Annotated[DevicePriceKeys | None, BeforeValidator(none_word)] = key(
        "energy per access, in pJ; none = the energy of programs that access it is unavailable",
        default=None,
    )

    @field_validator("parameters")
    @classmethod
    def _few(cls, given: dict[str, ParameterKeys]) -> dict[str, ParameterKeys]:
        if len(given) > _MOST_PARAMETERS:
            raise ValueError(f"at most {_MOST_PARAMETERS} parameters, not {len(given)}")
        return given
