"""The devices of a machine, at addresses outside of its memories."""

from collections.abc import Iterable
from typing import Annotated, ClassVar, Literal

from pydantic import AfterValidator, BeforeValidator, Field, ValidationInfo, field_validator

from gnomon.arch._memory import Span, find_overlap, find_problems
from gnomon.base.schema import Problems, Section, key, none_word

MOST_DEVICES = 8
_UART_REGISTERS = 8
_CLINT_BYTES = 0xC000
MOST_EVERY = 1 << 32


class Device(Section):
    """One device: its kind and its address."""

    rejected: ClassVar[dict[str, str]] = {
        "size": "not a key: the kind of the device gives its length",
        "waits": "not modeled: a device has the wait states of an address outside of all regions",
        "baud": "not modeled: the transmitter of an ns16550 is always ready",
    }

    kind: Literal["clint", "ns16550", "semihosting", "tohost"] = key(
        "clint = mtime, mtimecmp, msip: timer and software interrupts; ns16550 = a UART that "
        "transmits: its bytes are the text that the run prints; semihosting = an ebreak between "
        "the marks of RISC-V Semihosting calls a host; tohost = stores to the symbol tohost of the "
        "program call it, as in riscv-tests"
    )
    base: Annotated[Annotated[int, Field(ge=0, lt=2**32)] | None, BeforeValidator(none_word)] = key(
        "first byte address; none for semihosting and tohost, which have no registers",
        unit="address", default=None, allowed="a 32-bit address, none", validate_default=True,
    )  # fmt: skip
    stride: Literal[1, 4] = key(
        "from one register of an ns16550 to the next", unit="bytes", default=1
    )

    @field_validator("stride")
    @classmethod
    def _of_registers(cls, stride: int, info: ValidationInfo) -> int:
        kind = info.data.get("kind")
        if stride != 1 and kind not in (None, "ns16550"):
            raise ValueError(f"must be 1 for a {kind}: only an ns16550 has a stride")
        return stride

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
        if kind not in (None, "clint") and every is not None:
            article = "an" if kind == "ns16550" else "a"
            raise ValueError(f"must be none for {article} {kind}: only a clint has mtime")
        return every

    interrupt: Annotated[Literal["external"] | None, BeforeValidator(none_word)] = key(
        "of an ns16550: interrupt that it requests while its transmitter is empty, if the program "
        "enables that; none = it requests none",
        default=None,
        allowed="external, none",
    )

    @field_validator("interrupt")
    @classmethod
    def _of_uart(cls, interrupt: str | None, info: ValidationInfo) -> str | None:
        kind = info.data.get("kind")
        if interrupt is not None and kind not in (None, "ns16550"):
            raise ValueError(f"must be none for a {kind}: only an ns16550 requests {interrupt}")
        return interrupt

    @field_validator("base")
    @classmethod
    def _base_of_kind(cls, base: int | None, info: ValidationInfo) -> int | None:
        kind = info.data.get("kind")
        if kind in ("semihosting", "tohost") and base is not None:
            raise ValueError(f"must be none for {kind}, which has no registers")
        if kind in ("clint", "ns16550") and base is None:
            raise ValueError("must not be none (allowed: a 32-bit address): missing, or none")
        if base is not None and base % 4:
            raise ValueError(f"must be a multiple of 4, not 0x{base:X}")
        return base

    @property
    def size_bytes(self) -> int:
        """Bytes of the address space that it occupies."""
        if self.base is None:
            return 0
        return _CLINT_BYTES if self.kind == "clint" else _UART_REGISTERS * self.stride

    def span(self, name: str) -> Span | None:
        """Return its addresses, with a name for messages; None without registers."""
        return None if self.base is None else Span(name, self.base, self.base + self.size_bytes)


def _check_devices(devices: dict[str, Device]) -> dict[str, Device]:
    """Reject names that no key can have, and devices that overlap."""
    found = find_problems(_list_spans(devices), MOST_DEVICES, "device")
    for kind in ("clint", "semihosting", "tohost"):
        same = [name for name, device in devices.items() if device.kind == kind]
        found += [((name, "kind"), f"must not be {kind}: {same[0]} is one, and there is one hart")
                  for name in same[1:]]  # fmt: skip
    if found:
        raise Problems(found, own=True)
    return devices


def _list_spans(devices: dict[str, Device]) -> dict[str, Span | None]:
    return {name: device.span(f"device {name}") for name, device in devices.items()}


def check_apart_from(devices: dict[str, Device], others: Iterable[Span]) -> None:
    """Reject devices that overlap memories or scratchpads."""
    others = list(others)
    spans = _list_spans(devices).items()
    found = [each for name, span in spans for each in find_overlap(name, span, others)]
    if found:
        raise Problems(found, own=True)


def _no_devices(value: object) -> object:
    """Return no devices for the word ``none``."""
    return {} if value in ("none", None) else value


Devices = Annotated[dict[str, Device], BeforeValidator(_no_devices), AfterValidator(_check_devices)]
