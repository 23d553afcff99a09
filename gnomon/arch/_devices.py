"""The devices of a machine, at addresses outside of its memories."""

import re
from collections.abc import Iterable
from typing import Annotated, ClassVar, Literal

from pydantic import AfterValidator, BeforeValidator, ValidationInfo, field_validator

from gnomon.arch._memory import RESERVED, Span, check_apart
from gnomon.base.schema import (
    NAME_ALLOWED,
    NAME_PATTERN,
    ProblemAt,
    Problems,
    Section,
    key,
    none_word,
)

MOST_DEVICES = 8
_UART_REGISTERS = 8
_CLINT_BYTES = 0xC000
MOST_EVERY = 1 << 32


class Device(Section):
    """One device: its kind and its address."""

    rejected: ClassVar[dict[str, str]] = {
        "size": "not a key: the kind of the device gives its length",
        "waits": "not modeled: a device has the wait states of an address outside of all regions",
        "interrupt": "not modeled: an ns16550 requests no interrupt (poll its line status "
        "register); a clint requests the timer and the software interrupt",
        "baud": "not modeled: the transmitter of an ns16550 is always ready",
    }

    kind: Literal["clint", "ns16550"] = key(
        "clint = mtime, mtimecmp, msip: timer and software interrupts; ns16550 = a UART that "
        "transmits: its bytes are the text that the run prints"
    )
    base: int = key("first byte address", unit="address", ge=0, lt=2**32)
    stride: Literal[1, 4] = key(
        "from one register of an ns16550 to the next", unit="bytes", default=1
    )

    every: int | None = key(
        "of a clint, which needs it: cycles of one count of mtime",
        unit="cycles",
        default=None,
        ge=1,
        le=MOST_EVERY,
        validate_default=True,
    )

    @field_validator("every", mode="before")
    @classmethod
    def _of_clint(cls, every: object, info: ValidationInfo) -> object:
        every, kind = none_word(every), info.data.get("kind")
        if kind == "clint" and every is None:
            raise ValueError(f"must not be none for a clint (allowed: 1 to {MOST_EVERY}; 1 = mtime "
                             "counts cycles)")  # fmt: skip
        if kind == "ns16550" and every is not None:
            raise ValueError("must be none for an ns16550: only a clint has mtime")
        return every

    @field_validator("base")
    @classmethod
    def _aligned(cls, base: int) -> int:
        if base % 4:
            raise ValueError(f"must be a multiple of 4, not 0x{base:X}")
        return base

    @property
    def size_bytes(self) -> int:
        """Bytes of the address space that it occupies."""
        return _CLINT_BYTES if self.kind == "clint" else _UART_REGISTERS * self.stride

    def span(self, name: str) -> Span:
        """Return its addresses, with a name for messages."""
        return Span(name, self.base, self.base + self.size_bytes)


def _check_devices(devices: dict[str, Device]) -> dict[str, Device]:
    """Reject names that no key can have, and devices that overlap."""
    found: list[tuple[tuple[str, ...], str]] = []
    if len(devices) > MOST_DEVICES:
        raise ValueError(f"must be at most {MOST_DEVICES}, not {len(devices)}")
    others = [*RESERVED]
    for name, device in devices.items():
        if not re.fullmatch(NAME_PATTERN, name) or "." in name:
            found.append(((name,), f"must be a name of a device ({NAME_ALLOWED}; no '.')"))
            continue
        found += _find_overlap(name, device, others)
        others.append(device.span(f"device {name}"))
    timers = [name for name, device in devices.items() if device.kind == "clint"]
    found += [((name, "kind"), f"must not be clint: {timers[0]} is one, and there is one hart")
              for name in timers[1:]]  # fmt: skip
    if found:
        raise Problems(found, own=True)
    return devices


def _find_overlap(
    name: str, device: Device, others: Iterable[Span]
) -> list[tuple[tuple[str, ...], str]]:
    """Return the problem of a device that overlaps something else, in its place."""
    try:
        check_apart(device.span(f"device {name}"), others, "base")
    except ProblemAt as problem:
        return [((name, *map(str, place)), text) for place, text in problem.found]
    return []


def check_apart_from(devices: dict[str, Device], others: Iterable[Span]) -> None:
    """Reject devices that overlap memories or scratchpads."""
    others = list(others)
    found = [each for name in devices for each in _find_overlap(name, devices[name], others)]
    if found:
        raise Problems(found, own=True)


def _no_devices(value: object) -> object:
    """Return no devices for the word ``none``."""
    return {} if value in ("none", None) else value


Devices = Annotated[dict[str, Device], BeforeValidator(_no_devices), AfterValidator(_check_devices)]
