"""The function that runs every cocotb bench, and the policy for missing programs."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest
from typer.testing import CliRunner

from gnomon.base.content import content
from gnomon.base.errors import CheckFailed, GnomonError
from gnomon.cli.app import app
from gnomon.rtl import Bench, Tool, find_simulator
from gnomon.rtl.tools import tool as outside
from tests.rtl.conftest import need

if TYPE_CHECKING:
    from pathlib import Path

BENCH = Bench(
    top="div_restoring",
    sources=tuple(
        content("rtl_tests", "hdl", f"{name}.sv") for name in ("div_rows", "div_restoring")
    ),
    module="tests.rtl.failing_bench",
    parameters={"WIDTH": 7},
)
ABSENT = Tool("icarus", "benches", None, "", None, "sudo apt-get install iverilog")


def test_arguments_seed_and_parameters_reach_the_bench(simulator: Tool, tmp_path: Path) -> None:
    outcome = BENCH.run(tmp_path, seed=5, simulator=simulator, arguments={"fail": False})
    assert outcome == {"seed": 5, "width": 7}
    assert not list(tmp_path.glob("**/*.fst"))


def test_a_failing_bench_says_why_and_leaves_waves(simulator: Tool, tmp_path: Path) -> None:
    with pytest.raises(CheckFailed, match="as told") as caught:
        BENCH.run(tmp_path, seed=5, simulator=simulator, arguments={"fail": True})
    message = str(caught.value)
    assert message.startswith("tests.rtl.failing_bench on div_restoring: seed 5:\n")
    (recording,) = (tmp_path / "waves").glob("*.fst")
    assert message.endswith(f"\nwaves: {recording}")


def test_a_design_that_does_not_compile_is_named(simulator: Tool, tmp_path: Path) -> None:
    broken = tmp_path / "broken.sv"
    broken.write_text("module broken (input a; endmodule\n")
    bench = Bench("broken", (broken,), BENCH.module)
    with pytest.raises(GnomonError, match=r"^broken: does not compile with icarus:\n.*broken.sv:1"):
        bench.run(tmp_path / "build", seed=1, simulator=simulator)


def test_a_design_that_never_lets_time_pass_is_ended(simulator: Tool, tmp_path: Path) -> None:
    stuck = tmp_path / "stuck.sv"
    stuck.write_text(
        "module stuck; reg a = 0; initial while (1) #0 a = ~a;\n"
        "wire [6:0] dividend = {7{a}}; endmodule\n"
    )
    bench = Bench("stuck", (stuck,), BENCH.module)
    with pytest.raises(CheckFailed, match=r"on stuck: seed 1"):
        bench.run(
            tmp_path / "b", seed=1, simulator=simulator, waves=True, most_seconds=2,
            arguments={"fail": False},
        )  # fmt: skip


def test_without_a_simulator_the_command_to_install_it_is_named(tmp_path: Path) -> None:
    with pytest.raises(GnomonError, match=r"^icarus: not found \(install: sudo apt-get install "):
        BENCH.run(tmp_path, seed=1, simulator=ABSENT)


def test_a_missing_simulator_is_a_skip_here_and_a_failure_in_ci(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delenv("CI", raising=False)
    with pytest.raises(pytest.skip.Exception, match=r"no tool: icarus: not found; install: sudo"):
        need(ABSENT)
    monkeypatch.setenv("CI", "true")
    with pytest.raises(pytest.fail.Exception, match="in CI nothing may be left out"):
        need(ABSENT)


def test_the_summary_names_what_was_skipped_and_the_command(tmp_path: Path) -> None:
    (tmp_path / "conftest.py").write_text("from tests.conftest import pytest_terminal_summary\n")
    (tmp_path / "test_it.py").write_text(
        "from tests.rtl.conftest import need\n"
        "from tests.rtl.test_bench import ABSENT\n"
        "def test_one(): need(ABSENT)\n"
    )
    environment = {k: v for k, v in os.environ.items() if k != "CI"}
    environment["PYTHONPATH"] = os.pathsep.join(sys.path)
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider",
               f"--rootdir={tmp_path}", str(tmp_path)]  # fmt: skip
    told = subprocess.run(
        command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=True
    ).stdout
    assert "left out for want of a program" in told
    assert (
        "\nicarus: not found; install: sudo apt-get install iverilog\n  test_it.py::test_one\n"
        in told
    )


@pytest.mark.parametrize(
    ("printed", "problem"),
    [
        ("Verilator 5.036 2025-04-27", None),
        ("Verilator 5.006 2023-01-22", "version 5.006: cocotb 2 needs 5.036 or newer"),
        ("Verilator 4.210 2021-07-07", "version 4.210: cocotb 2 needs 5.036 or newer"),
    ],
)
def test_old_verilators_are_refused(
    printed: str, problem: str | None, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    fake = tmp_path / "verilator"
    fake.write_text(f"#!/bin/sh\necho '{printed}'\n")
    fake.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=":")
    tool = outside("verilator")
    assert tool.path == str(fake)
    assert tool.problem == problem
    assert json.loads(json.dumps(tool.to_json()))["usable"] == (problem is None)
    lines = CliRunner().invoke(app, ["rtl", "tools"], catch_exceptions=False).stdout.splitlines()
    at = next(n for n, line in enumerate(lines) if line.startswith("verilator: "))
    assert str(fake) in lines[at]  # calibration takes it
    assert "gnomon calibrate" in lines[at]
    assert lines[at + 1].startswith(f"  {problem}; install: ") == (problem is not None)


def test_an_unknown_simulator_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GNOMON_RTL_SIMULATOR", "verilater")
    with pytest.raises(GnomonError, match=r"^GNOMON_RTL_SIMULATOR=verilater: no such simulator .*"
                       r"did you mean 'verilator'\?\)$"):  # fmt: skip
        find_simulator()
