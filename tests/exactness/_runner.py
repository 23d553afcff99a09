"""The interface through which the exactness checks run: the tiers of the engine, or the oracle."""

from __future__ import annotations

import functools
import json
import tempfile
import zlib
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Protocol

import numpy as np
import pytest

from gnomon.arch import Architecture, load_architecture
from gnomon.program import load_elf
from gnomon.sim import Run, simulate
from tests.exactness._elf_reader import read_elf
from tests.oracle import Oracle, OracleConfig, OracleRegion

BUSES = (
    "instruction", "rs1_select", "rs2_select", "rd_select", "operation", "immediate", "rs1_read",
    "rs2_read", "rd_read", "product", "product_sums", "write_back", "alu_a", "alu_b",
    "multiplier_a", "multiplier_b", "partial_sum", "divider_a", "divider_b", "remainder", "address",
    "load_data", "store_data", "lane_a", "lane_b", "lane_product", "lane_multiplier",
    "scratchpad_read", "scratchpad_write",
)  # fmt: skip
MAX_CYCLES = 5_000_000
_LSU = -1  # the unit number of the load/store unit in busy intervals


@dataclass(frozen=True, kw_only=True)
class RunResult:
    """What the checks look at. Intervals are (unit, first busy cycle, last busy cycle)."""

    exit_code: int | None
    exit_cycle: int
    halted: bool
    issued: tuple[int, ...]
    retries: tuple[int, ...]
    retired: tuple[int, ...]
    hart_cycles: tuple[int, ...]
    printed: tuple[int, ...]
    data_ram_crc32: int
    data_ram: bytes = field(repr=False)
    transfer_bus_requests: int
    trace: list[tuple[int, int, int, int]]  # cycle, hart, pc, word
    vcu_intervals: list[tuple[int, int, int]]
    lsu_intervals: list[tuple[int, int, int]]
    # By pc; of toggling runs only.
    buses: dict[tuple[int, str], list[int]] = field(repr=False, compare=False)


class Runner(Protocol):
    def __call__(
        self,
        elf_bytes: bytes,
        *,
        simd: int = 1,
        sharing: str = "shared",
        superscalar: bool = True,
        harts: int = 3,
        spm_count: int = 4,
        spm_size_bytes: int = 4096,
        count_all: bool = True,
        trace: bool = True,
        max_cycles: int = MAX_CYCLES,
        **memory: Any,
    ) -> RunResult: ...


def run_on_oracle(
    elf_bytes: bytes,
    *,
    trace: bool = True,
    max_cycles: int = MAX_CYCLES,
    **configuration: Any,
) -> RunResult:
    """Run a program on the oracle."""
    oracle = Oracle(OracleConfig(**configuration))
    run = oracle.run(read_elf(elf_bytes).segments, max_cycles, trace=trace)
    return RunResult(
        exit_code=run.exit_code,
        exit_cycle=run.exit_cycle,
        halted=run.halted,
        issued=run.issued,
        retries=run.retries,
        retired=run.retired,
        hart_cycles=run.hart_cycles,
        printed=run.printed,
        data_ram_crc32=run.data_ram_crc32,
        data_ram=run.data_ram,
        transfer_bus_requests=run.transfer_bus_requests,
        trace=run.trace,
        vcu_intervals=[(i.unit, i.start_cycle, i.last_cycle) for i in run.vcu_intervals],
        lsu_intervals=[(_LSU, i.start_cycle, i.last_cycle) for i in run.lsu_intervals],
        buses=run.buses,
    )


@functools.cache
def _architecture(overrides: tuple[str, ...], regions: tuple[OracleRegion, ...]) -> Architecture:
    if not regions:
        return load_architecture("t13-simd1", overrides=list(overrides))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "regions.yaml"
        lines = ["extends: t13-simd1", "name: regions", "title: Regions"]
        path.write_text("\n".join([*lines, f"memory: {json.dumps(region_keys(regions))}", ""]))
        return load_architecture(str(path), overrides=list(overrides))


def region_keys(regions: tuple[OracleRegion, ...]) -> dict[str, Any]:
    """The section ``memory`` of a machine with code in the first region.

    Its data is in the region of that name, or with the code.
    """
    keys = {
        each.name: {
            "base": each.base, "size": f"{each.size_bytes} B", "kind": each.kind,
            "waits": each.waits, "width": 32 * each.access_words, "burst": each.burst,
        }
        for each in regions
    }  # fmt: skip
    link = {"text": regions[0].name, "data": "data" if "data" in keys else regions[0].name}
    return {"instruction": None, "data": None, "regions": keys, "link": link}


def run_on_engine(
    elf_bytes: bytes,
    *,
    simd: int = 1,
    sharing: str = "shared",
    superscalar: bool = True,
    harts: int = 3,
    spm_count: int = 4,
    spm_size_bytes: int = 4096,
    count_all: bool = True,
    trace: bool = True,
    toggles: bool = False,
    max_cycles: int = MAX_CYCLES,
    regions: tuple[OracleRegion, ...] = (),
    **memory: int,
) -> RunResult:
    """Run a program on the compiled engine, on the reference configuration with changes.

    ``memory``: data_waits, access_words, burst, as the oracle names them.
    """
    speed = () if regions else (
        f"memory.data.waits={memory.get('data_waits', 0)}",
        f"memory.data.width={32 * memory.get('access_words', 1)}",
        f"memory.data.burst={memory.get('burst', 1)}",
    )  # fmt: skip
    architecture = _architecture(
        (
            f"vcu.simd={simd}",
            f"vcu.sharing={sharing}",
            f"core.superscalar={str(superscalar).lower()}",
            f"core.harts={harts}",
            f"core.count_all={str(count_all).lower()}",
            f"vcu.scratchpads.count={spm_count}",
            f"vcu.scratchpads.size={spm_size_bytes} B",
            *speed,
        ),
        regions,
    )
    run = simulate(
        load_elf(elf_bytes), architecture, max_cycles=max_cycles, trace=trace,
        toggles=0 if toggles else None,
    )  # fmt: skip
    return _result(run)


def run_on_both_tiers(elf_bytes: bytes, **options: Any) -> RunResult:
    """Run a program on the interpreter; then on translated blocks, which must give the same."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("GNOMON_BLOCKS", "off")
        result = run_on_engine(elf_bytes, **options)
        patch.setenv("GNOMON_BLOCKS", "force")  # only what is not traced is translated
        translated = run_on_engine(elf_bytes, **options | {"trace": False})
    bare = replace(result, trace=[], vcu_intervals=[], lsu_intervals=[])
    assert translated == bare, "translated blocks differ from the interpreter"
    return result


def _result(run: Run) -> RunResult:
    spans = [] if run.spans is None else run.spans.tolist()
    data = b"".join(run.region_memory.values()) or run.data_memory
    return RunResult(
        exit_code=run.exit_code,
        exit_cycle=run.exit_cycle,
        halted=run.halted == "exit",
        issued=tuple(hart.issued for hart in run.harts),
        retries=tuple(hart.vcu_retries for hart in run.harts),
        retired=tuple(hart.retired for hart in run.harts),
        hart_cycles=tuple(hart.hart_cycles for hart in run.harts),
        printed=run.printed,
        data_ram_crc32=zlib.crc32(data),
        data_ram=data,
        transfer_bus_requests=run.transfer_bus_requests,
        trace=[] if run.trace is None else run.trace.tolist(),
        vcu_intervals=[span for span in spans if span[0] != _LSU],
        lsu_intervals=[span for span in spans if span[0] == _LSU],
        buses=_buses(run),
    )


def _buses(run: Run) -> dict[tuple[int, str], list[int]]:
    profile = run.profile
    if profile.buses is None:
        return {}
    counts = profile.buses.reshape(len(profile.buses), 2, -1)
    return {
        (profile.address(word), BUSES[bus]): counts[word, :, bus].tolist()
        for word, bus in np.argwhere(counts[:, 0]).tolist()
    }
