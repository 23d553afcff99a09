"""The model of a whole machine file, and the rules between its sections.

The order of the fields matters here and in the sections: a rule sees the keys above its own
(``info.data``), so each error is reported at the key that causes it, and one wrong key does not
hide another.
"""

import hashlib
import json
from pkgutil import resolve_name
from typing import Annotated, Any, cast

from pydantic import (
    AfterValidator,
    BeforeValidator,
    PlainSerializer,
    PlainValidator,
    ValidationInfo,
    WithJsonSchema,
    field_validator,
)

from gnomon.arch._core import Core
from gnomon.arch._devices import Devices, check_apart_from, without_later
from gnomon.arch._fetch import LATER as LATER_OF_FETCH
from gnomon.arch._latency import LATER, LONGEST_CYCLES
from gnomon.arch._memory import LATER as LATER_OF_DATA
from gnomon.arch._memory import Memory, without_regions
from gnomon.arch._power import is_gate_level, power_table
from gnomon.arch._spans import RESERVED, check_apart
from gnomon.arch._values import Frequency, TableName, check_printable
from gnomon.arch._vcu import Vcu
from gnomon.arch.units import Unit, instruction_rows
from gnomon.base.errors import GnomonError
from gnomon.base.schema import (
    NAME_ALLOWED,
    NAME_PATTERN,
    ProblemAt,
    Section,
    Version,
    key,
    none_word,
    version_key,
)
from gnomon.isa import Instruction


def _check_units(value: object, info: ValidationInfo) -> tuple[Unit, ...]:
    """Return the units that a machine names, in the order of their names."""
    if value in (None, "none", {}, ()):
        return ()
    # The files of units are read only for machines that have some.
    check = resolve_name("gnomon.arch.units.machine:check_units")
    vector = info.data["vcu"] is not None if "vcu" in info.data else None
    return cast("tuple[Unit, ...]", check(value, info.data.get("core"), vector=vector))


def _check_device_waits(devices: Devices, core: Core | None) -> None:
    """Reject wait states of devices on a core whose rules for them are unavailable."""
    fetch = None if core is None else core.fetch
    slow = fetch is not None and (fetch.port == "shared" or fetch.memory_stage)
    unknown = core is not None and core.latency is not None and core.latency.waits == "none"
    for name, device in devices.items():
        if device.waits is None or not (slow or unknown):
            continue
        which = "core.latency.waits none"
        if slow:
            which = "core.fetch.port shared, or a memory_stage"
        raise ProblemAt(f"{name}.waits", f"must be none with {which}: the cycles of an access with "
                        "wait states of its own are unavailable")  # fmt: skip


_UNITS_SCHEMA = {
    "type": "object",
    "additionalProperties": {"type": ["object", "string"]},
}

Units = Annotated[
    tuple[Unit, ...],
    PlainValidator(_check_units),
    PlainSerializer(lambda units: {each.name: each.to_json() for each in units}),
    WithJsonSchema(_UNITS_SCHEMA),
]


class Architecture(Section):
    """One checked machine. Two equal machines have the same ``fingerprint``."""

    schema_version: Version = version_key()
    name: str = key("name of the machine", pattern=NAME_PATTERN, allowed=NAME_ALLOWED)
    title: Annotated[str, AfterValidator(check_printable)] = key(
        "one human-readable line",
        min_length=1,
        max_length=200,
        allowed="one line of at most 200 printable characters",
    )
    source: Annotated[str, AfterValidator(check_printable)] = key(
        "source of the figures and their uncertainty",
        min_length=1,
        allowed="one paragraph of printable characters",
    )
    clock: Frequency = key("clock frequency", unit="Hz", allowed="such as 100 MHz")
    memory: Memory = key("memories and the rest of the address space")
    core: Core = key("the scalar core")
    vcu: Annotated[Vcu | None, BeforeValidator(none_word)] = key(
        "the vector unit; none = a scalar machine", default=None, validate_default=True
    )
    devices: Devices = key(
        "devices by name, at addresses outside of the memories; none = no device", default={},
        allowed="sections by name, none",
    )  # fmt: skip
    units: Units = key(
        "functional units with their parameters, which are the keys units.NAME.PARAMETER; none = no"
        " unit",
        default=(),
        allowed="{NAME: {PARAMETER: value}}, none",
    )
    power: TableName = key(
        "power table, or an estimator of a package; none = energy is unavailable",
        default=None,
        allowed="a name, none",
    )
    area: TableName = key(
        "area table, or an estimator of a package; none = area is unavailable",
        default=None,
        allowed="a name, none",
    )

    def to_dict(self) -> dict[str, Any]:
        """Return all values by key, in JSON types; later sections only if the machine has them."""
        values = super().to_dict()
        values["memory"] = without_regions(values["memory"])
        values["devices"] = {name: without_later(each) for name, each in values["devices"].items()}
        for name in ("units", "devices"):
            if not values[name]:
                del values[name]
        if values["core"]["interrupts"] is None:
            del values["core"]["interrupts"]
        return values

    def __hash__(self) -> int:
        """Return a hash, for caches by machine: that of a model has none of a dictionary."""
        fields = dict(self)
        return hash((*fields.pop("devices").items(), *fields.values()))

    @property
    def unit_rows(self) -> tuple[Instruction, ...]:
        """Encodings of the instructions of its units."""
        return instruction_rows(self.units)

    @property
    def counts_operands(self) -> bool:
        """Whether the power table is gate-level: it prices operand toggles, so runs count them."""
        if self.power is None:
            return False
        try:
            return is_gate_level(power_table(self.power))
        except GnomonError:  # an estimator of a package; else pricing reports the error
            return False

    @field_validator("core")
    @classmethod
    def _starts_in_memory(cls, core: Core, info: ValidationInfo) -> Core:
        memory = info.data.get("memory")
        if memory is not None and isinstance(core.reset_pc, int):
            span = memory.spans[0]
            if memory.regions:
                span = memory.instruction.span(f"region {memory.link.text}")
            if not span.base <= core.reset_pc < span.end:
                raise ProblemAt("reset_pc", f"0x{core.reset_pc:X} is outside {span}")
        return core

    @field_validator("core")
    @classmethod
    def _waits_fit(cls, core: Core, info: ValidationInfo) -> Core:
        memory, latency = info.data.get("memory"), core.latency
        if memory is None:
            return core
        regions = {f"memory.regions.{name}.waits": each for name, each in memory.regions.items()}
        slow = regions or {"memory.data.waits": memory.data}
        waits = max(each.waits for each in slow.values())
        if latency is None or not waits:
            return core
        name = next(name for name, each in slow.items() if each.waits == waits)
        if latency.waits == "none":
            raise ProblemAt("latency.waits", f"must be any with {name}")
        slowest, cycles = latency.longest()
        if cycles + waits + memory.code_waits > LONGEST_CYCLES:
            raise ProblemAt(
                f"latency.{slowest}",
                f"{cycles} cycles with {name} are too many (at most {LONGEST_CYCLES} together)",
            )
        return core

    @field_validator("core")
    @classmethod
    def _regions_fit(cls, core: Core, info: ValidationInfo) -> Core:
        memory, fetch = info.data.get("memory"), core.fetch
        if memory is None or not memory.regions:
            return core
        if core.model == "t13" and memory.code_waits:
            key = f"memory.regions.{memory.link.text}.waits"
            raise ProblemAt("model", f"must be inorder with {key}: the fetch of a T13 takes one "
                            "cycle, and no slower one was compared with RTL")  # fmt: skip
        if core.rtl == "morph":
            raise ProblemAt("rtl", "must not be morph with memory.regions: its requests for "
                            "software interrupts by region are unavailable")  # fmt: skip
        slow = [name for name, each in memory.regions.items() if each.waits]
        if slow and fetch is not None and (fetch.port == "shared" or fetch.memory_stage):
            name, value = "port", "separate"
            if fetch.port != "shared":
                name, value = "memory_stage", "false"
            key = f"memory.regions.{slow[0]}.waits"
            raise ProblemAt(f"fetch.{name}", f"must be {value} with {key}: the order of requests "
                            "with the wait states of several regions is unavailable")  # fmt: skip
        return core

    @field_validator("core")
    @classmethod
    def _cache_fits(cls, core: Core, info: ValidationInfo) -> Core:
        memory = info.data.get("memory")
        if memory is None or memory.caches.icache is None:
            return core
        if core.model == "t13":
            raise ProblemAt("model", "must be inorder with memory.caches.icache: the T13 RTL has "
                            "no cache")  # fmt: skip
        if core.fetch is not None:
            raise ProblemAt("fetch", "must be none with memory.caches.icache: the order of the "
                            "fetches of a queue after a miss is unavailable")  # fmt: skip
        if core.alignment_bytes == 2:
            raise ProblemAt("isa", f"must have no c with memory.caches.icache, not {core.isa}: the "
                            "fetch of an instruction in two lines is unavailable")  # fmt: skip
        return core

    @field_validator("core")
    @classmethod
    def _data_cache_fits(cls, core: Core, info: ValidationInfo) -> Core:
        memory, fetch = info.data.get("memory"), core.fetch
        if memory is None or memory.caches.dcache is None:
            return core
        if core.model == "t13":
            raise ProblemAt("model", "must be inorder with memory.caches.dcache: the T13 RTL has "
                            "no cache")  # fmt: skip
        if fetch is not None and (fetch.port == "shared" or fetch.memory_stage):
            name, value = "port", "separate"
            if fetch.port != "shared":
                name, value = "memory_stage", "false"
            raise ProblemAt(f"fetch.{name}", f"must be {value} with memory.caches.dcache: the order"
                            " of fetches during a refill is unavailable")  # fmt: skip
        if core.latency is not None and core.latency.waits == "none":
            raise ProblemAt("latency.waits", "must be any with memory.caches.dcache")
        return core

    @field_validator("vcu")
    @classmethod
    def _no_vcu_with_a_data_cache(cls, vcu: Vcu | None, info: ValidationInfo) -> Vcu | None:
        memory = info.data.get("memory")
        if vcu is not None and memory is not None and memory.caches.dcache is not None:
            raise ValueError("must be none with memory.caches.dcache: the order of transfers and "
                             "refills is unavailable")  # fmt: skip
        return vcu

    @field_validator("vcu")
    @classmethod
    def _no_vcu_with_interrupts(cls, vcu: Vcu | None, info: ValidationInfo) -> Vcu | None:
        core = info.data.get("core")
        if vcu is not None and core is not None and core.interrupts is not None:
            raise ValueError("must be none with core.interrupts: the wait of an interrupt for a "
                             "busy vector unit or transfer is unavailable")  # fmt: skip
        return vcu

    @field_validator("vcu")
    @classmethod
    def _vcu_fits(cls, vcu: Vcu | None, info: ValidationInfo) -> Vcu | None:
        core, memory = info.data.get("core"), info.data.get("memory")
        if vcu is not None and core is not None and core.rtl == "morph":
            raise ValueError("must be none with core.rtl morph, whose vector unit is unavailable")
        if core is not None and core.model == "inorder":
            if vcu is None and core.superscalar:
                raise ValueError(
                    "must not be none with core.model inorder and core.superscalar true: no other "
                    "functional unit runs in parallel with the core"
                )
            if vcu is not None and vcu.sharing != "shared":
                raise ProblemAt(
                    "sharing",
                    f"must be shared with core.model inorder, not {vcu.sharing}: there is one hart",
                )
            if vcu is not None and core.fetch is not None and core.fetch.port == "shared":
                raise ValueError(
                    "must be none with core.fetch.port shared: the order of transfers and fetches "
                    "is unavailable"
                )
        if vcu is None:
            return None
        others = list(RESERVED)
        if memory is not None:
            others += memory.spans
        check_apart(vcu.scratchpads.span(), others, "scratchpads.base")
        return vcu

    @field_validator("devices")
    @classmethod
    def _devices_fit(cls, devices: Devices, info: ValidationInfo) -> Devices:
        core, memory, vcu = (info.data.get(name) for name in ("core", "memory", "vcu"))
        if devices and core is not None and core.model == "t13":
            raise ValueError("must be none with core.model t13: no access of the T13 RTL to a "
                             "device was compared")  # fmt: skip
        if core is not None and core.isa.endswith("_zicsr") and core.interrupts is None:
            for name, device in devices.items():
                if device.kind == "clint":
                    raise ProblemAt(f"{name}.kind", "must not be clint without core.interrupts: the"
                                    " cycles of an interrupt are unavailable (state core.interrupts"
                                    ".entry)")  # fmt: skip
        for name, device in devices.items():
            if device.interrupt is not None and core is not None and core.interrupts is None:
                raise ProblemAt(f"{name}.interrupt", "must be none without core.interrupts: the "
                                "cycles of an interrupt are unavailable")  # fmt: skip
        _check_device_waits(devices, core)
        text = memory.regions[memory.link.text] if memory and memory.link else None
        for name, device in devices.items():
            if device.kind == "tohost" and text is not None and not text.writable:
                raise ProblemAt(f"{name}.kind", f"must not be tohost with code in a {text.kind}: "
                                "the symbol tohost is in the memory of the code (use semihosting, "
                                "or code in a ram)")  # fmt: skip
        spans = [] if memory is None else [*memory.spans]
        if vcu is not None:
            spans.append(vcu.scratchpads.span())
        check_apart_from(devices, spans)
        return devices

    @property
    def data_waits(self) -> int:
        """Wait states of each access to the data memory, in cycles."""
        latency = self.core.latency
        return self.memory.data.waits + (latency.data_waits if latency is not None else 0)

    @property
    def instruction_waits(self) -> int:
        """Wait states of each fetch, in cycles."""
        latency = self.core.latency
        return self.memory.code_waits + (latency.instruction_waits if latency is not None else 0)

    @property
    def static_fetch_waits(self) -> int:
        """Wait states of each fetch in cycles; with an instruction cache, of each hit."""
        return 0 if self.memory.caches.icache is not None else self.instruction_waits

    @property
    def has_caches(self) -> bool:
        """Whether fetches or loads use a cache."""
        caches = self.memory.caches
        return caches.icache is not None or caches.dcache is not None

    @property
    def computes_fetch(self) -> bool:
        """Whether waits depend on more earlier instructions than the last and those it reads.

        Lines of caches do not count, unless instructions are compressed.
        """
        core = self.core
        latency = core.latency
        long = latency is not None and (latency.split_next is not None or bool(latency.interlocks))
        compressed = core.alignment_bytes == 2
        return long or bool(core.fetch or core.predictor or (self.has_caches and compressed))

    @property
    def fingerprint(self) -> str:
        """SHA-256 (hexadecimal) of every resolved value; the key of caches."""
        values = self.to_dict()
        if values["core"]["latency"]:  # later keys count only if they have an effect
            if not self.units:
                values["core"]["latency"]["unit-port"] = 0
            for name in LATER:
                if values["core"]["latency"][name] in (0, None, (), [], "any"):
                    del values["core"]["latency"][name]
        if not self.units or self.core.unit_port == "direct":
            del values["core"]["unit_port"]
        data = values["memory"]["data"] or {}
        for name, nothing in LATER_OF_DATA.items():
            if data.get(name) == nothing:
                del data[name]
        caches = values["memory"]["caches"]
        if caches["dcache"] is None:
            del caches["dcache"]
        if caches == {"icache": None}:
            del values["memory"]["caches"]
        _drop_absent(values["core"])
        if values["core"]["isa"] == "rv32im_zicsr":
            del values["core"]["isa"]
        text = json.dumps(values, sort_keys=True, separators=(",", ":"))
        return hashlib.sha256(text.encode()).hexdigest()


def _drop_absent(core: dict[str, Any]) -> None:
    """Remove later sections and keys that have no effect."""
    for name in ("fetch", "predictor"):
        if core[name] is None:
            del core[name]
    for name, nothing in LATER_OF_FETCH.items() if "fetch" in core else ():
        if core["fetch"][name] == nothing:
            del core["fetch"][name]
