"""The divider benches catch every seeded bug."""

from __future__ import annotations

from pathlib import Path

import pytest

from gnomon.base.errors import CheckFailed
from gnomon.rtl import Tool
from gnomon.rtl.designs import divider_bench, hdl_folder, vector_divider_bench
from rtl_tests.mutants.mutant import plant, read_mutant
from tests.rows import light_and_heavy

PATCHES = sorted(Path(__file__).parents[2].glob("rtl_tests/mutants/div-*.patch"))
FEW = ("div-handshake", "div-skip-limit", "div-vector-tail")  # handshake, cycles, lanes


@pytest.mark.parametrize("patch", light_and_heavy("rtl", FEW, PATCHES, lambda path: path.stem))
def test_a_seeded_bug_is_caught(patch: Path, simulator: Tool, tmp_path: Path) -> None:
    mutant = read_mutant(patch)
    hdl = plant(mutant, hdl_folder(), tmp_path / "hdl")
    top, kind = mutant.bench
    if top == "divider":
        bench = divider_bench(kind, folder=hdl)
        arguments = {"kind": kind, "width": 32, "random": 100}
    else:
        bench = vector_divider_bench(kind, 4, folder=hdl)
        arguments = {"kind": kind, "lanes": 4, "zero_as_riscv": 0, "vectors": 50}
    # Recorded from the start: a failing bench would run twice otherwise.
    with pytest.raises(CheckFailed):
        bench.run(tmp_path / "run", seed=1, simulator=simulator, arguments=arguments, waves=True)


def test_there_are_bugs_in_every_design() -> None:
    assert len(PATCHES) >= 12
    designs = {read_mutant(patch).patch.splitlines()[0] for patch in PATCHES}
    assert len(designs) == 8
