"""The pytest side of heavy groups: selection, order, journal, CPU seconds of each test and file."""

from __future__ import annotations

import json
import os
import random
import time
from collections import defaultdict
from collections.abc import Generator
from pathlib import Path
from typing import Any, TextIO

import pytest

SLOWEST = 10
_LONGEST_S = 2400  # of one heavy test
_CPU = "cpu_s"
OVER = "the time of this slice is over"
"""The reason of cases that a limited run leaves to the next one."""
MARKED = pytest.StashKey[set[tuple[str, Path]]]()
"""Group and file of every collected test that a group marks, those of other groups too."""


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the options that ``python -m tests.heavy`` uses, and an order for `make test`."""
    group = parser.getgroup("heavy groups")
    group.addoption("--heavy", metavar="GROUP", help="run the tests of this heavy group only")
    group.addoption("--journal", metavar="FILE", help="append results; leave out what passed")
    group.addoption("--order", metavar="SEED", help="shuffle files, and the tests in each")
    group.addoption("--until", type=float, metavar="TIME", help="start no test after this time")


def pytest_configure(config: pytest.Config) -> None:
    """Register what the controller alone does: the journal and the table of the slowest tests."""
    if not hasattr(config, "workerinput"):
        config.pluginmanager.register(_Controller(config), "gnomon-controller")


def pytest_itemcollected(item: pytest.Item) -> None:
    """Note the file of a test with its groups."""
    marked = item.config.stash.setdefault(MARKED, set())
    marked |= {(group, item.path) for group in _groups(item)}


def _groups(item: pytest.Item) -> set[str]:
    return {name for mark in item.iter_markers("heavy") for name in mark.args}


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Keep the tests of one group, or those of none; then leave out what has passed; then order."""
    group = config.getoption("--heavy")
    passed = _passed(config)
    kept, left = [], []
    for item in items:
        groups = _groups(item)
        chosen = group in groups if group else not groups
        (kept if chosen and item.nodeid not in passed else left).append(item)
    if group:
        for item in kept:
            item.add_marker(pytest.mark.timeout(_LONGEST_S))
    if seed := config.getoption("--order"):
        _shuffle(kept, seed)
    if left:
        config.hook.pytest_deselected(items=left)
    items[:] = kept


def _shuffle(items: list[pytest.Item], seed: str) -> None:
    """Shuffle files, and the tests in each: fixtures of a file are still made once."""
    choice = random.Random(seed)
    by_file: dict[str, list[pytest.Item]] = defaultdict(list)
    for item in sorted(items, key=lambda each: each.nodeid):
        by_file[item.nodeid.partition("::")[0]].append(item)
    files = [*by_file.values()]
    choice.shuffle(files)
    for each in files:
        choice.shuffle(each)
    items[:] = [item for each in files for item in each]


def _passed(config: pytest.Config) -> set[str]:
    """Return the tests that the journal knows as passed, in the controller and in each worker."""
    given = getattr(config, "workerinput", None)
    if given is not None:
        return set(given.get("passed", ()))
    journal = config.getoption("--journal")
    return set() if journal is None else read_journal(Path(journal)).passed


class Journal:
    """What the runs of one step found so far."""

    def __init__(self) -> None:
        self.passed: set[str] = set()
        self.failed: set[str] = set()
        self.skipped: dict[str, str] = {}  # test -> reason
        self.left: set[str] = set()  # not begun, as the time was over
        self.cpu_s = 0.0

    @property
    def cases(self) -> int:
        """The number of cases that have an outcome."""
        return len(self.passed) + len(self.failed) + len(self.skipped)


def read_journal(path: Path) -> Journal:
    """Read a journal; a missing file is an empty one, and a torn last line does not count."""
    journal = Journal()
    lines = path.read_text().split("\n")[:-1] if path.exists() else []
    for line in lines:
        entry = json.loads(line)
        test, outcome = entry["test"], entry["outcome"]
        journal.cpu_s += entry["cpu_s"]
        journal.failed.discard(test)
        journal.skipped.pop(test, None)
        journal.left.discard(test)
        if outcome == "passed":
            journal.passed.add(test)
        elif outcome == "skipped" and entry["reason"].endswith(OVER):
            journal.left.add(test)
        elif outcome == "skipped":
            journal.skipped[test] = entry["reason"]
        else:
            journal.failed.add(test)
    return journal


def _open_journal(path: Path) -> TextIO:
    """Open a journal to append to it; a line that a kill tore is removed."""
    file = path.open("a+")
    file.seek(0)
    whole = file.read().rpartition("\n")
    file.truncate(len((whole[0] + whole[1]).encode()))
    return file


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, object, object]:
    """Note the CPU seconds of a test with its fixtures and with the processes that it waits for."""
    before = _cpu_s()
    until = item.config.getoption("--until")
    if until is not None and time.time() > until:
        item.add_marker(pytest.mark.skip(reason=OVER))
    item.stash[_BEFORE] = before
    return (yield)


_BEFORE = pytest.StashKey[float]()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Hand the CPU seconds since the last report to the controller."""
    report = yield
    now = _cpu_s()
    report.user_properties.append((_CPU, now - item.stash[_BEFORE]))
    item.stash[_BEFORE] = now
    return report


def _cpu_s() -> float:
    times = os.times()
    return times.user + times.system + times.children_user + times.children_system


class _Controller:
    """What is done once, in the process that the user started."""

    def __init__(self, config: pytest.Config) -> None:
        self.config = config
        self.passed = sorted(_passed(config))
        journal = config.getoption("--journal")
        self.file = None if journal is None else _open_journal(Path(journal))
        self.outcome: dict[str, tuple[str, str]] = {}
        self.cpu_s: dict[str, float] = defaultdict(float)

    @pytest.hookimpl(optionalhook=True)
    def pytest_configure_node(self, node: Any) -> None:
        """Tell a worker of pytest-xdist what has passed: it may start while the journal grows."""
        node.workerinput["passed"] = self.passed

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Add the CPU seconds of one phase; write the test to the journal after the last one."""
        test = report.nodeid
        self.cpu_s[test] += dict(report.user_properties).get(_CPU, 0.0)
        outcome, reason = self.outcome.get(test, ("passed", ""))
        if report.failed:
            outcome = "failed"
        elif report.skipped and outcome == "passed":
            outcome = "skipped"
            longrepr = report.longrepr
            reason = longrepr[2] if isinstance(longrepr, tuple) else str(longrepr)
            # Of an expected failure: no traceback.
            reason = getattr(report, "wasxfail", reason).removeprefix("reason: ")
        self.outcome[test] = outcome, reason
        # pytest-xdist reports a test that killed its worker once, in the phase "???".
        crashed = report.when not in ("setup", "call", "teardown")
        if (report.when == "teardown" or crashed) and self.file is not None:
            entry = {"test": test, "outcome": outcome, "reason": reason, "cpu_s": self.cpu_s[test]}
            self.file.write(json.dumps(entry) + "\n")
            self.file.flush()

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """Print the slowest tests and files."""
        if len(self.cpu_s) <= SLOWEST:
            return
        by_file: dict[str, float] = defaultdict(float)
        for test, cpu_s in self.cpu_s.items():
            by_file[test.partition("::")[0]] += cpu_s
        terminalreporter.section(
            f"CPU: {sum(by_file.values()):.0f} s; the {SLOWEST} slowest tests and files"
        )
        for costs in (self.cpu_s, by_file):
            for name, cpu_s in sorted(costs.items(), key=lambda each: -each[1])[:SLOWEST]:
                terminalreporter.line(f"{cpu_s:7.1f} s  {name}")
