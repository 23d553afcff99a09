"""The vector unit as something to build: its sources, and the bench around it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from gnomon.base.content import content
from gnomon.rtl import Bench, BenchFailed, Tool, run_bench
from rtl_tests.benches.vector_program import write_program
from rtl_tests.benches.vector_stream import Config, Stream

if TYPE_CHECKING:
    from pathlib import Path

MODULES = (
    "vcu_bank", "vcu_scratchpads", "vcu_adder", "vcu_comparator", "vcu_multiplier", "vcu_shifter",
    "vcu_accumulator", "vcu_check", "vcu_accelerator", "vcu_transfer", "vcu",
)  # fmt: skip


def sources(hdl: Path | None = None) -> tuple[Path, ...]:
    """The design's files in the order of compilation, from another folder if one is given."""
    hdl = hdl or content("rtl_tests", "hdl")
    return (hdl / "vcu_pkg.svh", *(hdl / f"{module}.sv" for module in MODULES))


def bench(config: Config, hdl: Path | None = None) -> Bench:
    """The vector unit in its harness."""
    harness = content("rtl_tests", "benches", "vector_harness.sv")
    return Bench(
        top="vector_harness",
        sources=(*sources(hdl), harness),
        module="rtl_tests.benches.vector_bench",
        parameters=config.parameters,
    )


def run_streams(
    config: Config,
    folder: Path,
    *,
    seed: int,
    simulator: Tool,
    directed: bool,
    random: int,
    length: int = 40,
    shrink: bool = True,
    hdl: Path | None = None,
) -> dict[str, Any]:
    """Compare a unit with the model; what was compared and covered.

    Raises:
        BenchFailed: it differs. The message has the shortest stream that shows it, the command
            that runs the same in the simulator, and where the waves are.
    """
    told = {
        "config": {name: getattr(config, name) for name in config.__slots__},
        "directed": directed, "random": random, "length": length, "shrink": shrink,
    }  # fmt: skip
    unit = bench(config, hdl)
    outcome = run_bench(unit, folder, seed=seed, arguments=told, simulator=simulator)
    if not outcome["failures"]:
        return outcome
    first = outcome["failures"][0]
    if not shrink:
        raise BenchFailed(f"{config}, seed {seed}: {'; '.join(first['differences'])}")
    failing = folder / "failing.json"
    failing.write_text(json.dumps([first["stream"]]), encoding="utf-8")
    command = write_program(Stream.from_json(first["stream"]), config, folder)
    told["streams"] = str(failing)
    again = run_bench(
        unit, folder / "waves", seed=seed, arguments=told, simulator=simulator, waves=True
    )
    assert again["failures"], "the shortest stream fails again"
    recording = next((folder / "waves").glob("*.fst"), folder / "waves")
    raise BenchFailed(
        f"{config}, seed {seed}: {'; '.join(first['differences'])}\n{first['shown']}\n"
        f"what the model does: {command}\nwaves: {recording}"
    )
