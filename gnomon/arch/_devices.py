"""The devices of a machine, at addresses outside of its memories."""

from collections.abc import Iterable
from pkgutil import resolve_name
from typing import Annotated, Any, ClassVar, Final, Literal, cast

from pydantic import (
    AfterValidator,
    BeforeValidator,
    Field,
    PrivateAttr,
    ValidationInfo,
    field_validator,
    model_validator,
)

from gnomon.arch._spans import Span, find_overlap, find_problems
from gnomon.arch.devices import DeviceCode
from gnomon.base.content import found
from gnomon.base.errors import GnomonError, allowed_hint
from gnomon.base.schema import Problems, Section, key, none_word
from gnomon.base.yaml import shown

MOST_DEVICES = 8
SHIPPED_KINDS: Final = ("clint", "ns16550", "semihosting", "tohost")
"""Kinds that are part of the simulator; all others are folders of content."""
_HOSTS = ("semihosting", "tohost")
LATER: Final[dict[str, Any]] = {"waits": None, "parameters": {}, "digest": None}
"""Later keys, which count only if they have an effect."""
_UART_REGISTERS = 8
_CLINT_BYTES = 0xC000
MOST_EVERY = 1 << 32
MOST_WAITS = 64
_NEVER: Final = object()


class Device(Section):
    """One device: its kind and its address."""

    rejected: ClassVar[dict[str, str]] = {
        "size": "not a key: the kind of the device gives its length",
        "baud": "not modeled: the transmitter of an ns16550 is always ready",
    }

    _code: DeviceCode | None = PrivateAttr(default=None)

    kind: str = key(
        "clint = mtime, mtimecmp, msip: timer and software interrupts; ns16550 = a UART that "
        "transmits: its bytes are the text that the run prints; semihosting = an ebreak between "
        "the marks of RISC-V Semihosting calls a host; tohost = stores to the symbol tohost of the "
        "program call it, as in riscv-tests; or the name of a device in a folder devices/NAME",
        allowed=f"{', '.join(SHIPPED_KINDS)}, or the name of a device (gnomon list devices)",
    )

    @field_validator("kind")
    @classmethod
    def _is_found(cls, kind: str) -> str:
        if kind not in SHIPPED_KINDS:
            others = found("devices")
            if kind not in others:
                hint = allowed_hint(kind, [*SHIPPED_KINDS, *others])
                raise ValueError(f"must not be {shown(kind)} {hint}")
            _load_code(kind, {})
        return kind

    base: Annotated[Annotated[int, Field(ge=0, lt=2**32)] | None, BeforeValidator(none_word)] = key(
        "first byte address; none for semihosting and tohost, which have no registers",
        unit="address", default=None, allowed="a 32-bit address, none", validate_default=True,
    )  # fmt: skip
    stride: Literal[1, 4] = key(
        "from one register of an ns16550 to the next", unit="bytes", default=1
    )

    @field_validator("stride")
    @classmethod
    def _of_stride(cls, stride: int, info: ValidationInfo) -> int:
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
        if interrupt is None or kind in (None, "ns16550"):
            return interrupt
        if kind in SHIPPED_KINDS:
            raise ValueError(f"must be none for a {kind}, which does not request {interrupt}")
        if not _load_code(kind, {}).interrupt:
            raise ValueError(f"must be none for {kind}: its device.yaml has interrupt: false")
        return interrupt

    waits: int | None = key(
        "wait states of each access; none = those of an address outside of all regions",
        unit="cycles",
        default=None,
        ge=0,
        le=MOST_WAITS,
        validate_default=True,
    )

    @field_validator("waits", mode="before")
    @classmethod
    def _of_registers(cls, waits: object, info: ValidationInfo) -> object:
        waits, kind = none_word(waits), info.data.get("kind")
        if waits is not None and kind in _HOSTS:
            raise ValueError(f"must be none for {kind}, which has no registers")
        return waits

    parameters: dict[str, int] = key(
        "of a device in a folder: the numbers that its device.yaml lists",
        default={},
        allowed="{NAME: whole number}",
    )

    @field_validator("parameters")
    @classmethod
    def _of_code(cls, given: dict[str, int], info: ValidationInfo) -> dict[str, int]:
        kind = info.data.get("kind")
        if given and kind in SHIPPED_KINDS:
            raise ValueError(f"must be {{}} for a {kind}: it has keys of its own")
        if kind is not None and kind not in SHIPPED_KINDS:
            _load_code(kind, given)
        return given

    digest: str | None = key(
        "of a device in a folder: digest of its files, which gnomon writes and checks",
        default=None,
        validate_default=True,
    )

    @field_validator("digest")
    @classmethod
    def _of_files(cls, digest: str | None, info: ValidationInfo) -> str | None:
        kind = info.data.get("kind")
        if kind is None or kind in SHIPPED_KINDS:
            return None
        there = _load_code(kind, {}).digest
        if digest not in (None, there):
            raise ValueError(f"the files of device {kind} have changed: their digest is another")
        return there

    @field_validator("base")
    @classmethod
    def _base_of_kind(cls, base: int | None, info: ValidationInfo) -> int | None:
        kind = info.data.get("kind")
        if kind in _HOSTS and base is not None:
            raise ValueError(f"must be none for {kind}, which has no registers")
        if kind is not None and kind not in _HOSTS and base is None:
            raise ValueError("must not be none (allowed: a 32-bit address): missing, or none")
        if base is not None and base % 4:
            raise ValueError(f"must be a multiple of 4, not 0x{base:X}")
        return base

    @model_validator(mode="after")
    def _with_code(self) -> "Device":
        if self.kind not in SHIPPED_KINDS:
            self._code = _load_code(self.kind, self.parameters)
        return self

    def __hash__(self) -> int:
        """Return a hash: that of a model has none of a dictionary."""
        fields = dict(self)
        return hash((*fields.pop("parameters").items(), *fields.values()))

    @property
    def code(self) -> DeviceCode | None:
        """The code of a device in a folder, with its parameters; None for a shipped kind."""
        return self._code

    @property
    def size_bytes(self) -> int:
        """Bytes of the address space that it occupies."""
        if self.base is None:
            return 0
        if self.code is not None:
            return self.code.size_bytes
        return _CLINT_BYTES if self.kind == "clint" else _UART_REGISTERS * self.stride

    def span(self, name: str) -> Span | None:
        """Return its addresses, with a name for messages; None without registers."""
        return None if self.base is None else Span(name, self.base, self.base + self.size_bytes)


def _load_code(kind: str, parameters: dict[str, int]) -> DeviceCode:
    # The files of devices are read only for machines that have some.
    load = resolve_name("gnomon.arch.devices.load:load_device")
    try:
        return cast("DeviceCode", load(kind, parameters))
    except GnomonError as error:
        raise ValueError(str(error)) from None


def without_later(values: dict[str, Any]) -> dict[str, Any]:
    """Return the values of a device without later keys that have no effect."""
    return {name: value for name, value in values.items() if value != LATER.get(name, _NEVER)}


def _check_devices(devices: dict[str, Device]) -> dict[str, Device]:
    """Reject names that no key can have, and devices that overlap."""
    wrong = find_problems(_list_spans(devices), MOST_DEVICES, "device")
    for kind in ("clint", "semihosting", "tohost"):
        same = [name for name, device in devices.items() if device.kind == kind]
        wrong += [((name, "kind"), f"must not be {kind}: {same[0]} is one, and there is one hart")
                  for name in same[1:]]  # fmt: skip
    if wrong:
        raise Problems(wrong, own=True)
    return devices


def _list_spans(devices: dict[str, Device]) -> dict[str, Span | None]:
    return {name: device.span(f"device {name}") for name, device in devices.items()}


def check_apart_from(devices: dict[str, Device], others: Iterable[Span]) -> None:
    """Reject devices that overlap memories or scratchpads."""
    others = list(others)
    spans = _list_spans(devices).items()
    wrong = [each for name, span in spans for each in find_overlap(name, span, others)]
    if wrong:
        raise Problems(wrong, own=True)


def _no_devices(value: object) -> object:
    """Return no devices for the word ``none``."""
    return {} if value in ("none", None) else value


Devices = Annotated[dict[str, Device], BeforeValidator(_no_devices), AfterValidator(_check_devices)]
