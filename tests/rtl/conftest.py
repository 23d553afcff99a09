"""A simulator for the cocotb benches. Without one they are left out; in CI that is a failure."""

from __future__ import annotations

import os

import pytest

from gnomon.rtl import Tool
from gnomon.rtl._tools import tool as outside
from tests.conftest import NO_TOOL


def need(tool: Tool) -> Tool:
    if tool.usable:
        return tool
    told = f"{tool.name}: {tool.problem or 'not found'}; install: {tool.install}"
    if os.environ.get("CI"):
        pytest.fail(f"in CI nothing may be left out: {told}")
    pytest.skip(NO_TOOL + told)


@pytest.fixture(scope="session")
def simulator() -> Tool:
    return need(Tool.simulator())


@pytest.fixture(scope="session")
def synthesizer() -> Tool:
    return need(outside("yosys"))
