"""One hardware setting of a core: its values at elaboration, and the keys of its machine."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, get_args

from gnomon.arch import Architecture
from gnomon.base.errors import GnomonError, did_you_mean

Sharing = Literal["shared", "replicated", "multithreaded"]
"""One vector unit for all harts, one for each, or one set of functional units for all."""

SIMDS = (1, 2, 4, 8)
HARTS = (3, 4, 5)
GENERICS = (
    "replicate_accl_en", "multithreaded_accl_en", "simd", "superscalar_exec_en",
    "thread_pool_size", "spm_num", "addr_width", "count_all",
)  # fmt: skip
"""Generics of the core, which are columns in tables of programs and of measurements."""
SHARINGS: tuple[Sharing, ...] = get_args(Sharing)


@dataclass(frozen=True, slots=True, order=True)
class Setting:
    """The values chosen when the core is elaborated. SIMD 0: no vector unit.

    All other values are those of the reference runs: M extension, all counters, debug unit (without
    it the counters do not count in simulation), registers in LUTRAM, scratchpads from 0x10000000.
    """

    simd: int = 1
    sharing: Sharing = "shared"
    superscalar: bool = True
    harts: int = 3
    scratchpads: int = 4
    scratchpad_bytes: int = 4096
    count_all: bool = True

    @classmethod
    def from_architecture(cls, architecture: Architecture) -> "Setting":
        """Return the setting of a machine."""
        core, vcu = architecture.core, architecture.vcu
        own = (core.superscalar, core.harts)
        if vcu is None:
            return cls(0, "shared", *own, count_all=core.count_all)
        pads = vcu.scratchpads
        return cls(vcu.simd, vcu.sharing, *own, pads.count, int(pads.size), core.count_all)

    @classmethod
    def from_row(cls, row: Mapping[str, str]) -> "Setting":
        """Return the setting of a row with ``GENERICS``; the last four are optional."""
        values = {name: int(row[name]) for name in GENERICS if name in row}
        sharing: Sharing = "shared"
        if values["replicate_accl_en"]:
            sharing = "multithreaded" if values["multithreaded_accl_en"] else "replicated"
        return cls(
            values["simd"], sharing, bool(values["superscalar_exec_en"]),
            values.get("thread_pool_size", 3), values.get("spm_num", 4),
            1 << values.get("addr_width", 12), bool(values.get("count_all", 1)),
        )  # fmt: skip

    @property
    def title(self) -> str:
        """A short name, such as ``simd4 shared superscalar``."""
        vector = [f"simd{self.simd}", self.sharing] if self.simd else ["scalar"]
        words = [*vector, "superscalar" if self.superscalar else "serial"]
        usual = Setting()
        if self.harts != usual.harts:
            words.append(f"{self.harts} harts")
        if self.simd and (self.scratchpads, self.scratchpad_bytes) != (
            usual.scratchpads,
            usual.scratchpad_bytes,
        ):
            words.append(f"{self.scratchpads} x {self.scratchpad_bytes} B")
        if not self.count_all:
            words.append("own counters")
        return " ".join(words)

    def overrides(self) -> tuple[str, ...]:
        """Return the setting as values of ``--set`` of a machine."""
        core = (
            f"core.superscalar={str(self.superscalar).lower()}",
            f"core.harts={self.harts}",
            f"core.count_all={str(self.count_all).lower()}",
        )
        if not self.simd:
            return ("vcu=none", *core)
        return (
            f"vcu.simd={self.simd}",
            f"vcu.sharing={self.sharing}",
            f"vcu.scratchpads.count={self.scratchpads}",
            f"vcu.scratchpads.size={self.scratchpad_bytes} B",
            *core,
        )


def parse_values(option: str, text: str) -> tuple[Any, ...]:
    """Return the values of an option such as ``--simd 1,2,4``, without repetition.

    Raises:
        GnomonError: if a value is not allowed.
    """
    known, problem = _WORDS[option]
    words = dict.fromkeys(word.strip() for word in text.split(","))
    for word in words:
        if word not in known:
            raise GnomonError(f"{option}: {word!r} is {problem}{did_you_mean(word, known)}")
    return tuple(known[word] for word in words)


_WORDS: dict[str, tuple[dict[str, Any], str]] = {
    "--simd": ({str(n): n for n in (0, *SIMDS)}, "none of 0 (no vector unit), 1, 2, 4, 8"),
    "--sharing": (dict(zip(SHARINGS, SHARINGS, strict=True)), f"none of {', '.join(SHARINGS)}"),
    "--superscalar": ({"on": True, "off": False}, "neither on nor off"),
    "--harts": ({str(n): n for n in HARTS}, "none of 3, 4, 5"),
}
