"""A cocotb module that fails or passes as its arguments ask; runs inside the simulator."""

from __future__ import annotations

import cocotb
from cocotb.triggers import Timer

from rtl_tests.benches.channel import arguments, seed, tell


@cocotb.test()
async def start_and_maybe_fail(dut: object) -> None:
    await Timer(1, "ns")
    tell({"seed": seed(), "width": len(dut.dividend)})
    assert not arguments()["fail"], "as told"
