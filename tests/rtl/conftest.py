"""The outside programs of RTL work, for tests that cannot be without one."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from gnomon.gates.flow import OSU018
from gnomon.rtl import Tool, find_simulator
from gnomon.rtl.tools import tool as outside
from tests.conftest import absent

if TYPE_CHECKING:
    from pathlib import Path


def need_icarus() -> Tool:
    return need(outside("icarus"))


def need(tool: Tool) -> Tool:
    if tool.usable:
        return tool
    return absent(f"{tool.name}: {tool.problem or 'not found'}; install: {tool.install}")


def need_osu018() -> Path:
    if OSU018.is_file():
        return OSU018
    return absent("osu018: not found; install: sudo apt-get install qflow-tech-osu018")


@pytest.fixture(scope="session")
def simulator() -> Tool:
    return need(find_simulator())


@pytest.fixture(scope="session")
def synthesizer() -> Tool:
    return need(outside("yosys"))
