"""A small core of ours under Icarus, on each bus, with and without a look at what retires."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from gnomon.arch import load_architecture
from gnomon.calibrate.calibration import Calibration
from tests.rtl.conftest import need_icarus

_CORE = Path(__file__).with_name("tiny.v")
_FILE = """schema: 1
name: tiny
source: the tests
sources: [{core}]
top: tiny_{top}
clock: clk
reset: {{signal: rst, active: high}}
bus: {bus}
isa: rv32i
reset-pc: 0
{more}"""
_TOPS = {"pico": "pico", "wishbone": "wishbone", "obi": "obi", "ahb-lite": "ahb",
         "ahb-lite-1port": "ahb1"}  # fmt: skip
_TURN = {"pico": 1, "wishbone": 2, "obi": 2, "ahb-lite": 2, "ahb-lite-1port": 2}
"""Cycles of one access to memory without wait states."""


def _found(folder: Path, bus: str, more: str = "", top: str = "") -> dict[str, Any]:
    """The latencies of the machine that is made, which has been held against random programs."""
    text = _FILE.format(core=_CORE, top=top or _TOPS[bus], bus=bus, more=more)
    (folder / "core.yaml").write_text(text)
    made = Calibration.from_core(folder / "core.yaml", folder / "build")
    path = folder / "tiny.yaml"
    path.write_text(made.text())
    made.check(path)
    latency = load_architecture(str(path)).core.latency
    assert latency is not None
    return latency.to_dict()


def _expected(bus: str) -> dict[str, Any]:
    """By the states of the core: fetch, one cycle or more, for some a second access."""
    turn = _TURN[bus]
    return {"alu": turn + 1, "load": 2 * turn + 1, "store": 2 * turn + 1, "branch": turn + 1,
            "branch-taken": 2, "jump": turn + 1, "fence": turn + 1}  # fmt: skip


def _holds(found: dict[str, Any], bus: str) -> None:
    wanted = _expected(bus)
    assert {name: found[name] for name in wanted} == wanted
    (rule,) = found["rules"]
    assert rule["of"] == ["sll", "srl", "sra", "slli", "srli", "srai"]
    assert (rule["by"], rule["cycles"], rule["each"]) == ("shift-amount", _TURN[bus] + 1, 1)


@pytest.fixture(autouse=True)
def icarus() -> None:
    need_icarus()


def test_only_stores_are_seen(tmp_path: Path) -> None:
    _holds(_found(tmp_path, "obi", "waits: none\nretire: none\n"), "obi")


@pytest.mark.heavy("calibrate")
def test_instructions_may_retire_after_the_store_that_ends_a_program(tmp_path: Path) -> None:
    _holds(_found(tmp_path, "obi", "waits: none\n", top="late"), "obi")


@pytest.mark.heavy("calibrate")
@pytest.mark.parametrize("bus", _TOPS)
@pytest.mark.parametrize("more", ["", "retire: none\n"])
def test_each_bus_with_wait_states(tmp_path: Path, bus: str, more: str) -> None:
    _holds(_found(tmp_path, bus, more), bus)
