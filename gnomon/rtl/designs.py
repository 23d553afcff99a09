"""gnomon's RTL as designs: kinds of dividers, their benches, and grids of configurations.

A grid has the configurations that are synthesized for one file of ``models/area``.
"""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Final

from gnomon.arch.dividers import Divider
from gnomon.arch.units.hdl import without_units
from gnomon.base.content import content
from gnomon.base.digest import digest
from gnomon.base.errors import GnomonError, did_you_mean
from gnomon.base.frames import csv_text, frame
from gnomon.rtl.bench import Bench
from gnomon.rtl.synthesis import WEIGHTS, Configuration, synthesize
from gnomon.rtl.tools import Tool
from gnomon.rtl.tools import tool as outside

if TYPE_CHECKING:
    import pandas as pd

LANES = (1, 2, 4, 8)
SCRATCHPADS = (1, 2, 3, 4, 5, 6, 7, 8)
"""Allowed numbers of scratchpads of a vector unit."""

# Engine and parameters of each kind, as in divider.sv; a test compares them. A parameter is a
# number, or the key of the latency model that has it.
_ENGINES: dict[str, tuple[str, dict[str, int | str]]] = {
    "restoring_r2": ("div_restoring", {}), "nonrestoring_r2": ("div_nonrestoring", {}),
    "restoring_r4": ("div_restoring_r4", {}),
    "unrolled_2": ("div_restoring", {"BITS_PER_CYCLE": "bits_per_cycle"}),
    "unrolled_4": ("div_restoring", {"BITS_PER_CYCLE": "bits_per_cycle"}),
    "unrolled_8": ("div_restoring", {"BITS_PER_CYCLE": "bits_per_cycle"}),
    "combinational": ("div_combinational", {}), "early_clz_r2": ("div_early", {}),
    "early_clz_r4": ("div_early", {"BITS_PER_CYCLE": "bits_per_cycle"}),
    "klessydra_vl_std": ("div_skip", {}), "klessydra_vl_hf": ("div_skip_hf", {}),
    "klessydra_vl_ls": ("div_skip", {"MOST_SKIP": "most_skip"}),
    "klessydra_vl_hp": ("div_skip", {"SURE_SUBTRACT": 1}),
}  # fmt: skip

DIVIDER_KINDS = tuple(_ENGINES)
"""The rows of ``models/dividers/laws.yaml`` that ``divider.sv`` implements."""

DIVIDER_SOURCES = (
    "leading_zeros.sv", "div_rows.sv", "div_digit_r4.sv", "div_restoring.sv",
    "div_combinational.sv", "div_nonrestoring.sv", "div_restoring_r4.sv", "div_early.sv",
    "div_skip.sv", "div_skip_hf.sv", "divider.sv",
)  # fmt: skip
VECTOR_UNIT = (
    "t13_pkg.svh", "vcu_pkg.svh", "vcu_bank.sv", "vcu_scratchpads.sv", "vcu_adder.sv",
    "vcu_comparator.sv", "vcu_multiplier.sv", "vcu_scaled_multiplier.sv", "vcu_shifter.sv",
    "vcu_accumulator.sv", *DIVIDER_SOURCES, "vector_divider.sv", "vcu_units.sv", "vcu_arbiter.sv",
    "vcu_check.sv", "vcu_accelerator.sv", "vcu_transfer.sv", "vcu.sv",
)  # fmt: skip
MACHINE_SOURCES = (
    *VECTOR_UNIT, "t13_alu.sv", "t13_multiplier.sv", "t13_decode.sv", "t13_access.sv",
    "t13_badaddr.sv", "t13_hart_csrs.sv", "t13_csrs.sv", "t13_registers.sv", "t13_fetch.sv",
    "t13_execute.sv", "t13_core.sv", "t13.sv",
)  # fmt: skip
"""Files of the machine in ``rtl_tests/hdl``, each after the files it uses; the parameter file
precedes all of them."""

# Machines to synthesize as a whole: harts, SIMD (0: no vector unit), sharing, divider of the core,
# divider of each lane. Each row differs from an earlier one in few values; small machines come
# first.
_MACHINES: tuple[tuple[int, int, str, str, str], ...] = (
    (3, 0, "shared", "restoring_r2", "none"),
    (3, 1, "shared", "restoring_r2", "none"),
    (3, 2, "shared", "restoring_r2", "none"),
    (4, 0, "shared", "restoring_r2", "none"),
    (3, 1, "multithreaded", "restoring_r2", "none"),
    (3, 1, "replicated", "restoring_r2", "none"),
    (3, 0, "shared", "early_clz_r2", "none"),
    (3, 1, "shared", "restoring_r2", "restoring_r2"),
    (3, 4, "shared", "restoring_r2", "none"),
    (5, 0, "shared", "restoring_r2", "none"),
    (3, 2, "multithreaded", "restoring_r2", "none"),
    (3, 2, "replicated", "restoring_r2", "none"),
    (3, 8, "shared", "restoring_r2", "none"),
)
# These functional units of a lane have equal netlists at any number of lanes.
_LANE_PARTS = {
    "vcu.adder": "lane_adder", "vcu.multiplier": "lane_multiplier", "vcu.shifter": "lane_shifter",
    "vcu.comparator": "lane_comparator", "vcu.post_scale": "lane_post_scale",
}  # fmt: skip


MEMORY: Final = "vcu_bank"
"""The module that stays a memory in netlists, since libraries of cells have none."""

MACHINE_PORTS: Final = {
    "rst_n": 1, "fetch_enable": 1, "superscalar": 1, "count_all": 1, "instr_req": 1,
    "instr_gnt": 1, "instr_addr": 32, "instr_rvalid": 1, "instr_rdata": 32, "data_req": 1,
    "data_gnt": 1, "data_we": 1, "data_be": 4, "data_addr": 32, "data_wdata": 32,
    "data_rvalid": 1, "data_rdata": 32, "data_err": 1, "issue": 1,
    "issue_hart": 3, "issue_pc": 32, "issue_word": 32,
}  # fmt: skip
"""Ports of our machine besides the clock, with their widths in bits."""


@dataclass(frozen=True, slots=True)
class Design:
    """RTL before cells: files by name, what yosys does with them, up to ``synth``."""

    top: str
    files: Mapping[str, bytes]
    steps: Sequence[str]


def hdl_folder() -> Path:
    """Return the folder of our SystemVerilog."""
    return content("rtl_tests", "hdl")


def checked_kinds(kinds: Iterable[str]) -> tuple[str, ...]:
    """Return the names of dividers if all are known.

    Raises:
        GnomonError: if one is not.
    """
    kinds = tuple(kinds)
    for kind in kinds:
        if kind not in DIVIDER_KINDS:
            known = f"{', '.join(DIVIDER_KINDS)}{did_you_mean(kind, DIVIDER_KINDS)}"
            raise GnomonError(f"gnomon's RTL has no divider {kind!r} (allowed: {known})")
    return kinds


def divider_sources(folder: Path | None = None) -> tuple[Path, ...]:
    """Return the files of a divider, each after the files it uses."""
    return tuple((folder or hdl_folder()) / name for name in DIVIDER_SOURCES)


def divider_engine(kind: str) -> tuple[str, dict[str, int]]:
    """Return the module of a divider and its parameters."""
    module, parameters = _ENGINES[kind]
    divider = Divider.named(kind)
    return module, {
        name: getattr(divider, value) if isinstance(value, str) else value
        for name, value in parameters.items()
    }


def divider_bench(kind: str, width_bits: int = 32, folder: Path | None = None) -> Bench:
    """Return the cocotb bench of one kind; ``folder``: SystemVerilog in place of gnomon's."""
    parameters: dict[str, int | str] = {"KIND": f'"{kind}"', "WIDTH": width_bits}
    return Bench("divider", divider_sources(folder), "rtl_tests.benches.dividers", parameters)


def vector_divider_bench(
    kind: str, lanes: int, *, zero_as_riscv: int = 0, folder: Path | None = None
) -> Bench:
    """Return the cocotb bench of the vector division with one divider of this kind per lane."""
    sources = (*divider_sources(folder), (folder or hdl_folder()) / "vector_divider.sv")
    parameters: dict[str, int | str] = {
        "KIND": f'"{kind}"', "LANES": lanes, "ZERO_AS_RISCV": zero_as_riscv,
    }  # fmt: skip
    return Bench("vector_divider", sources, "rtl_tests.benches.vector_dividers", parameters)


_HEAD = """\
# Made by `gnomon rtl area --design {design}`. Synthesis estimates: counts of a synthesis tool,
# neither placed nor routed. models/README.md has the columns.
"""
_COLUMNS = ("part", "conditions", "lut", "ff", "dsp", "bram", "design", "tool")


@dataclass(frozen=True, slots=True)
class Grid:
    """Configurations of one file of ``models/area``, with a note about its parts."""

    design: str
    note: str
    configurations: tuple[Configuration, ...]

    @staticmethod
    def from_design(
        design: str,
        *,
        dividers: Iterable[str] | None = None,
        lanes: Iterable[int] | None = None,
        scratchpads: Iterable[int] | None = None,
    ) -> Grid:
        """Return the grid of a design, such as ``dividers``: all configurations, or some.

        Raises:
            GnomonError: if gnomon's RTL lacks a divider, or a number is not allowed.
        """
        allowed = (0, *LANES) if design == "machines" else LANES
        simd = _check_numbers(lanes or allowed, allowed, "lanes")
        if design == "machines":
            found = _list_machines(simd)
        elif design == "dividers":
            found = _list_dividers(checked_kinds(dividers or DIVIDER_KINDS), simd)
        else:
            counts = _check_numbers(scratchpads or SCRATCHPADS, SCRATCHPADS, "scratchpads")
            is_whole = design == "vector-unit"
            found = (_list_vector_units if is_whole else _list_vector_parts)(simd, counts)
        return Grid(design, _NOTES[design].format(digest=machine_digest()[:16]), tuple(found))

    def rows(
        self, *, tool: Tool | None = None, done: Callable[[str], None] = lambda _: None
    ) -> pd.DataFrame:
        """Synthesize every configuration and return one row each; ``done`` gets each design.

        Raises:
            GnomonError: if yosys is missing or rejects a design.
        """
        tool = tool or outside("yosys")
        rows = []
        for each in self.configurations:
            counts = synthesize(each, tool)
            conditions = " ".join(f"{key}={value}" for key, value in each.conditions.items())
            made_by = f"yosys {tool.version} {each.command}"
            rows.append((each.part, conditions, *counts.values(), each.design, made_by))
            done(each.design)
        return frame(_COLUMNS, rows)

    def csv(self, rows: pd.DataFrame) -> bytes:
        """Return rows as a file of ``models/area``; the note precedes them as comments."""
        counts = {name: rows[name].map("{:g}".format) for name in WEIGHTS}
        above = "".join(f"# {line}\n" for line in textwrap.wrap(self.note, 97))
        return (_HEAD.format(design=self.design) + above + csv_text(rows.assign(**counts))).encode()


_NOTES = {
    "dividers": "Parts: divider.engine divides magnitudes; divider has signs, results by zero and a"
    " handshake as well; vector_divider is one per lane, with the lock-step around them. It"
    " stands beside vcu.whole of synth-whole-vcu-xc7.csv and shares nothing with it: the two"
    " add up.",
    "vector-unit": "The whole vector unit with its scratchpads of 4 KiB and without a divider, to"
    " hold the sum of parts against. No area table takes figures from here.",
    "machines": "Whole machines: core, vector unit, scratchpads, with all quirks on; neither"
    " memories nor buses. All rows are of one state of our RTL, digest {digest}.",
    "vector-parts": "Units of one lane, the accumulator of all lanes, and what stands between lanes"
    " and scratchpads.",
}


def _list_dividers(kinds: tuple[str, ...], lanes: tuple[int, ...]) -> Iterator[Configuration]:
    """Yield each kind as an engine, as a divider, and in vector divisions of each lane count."""
    folder = hdl_folder()
    for kind in kinds:
        top, parameters = divider_engine(kind)
        needed = [each for each in DIVIDER_SOURCES if each not in {f"{top}.sv", "divider.sv"}]
        machine = {"core.divider": kind}
        yield Configuration(
            "divider.engine", top, folder, (*needed, f"{top}.sv"), {"WIDTH": 32, **parameters},
            machine,
        )  # fmt: skip
        yield Configuration("divider", "divider", folder, DIVIDER_SOURCES, {"KIND": kind}, machine)
    for kind, number in product(kinds, lanes):
        yield Configuration(
            "vector_divider", "vector_divider", folder, (*DIVIDER_SOURCES, "vector_divider.sv"),
            {"LANES": number, "KIND": kind}, {"vcu.simd": number, "vcu.divider": kind},
            flat=False,  # lanes are equal, so yosys synthesizes one
        )  # fmt: skip


def _list_vector_units(
    lanes: tuple[int, ...], scratchpads: tuple[int, ...]
) -> Iterator[Configuration]:
    """Yield the shared vector unit with each number of lanes and scratchpads."""
    for number, count in product(lanes, scratchpads):
        yield Configuration(
            "vcu.whole", "vcu", hdl_folder(), VECTOR_UNIT, {"SIMD": number, "SPM_COUNT": count},
            {"vcu.simd": number, "vcu.sharing": "shared", "vcu.scratchpads.count": count},
        )  # fmt: skip


def _list_machines(lanes: tuple[int, ...]) -> Iterator[Configuration]:
    """Yield whole machines, with the scratchpads of the shipped machines."""
    for harts, simd, sharing, divider, lane_divider in _MACHINES:
        if simd not in lanes:
            continue
        unit = {"vcu.simd": "none"}
        if simd:
            unit = {
                "vcu.simd": f"{simd}", "vcu.sharing": sharing, "vcu.scratchpads.count": "4",
                "vcu.scratchpads.size": "4096", "vcu.divider": lane_divider,
                "vcu.extensions": "none" if lane_divider == "none" else "kdiv",
            }  # fmt: skip
        yield Configuration(
            "machine", "t13", hdl_folder(), MACHINE_SOURCES,
            {"HARTS": harts, "SIMD": simd, "SHARING": sharing, "DIVIDER": divider,
             "LANE_DIVIDER": lane_divider},
            {"core.model": "t13", "core.harts": harts, "core.divider": divider, **unit},
        )  # fmt: skip


def machine_digest() -> str:
    """Return the digest of the files of a synthesized machine, which has no units."""
    texts = ((hdl_folder() / name).read_text("utf-8") for name in MACHINE_SOURCES)
    return digest([without_units(text).encode() for text in texts])


def _list_vector_parts(
    lanes: tuple[int, ...], scratchpads: tuple[int, ...]
) -> Iterator[Configuration]:
    """Yield the components of area tables: lane units, accumulator, scratchpad interface."""
    of = (content("rtl_tests", "area"), ("vector_units.v",))
    for name, top in _LANE_PARTS.items():
        yield Configuration(name, top, *of)
    for number in lanes:
        simd = {"SIMD": number}
        yield Configuration("vcu.accumulator", "accumulator", *of, simd, {"vcu.simd": number})
    for number, count in product(lanes, scratchpads):
        yield Configuration(
            "scratchpad.interface", "scratchpad_interface", *of,
            {"SIMD": number, "COUNT": count, "LANE_BITS": max(1, (number - 1).bit_length())},
            {"vcu.simd": number, "vcu.scratchpads.count": count},
        )  # fmt: skip


def _check_numbers(numbers: Iterable[int], allowed: Sequence[int], what: str) -> tuple[int, ...]:
    given = tuple(dict.fromkeys(numbers))
    for number in given:
        if number not in allowed:
            names = ", ".join(map(str, allowed))
            raise GnomonError(f"no machine has {number} {what} (allowed: {names})")
    return given
