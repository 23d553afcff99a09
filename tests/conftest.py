"""What no machine may leave out silently, and what no test may depend on."""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

import pytest
from hypothesis import settings

from gnomon.program import unchanging_files
from tests.heavy import checkout_variable

if TYPE_CHECKING:
    from collections.abc import Iterator

pytest_plugins = ["tests.heavy.plugin"]

# Speed is held by benchmarks: on a busy machine a deadline of an example finds nothing but load.
settings.register_profile("gnomon", deadline=None)
settings.load_profile("gnomon")

NO_TOOL = "no tool: "
"""How a skip begins whose reason is a missing outside program; the install command ends it."""


def absent(told: str) -> NoReturn:
    """An outside program is not here: its tests are left out, and in CI that is a failure."""
    if os.environ.get("CI"):
        pytest.fail(f"in CI nothing may be left out: {told}")
    pytest.skip(NO_TOOL + told)


def need_checkout(name: str) -> Path:
    """Return the user's checkout of a repository, or skip: `make heavy CHECKOUTS=name=/path`."""
    folder = os.environ.get(checkout_variable(name))
    if folder is None:
        pytest.skip(f"not run: no checkout of {name} (CHECKOUTS={name}=/path)")
    return Path(folder)


@pytest.fixture(scope="module")
def sources_stay() -> Iterator[None]:
    """No test of the module changes a source, so its builds read each of them once."""
    with unchanging_files({}):
        yield


def need_riscv_gcc() -> None:
    """For tests of programs that GCC builds."""
    if shutil.which("riscv64-unknown-elf-gcc") is None:
        absent("RISC-V GCC: not found; install: sudo apt-get install gcc-riscv64-unknown-elf")


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Name what was left out for want of a program, and the one command that installs it."""
    left_out: dict[str, set[str]] = {}
    for report in terminalreporter.stats.get("skipped", []):
        reason = report.longrepr[2] if isinstance(report.longrepr, tuple) else str(report.longrepr)
        _, mark, told = reason.partition(NO_TOOL)
        if mark:
            left_out.setdefault(told, set()).add(report.nodeid.split("[")[0])
    if left_out:
        terminalreporter.section("left out for want of a program")
        for told, tests in sorted(left_out.items()):
            terminalreporter.line(told)
            for test in sorted(tests):
                terminalreporter.line(f"  {test}")
