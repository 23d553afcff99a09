"""What no machine may leave out silently, and what no test may depend on."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hypothesis import settings

if TYPE_CHECKING:
    import pytest

# Speed is held by benchmarks: on a busy machine a deadline of an example finds nothing but load.
settings.register_profile("gnomon", deadline=None)
settings.load_profile("gnomon")

NO_TOOL = "no tool: "
"""How a skip begins whose reason is a missing outside program; the install command ends it."""


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
