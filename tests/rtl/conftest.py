"""A simulator for the cocotb benches. Without one they are left out; in CI that is a failure."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, NoReturn

import pytest

from gnomon.rtl import Tool
from gnomon.rtl._tools import tool as outside
from gnomon.rtl.gates.flow import OSU018
from tests.conftest import NO_TOOL

if TYPE_CHECKING:
    from pathlib import Path


def need(tool: Tool) -> Tool:
    if tool.usable:
        return tool
    return _absent(f"{tool.name}: {tool.problem or 'not found'}; install: {tool.install}")


def need_osu018() -> Path:
    if OSU018.is_file():
        return OSU018
    return _absent("osu018: not found; install: sudo apt-get install qflow-tech-osu018")


def _absent(told: str) -> NoReturn:
    if os.environ.get("CI"):
        pytest.fail(f"in CI nothing may be left out: {told}")
    pytest.skip(NO_TOOL + told)


@pytest.fixture(scope="session")
def simulator() -> Tool:
    return need(Tool.simulator())


@pytest.fixture(scope="session")
def synthesizer() -> Tool:
    return need(outside("yosys"))
