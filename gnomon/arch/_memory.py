"""The memories of a machine: their addresses, which must not overlap."""

from typing import Annotated, Any, ClassVar, Literal

from pydantic import (
    AfterValidator,
    BeforeValidator,
    ValidationInfo,
    field_validator,
    model_validator,
)

from gnomon.arch._caches import Caches
from gnomon.arch._spans import RESERVED, Span, check_apart, find_problems
from gnomon.arch._values import Size
from gnomon.base.errors import allowed_hint
from gnomon.base.schema import (
    ProblemAt,
    Problems,
    Section,
    key,
    none_word,
)
from gnomon.base.units import Bytes, format_size
from gnomon.base.yaml import shown

# gnomon's limit, which catches an error before the simulator allocates the memory.
LARGEST_MEMORY = Bytes(256 * 2**20)
MOST_WAITS = 64


class MemoryRegion(Section):
    """One memory: its start and its length."""

    base: int = key("first byte address", unit="address", ge=0, lt=2**32)
    size: Size = key("length", unit="bytes")

    @field_validator("base")
    @classmethod
    def _aligned(cls, base: int) -> int:
        if base % 4:
            raise ValueError(f"must be a multiple of 4, not 0x{base:X}")
        return base

    @field_validator("size")
    @classmethod
    def _usable(cls, size: Bytes) -> Bytes:
        if size % 4 or not 0 < size <= LARGEST_MEMORY:
            raise ValueError(
                f"must be a multiple of 4 bytes up to {format_size(LARGEST_MEMORY)}, "
                f"not {format_size(size)}"
            )
        return size

    def span(self, name: str) -> Span:
        """Return the addresses of this memory, with a name for messages."""
        return Span(name, self.base, self.base + self.size)


class InstructionMemory(MemoryRegion):
    """The instruction memory."""

    rejected: ClassVar[dict[str, str]] = dict.fromkeys(
        ("waits", "width", "burst"),
        "unavailable: the fetch of a T13 takes one cycle, and no slower one was compared with RTL; "
        "with core.model inorder set core.latency.instruction-waits; for data set memory.data",
    )


class DataMemory(MemoryRegion):
    """The data memory, and its speed."""

    waits: int = key(
        "wait states: further cycles of each access through the data port: loads, stores, both "
        "halves of a swap, accesses of transfers (with core.model inorder in addition to "
        "core.latency.data-waits)",
        unit="cycles",
        default=0,
        ge=0,
        le=MOST_WAITS,
    )
    width: Literal[32, 64, 128, 256] = key(
        "width of one access of a transfer; loads and stores move a word", unit="bits", default=32
    )
    burst: int = key(
        "accesses of a transfer that share the wait states of one: 1 = each has its own",
        unit="accesses",
        default=1,
        ge=1,
        le=1024,
    )


LATER = {"waits": 0, "width": 32, "burst": 1}
"""Later keys of the data memory; with these values they have no effect."""

MOST_REGIONS = 16


class Region(MemoryRegion):
    """One memory of several: its addresses, what stores do, its speed."""

    rejected: ClassVar[dict[str, str]] = {
        "energy": "not modeled: no table has the energy of an access by region",
    }

    kind: Literal["rom", "ram", "flash"] = key(
        "ram = loads, stores and code; rom, flash = loads and code: the run stops at a store"
    )
    waits: int = key(
        "wait states: further cycles of each fetch and of each access through the data port, with "
        "core.model inorder in addition to core.latency.instruction-waits and data-waits",
        unit="cycles",
        default=0,
        ge=0,
        le=MOST_WAITS,
    )
    width: Literal[32, 64, 128, 256] = key(
        "width of one access of a transfer to a scratchpad; others move a word",
        unit="bits",
        default=32,
    )
    burst: int = key(
        "accesses of a transfer that share the wait states of one: 1 = each has its own",
        unit="accesses",
        default=1,
        ge=1,
        le=1024,
    )

    cache: Annotated[
        Literal["icache", "dcache", "both"] | None, BeforeValidator(none_word)
    ] = key(
        "cache of its accesses: icache = of fetches, only for the region of the code; dcache = of "
        "loads; both",
        default=None,
        allowed="icache, dcache, both, none",
    )  # fmt: skip

    @property
    def serves_fetches(self) -> bool:
        """Whether fetches go through the instruction cache."""
        return self.cache in ("icache", "both")

    @property
    def serves_loads(self) -> bool:
        """Whether loads go through the data cache."""
        return self.cache in ("dcache", "both")

    @property
    def writable(self) -> bool:
        """Whether stores may write it."""
        return self.kind == "ram"


class Link(Section):
    """Regions in which programs that gnomon links have their sections."""

    text: str = key("region of the code, also of programs that gnomon does not link",
                    allowed="a region")  # fmt: skip
    constants: Annotated[str | None, BeforeValidator(none_word)] = key(
        "region of constants; none = that of the text", default=None, allowed="a region, none"
    )
    data: str = key(
        "region of data, a ram; if the text is in a rom or flash, start-up copies the data from"
        " there",
        allowed="a region",
    )
    stack: Annotated[str | None, BeforeValidator(none_word)] = key(
        "region of the stacks, a ram; none = that of the data",
        default=None,
        allowed="a region, none",
    )

    def resolved(self) -> dict[str, str]:
        """Return the region of each kind of section."""
        return {
            "text": self.text,
            "constants": self.constants or self.text,
            "data": self.data,
            "stack": self.stack or self.data,
        }


def _check_regions(regions: dict[str, Region]) -> dict[str, Region]:
    """Reject names that no key can have, and regions that overlap."""
    spans = {name: region.span(f"region {name}") for name, region in regions.items()}
    found = find_problems(spans, MOST_REGIONS, "region")
    if sum(each.size for each in regions.values()) > 2 * LARGEST_MEMORY:
        found.append(((), f"must have at most {format_size(Bytes(2 * LARGEST_MEMORY))} together"))
    if found:
        raise Problems(found, own=True)
    return regions


Regions = Annotated[dict[str, Region], AfterValidator(_check_regions)]


class Memory(Section):
    """The memories, and the behavior of all other addresses.

    A machine has an instruction memory and a data memory, or named regions. A common memory for
    code and data is given as both, with equal base and size, or is one region.
    """

    regions: Regions = key("memories by name, in place of instruction and data", default={})
    link: Annotated[Link | None, BeforeValidator(none_word)] = key(
        "regions of the sections of a program; none without memory.regions", default=None,
        validate_default=True,
    )  # fmt: skip
    only_instruction: Annotated[InstructionMemory | None, BeforeValidator(none_word)] = key(
        "memory that instructions are fetched from; loads and stores reach it; none with"
        " memory.regions",
        alias="instruction",
    )
    only_data: Annotated[DataMemory | None, BeforeValidator(none_word)] = key(
        "memory for data; with base and size of the instruction memory, both are the same memory;"
        " none with memory.regions",
        alias="data",
    )
    unmapped: Literal["protocol", "fault"] = key(
        "loads and stores outside every memory: protocol = loads return 0, stores are dropped, as "
        "in the reference runs of the RTL; fault = the run stops. A fetch there is always a fault",
        default="fault",
    )
    caches: Caches = key("caches", default_factory=Caches)

    @model_validator(mode="before")
    @classmethod
    def _regions_suffice(cls, values: Any) -> Any:
        if isinstance(values, dict) and values.get("regions"):
            return {"instruction": None, "data": None} | values
        return values

    @field_validator("link")
    @classmethod
    def _link_to_regions(cls, link: Link | None, info: ValidationInfo) -> Link | None:
        regions = info.data.get("regions")
        if regions is None:
            return link
        if link is None:
            if regions:
                raise ValueError("must be a section with text and data, for memory.regions")
            return None
        if not regions:
            raise ValueError("must be none without memory.regions")
        found: list[tuple[tuple[str, ...], str]] = []
        for section, name in link.resolved().items():
            if getattr(link, section) is None:
                continue
            if name not in regions:
                hint = allowed_hint(name, list(regions))
                found.append(((section,), f"no region is called {shown(name)} {hint}"))
            elif section in ("data", "stack") and not regions[name].writable:
                found.append(((section,), f"must be a ram, not the {regions[name].kind} {name}"))
        if found:
            raise Problems(found, own=True)
        places = link.resolved()
        if (
            regions[places["constants"]].writable
            and not regions[link.text].writable
            and (link.constants != link.data)
        ):
            raise ProblemAt(
                "constants",
                f"must be a rom or flash, or {link.data}, the region of the data, not the ram"
                f" {link.constants}: start-up copies only the data",
            )
        return link

    @field_validator("only_instruction", "only_data")
    @classmethod
    def _either_or(cls, value: MemoryRegion | None, info: ValidationInfo) -> MemoryRegion | None:
        regions = info.data.get("regions")
        if regions is not None and bool(regions) == (value is not None):
            raise ValueError(
                "must be none with memory.regions; memory.link names the regions of programs"
                if regions
                else "must be a section with base and size; only memory.regions can replace it"
            )
        return value

    @field_validator("only_instruction")
    @classmethod
    def _instruction_apart(cls, region: InstructionMemory | None) -> InstructionMemory | None:
        if region is not None:
            check_apart(region.span("instruction memory"), RESERVED, "base")
        return region

    @field_validator("only_data")
    @classmethod
    def _data_apart(cls, region: DataMemory | None, info: ValidationInfo) -> DataMemory | None:
        if region is None:
            return None
        span = region.span("data memory")
        check_apart(span, RESERVED, "base")
        code = info.data.get("only_instruction")
        if code is not None and (region.base, region.size) != (code.base, code.size):
            hint = " (one memory for code and data has one base and one size)"
            check_apart(span, [code.span("instruction memory")], "base", hint)
        return region

    @field_validator("caches")
    @classmethod
    def _caches_of_regions(cls, caches: Caches, info: ValidationInfo) -> Caches:
        regions, link = info.data.get("regions"), info.data.get("link")
        if not regions or link is None:
            return caches
        fetches = [name for name, each in regions.items() if each.serves_fetches]
        loads = [name for name, each in regions.items() if each.serves_loads]
        others = [name for name in fetches if name != link.text]
        if others:
            raise ProblemAt("icache", f"does not serve memory.regions.{others[0]}: instructions are"
                            f" fetched from {link.text} alone (set cache: icache or both"
                            " there)")  # fmt: skip
        for name, served in (("icache", fetches), ("dcache", loads)):
            present = getattr(caches, name) is not None
            if served and not present:
                raise ProblemAt(name, f"must not be none with memory.regions.{served[0]}.cache "
                                f"{regions[served[0]].cache}")  # fmt: skip
            if present and not served:
                raise ProblemAt(name, f"must be none unless a region has cache: {name} or both")
        return caches

    def __hash__(self) -> int:
        """Return a hash, for caches by machine: that of a model has none of a dictionary."""
        fields = dict(self)
        return hash((*fields.pop("regions").items(), *fields.values()))

    @property
    def instruction(self) -> MemoryRegion:
        """The memory of the code of programs."""
        if self.only_instruction is not None:
            return self.only_instruction
        return self.regions[self._places["text"]]

    @property
    def data(self) -> DataMemory | Region:
        """The memory of the data of programs."""
        return self._of_data("data")

    def _of_data(self, section: str) -> "DataMemory | Region":
        return self.only_data if self.only_data is not None else self.regions[self._places[section]]

    @property
    def stack(self) -> MemoryRegion:
        """The memory of the stacks of programs."""
        return self._of_data("stack")

    @property
    def constants(self) -> MemoryRegion:
        """The memory of the constants of programs."""
        return self._of_data("constants")

    @property
    def _places(self) -> dict[str, str]:
        assert self.link is not None  # checked: a machine has both memories, or regions and link
        return self.link.resolved()

    @property
    def code_waits(self) -> int:
        """Wait states that the memory of the code adds to those of the core, in cycles."""
        return self.regions[self._places["text"]].waits if self.regions else 0

    @property
    def is_one(self) -> bool:
        """Whether code and data share one memory."""
        return self.instruction.base == self.data.base

    @property
    def spans(self) -> list[Span]:
        """The addresses of all memories."""
        if self.regions:
            return [each.span(f"region {name}") for name, each in self.regions.items()]
        return [self.instruction.span("instruction memory"), self.data.span("data memory")]

    def with_data_size(self, size: Bytes) -> "Memory":
        """Return the memories with another size of that of the data."""
        if self.only_data is not None:
            return self.model_copy(
                update={"only_data": self.only_data.model_copy(update={"size": size})}
            )
        name = self._places["data"]
        changed = self.regions[name].model_copy(update={"size": size})
        return self.model_copy(update={"regions": self.regions | {name: changed}})


def without_regions(values: dict[str, Any]) -> dict[str, Any]:
    """Return the values of a memory section without later keys that have no effect."""
    if values["regions"]:
        regions = {
            name: {key: value for key, value in each.items() if (key, value) != ("cache", None)}
            for name, each in values["regions"].items()
        }
        return values | {"regions": regions}
    return {name: value for name, value in values.items() if name not in ("regions", "link")}
