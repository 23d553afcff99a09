"""cocotb side of the bench: reads every issue, stops at the first unexpected one.

This module is loaded inside the simulator. Clock, memories and the log of the bus are on the VHDL
side; this module reads the execute stage once per cycle, in the middle of the cycle. Its signals
are reached by name through VPI, so the core needs no change to be observed.
"""

import json
import os
from collections.abc import Sequence
from functools import reduce
from pathlib import Path
from typing import Any

import cocotb
from cocotb.triggers import FallingEdge

JOB_VARIABLE = "GNOMON_KLESSYDRA_JOB"  # as in gnomon.klessydra; that import would cost a second


@cocotb.test()
async def lockstep(dut: Any) -> None:
    """Compare with the issues expected, up to the exit or the first difference."""
    job = _read(Path(os.environ[JOB_VARIABLE]))
    expected: Sequence[Sequence[int]] = job["expected"]
    signals: dict[str, str] = job["signals"]
    core = dut.core
    valid, hart, pc, word = (
        reduce(getattr, signals[name].split("."), core) for name in ("valid", "hart", "pc", "word")
    )
    started, done, clock = dut.instr_req_o, dut.done, dut.clk_i
    seen: list[list[int | str]] = []
    ended = "cycle limit"
    edge = FallingEdge(clock)
    cycle = -1
    while cycle < job["last_cycle"]:
        await edge
        if cycle < 0 and str(started.value) != "1":
            continue
        cycle += 1
        if str(done.value) == "1":
            ended = "exit"
            break
        if str(valid.value) != "1":
            continue
        row = [cycle, *(_number(signal) for signal in (hart, pc, word))]
        seen.append(row)
        if len(seen) > len(expected) or row != expected[len(seen) - 1]:
            ended = "difference"
            break
    dut.stop.value = 1
    outcome = {"ended": ended, "cycle": cycle, "issues": seen}
    _write(Path(job["outcome"]), outcome)


def _read(path: Path) -> dict[str, Any]:
    job: dict[str, Any] = json.loads(path.read_text(encoding="ascii"))
    return job


def _write(path: Path, outcome: dict[str, Any]) -> None:
    path.write_text(json.dumps(outcome), encoding="ascii")


def _number(signal: Any) -> int | str:
    text = str(signal.value)
    return int(text, 2) if set(text) <= {"0", "1"} else text
