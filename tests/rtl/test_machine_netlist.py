"""The machine as gates: what yosys makes of our RTL runs programs as the RTL does."""

from __future__ import annotations

import shutil
import subprocess
from typing import TYPE_CHECKING

import pytest

from gnomon.rtl import Tool
from gnomon.rtl.designs import MACHINE_SOURCES, hdl_folder
from gnomon.rtl.lockstep import Regression
from gnomon.rtl.machine import MachineCore
from gnomon.rtl.setting import Setting
from gnomon.rtl.tools import tool
from tests.rtl.conftest import need

if TYPE_CHECKING:
    from pathlib import Path

# Memories stay memories; all else becomes gates of two inputs, multiplexers and flip-flops.
STEPS = (
    "synth -flatten -top t13 -run :fine", "opt -fast -full", "techmap", "opt -fast",
    "abc -fast -g simple", "opt_clean", "check -assert", "rename -top t13_gates",
)  # fmt: skip


def netlist(synthesizer: Tool, folder: Path) -> Path:
    """A copy of our RTL in which the machine with its default parameters is a netlist."""
    hdl = folder / "hdl"
    shutil.copytree(hdl_folder(), hdl)
    gates = folder / "gates.v"
    steps = [
        f"read_verilog -sv {' '.join(MACHINE_SOURCES)}",
        *STEPS,
        f"write_verilog -noattr {gates}",
    ]
    done = subprocess.run(
        [str(synthesizer.path), "-q", "-p", "; ".join(steps)],
        cwd=hdl, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-2000:]
    head, found, _ = (hdl / "t13.sv").read_text().partition("\n);\n")
    wrapper = f"{head}{found}  t13_gates gates (.*);\nendmodule\n"
    (hdl / "t13.sv").write_text(wrapper + gates.read_text())
    return hdl


@pytest.mark.heavy("gates")
def test_the_netlist_is_equal_to_the_simulator(synthesizer: Tool, tmp_path: Path) -> None:
    """All parameters at their defaults: t13-simd1, three harts, one shared vector unit.

    On Icarus: Verilator 5.006 gives bit 31 of a product of the same netlist another value.
    """
    need(tool("icarus"))
    hdl = netlist(synthesizer, tmp_path)
    core = Regression(MachineCore("icarus", hdl), tmp_path, most_tries=0)
    for seed in range(10):
        result = core.seed(seed, Setting(superscalar=seed % 2 == 0, count_all=seed % 3 != 0))
        assert result.same, f"{result.name}: {result.compared.divergence}"
