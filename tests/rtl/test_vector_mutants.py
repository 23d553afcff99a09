"""The vector bench catches every seeded bug, and tells it in few instructions."""

from __future__ import annotations

import re
import shlex
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from gnomon.arch import load_architecture
from gnomon.base.errors import CheckFailed
from gnomon.program import load_elf
from gnomon.rtl.designs import hdl_folder
from gnomon.sim import simulate
from rtl_tests.benches.vector_design import run_streams
from rtl_tests.benches.vector_stream import Config
from rtl_tests.mutants.mutant import plant, read_mutant
from tests.rows import light_and_heavy

if TYPE_CHECKING:
    from gnomon.rtl import Tool

PATCHES = sorted(Path(__file__).parents[2].glob("rtl_tests/mutants/vcu-*.patch"))
FEW = ("vcu-half-words", "vcu-check-overrun")


@pytest.mark.parametrize("patch", light_and_heavy("rtl", FEW, PATCHES, lambda path: path.stem))
def test_a_seeded_bug_is_caught(patch: Path, simulator: Tool, tmp_path: Path) -> None:
    mutant = read_mutant(patch)
    simd, accelerators = map(int, mutant.bench[1:])
    with pytest.raises(CheckFailed, match="seed 1: "):
        run_streams(
            Config(simd=simd, accelerators=accelerators),
            tmp_path / "run",
            seed=1,
            simulator=simulator,
            directed=True,
            random=4,
            shrink=False,
            hdl=plant(mutant, hdl_folder(), tmp_path / "hdl"),
        )


def test_there_are_bugs_in_every_part() -> None:
    assert len(PATCHES) >= 12
    parts = {read_mutant(patch).patch.splitlines()[0] for patch in PATCHES}
    assert len(parts) == 9


def test_a_failing_stream_is_short_and_runs_on_the_simulator(
    simulator: Tool, tmp_path: Path
) -> None:
    """The program prints what the last instruction should have written."""
    (patch,) = [path for path in PATCHES if path.stem == "vcu-adder-carry"]
    hdl = plant(read_mutant(patch), hdl_folder(), tmp_path / "hdl")
    config = Config(simd=1)
    with pytest.raises(CheckFailed) as caught:
        run_streams(
            config,
            tmp_path / "run",
            seed=1,
            simulator=simulator,
            directed=False,
            random=8,
            hdl=hdl,
        )
    lines = str(caught.value).splitlines()
    assert lines[0].startswith(f"{config}, seed 1: ")
    shown = [line for line in lines if line.startswith("hart ")]
    assert len(shown) == 1
    assert " bits=16 " in shown[0]
    (told,) = [line for line in lines if line.startswith("what the model does: gnomon run ")]
    command = shlex.split(told.partition("gnomon run ")[2])
    overrides = [command[k + 1] for k, word in enumerate(command) if word == "--set"]
    architecture = load_architecture("t13-simd1", overrides=overrides)
    run = simulate(load_elf(Path(command[0]).read_bytes()), architecture, max_cycles=100_000)
    assert run.halted == "exit"
    found = re.search(r", not (\w{8}) \(word (\d+) of (\d+)\)", lines[0])
    assert found is not None
    assert len(run.printed) == int(found[3])
    assert run.printed[int(found[2]) - 1] & 0xFFFF_FFFF == int(found[1], 16)
    assert lines[-1].startswith("waves: ")
    assert lines[-1].endswith(".fst")
