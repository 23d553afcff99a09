"""A report on the public suites: a row per group, and as records with the revision of the suite."""

from __future__ import annotations

import subprocess
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gnomon.base.errors import GnomonError
from gnomon.rtl.validate._isa_run import IsaResult, run_test
from gnomon.rtl.validate._isa_tests import arch_tests, riscv_tests, select
from gnomon.rtl.validate._record import Record, Row

if TYPE_CHECKING:
    from collections.abc import Sequence


@dataclass(frozen=True, slots=True)
class IsaReport:
    """All results on one machine, and the tests that were left out on request."""

    machine: str
    results: tuple[IsaResult, ...]
    excepted: tuple[str, ...]
    overrides: tuple[str, ...] = ()

    @property
    def rows(self) -> tuple[Row, ...]:
        """One row per group of tests: compared are tests, not cases within them."""
        groups = dict.fromkeys(result.test.group for result in self.results)
        return tuple(self._row(group) for group in groups)

    @property
    def failures(self) -> tuple[IsaResult, ...]:
        """The tests that did not pass."""
        return tuple(result for result in self.results if result.failure is not None)

    def to_json(self) -> dict[str, Any]:
        """The object that ``gnomon validate isa --json`` prints."""
        return {
            "arch": self.machine,
            "rows": [row.to_json() for row in self.rows],
            "tests": [result.to_json() for result in self.results],
            "excepted": list(self.excepted),
        }

    def _row(self, group: str) -> Row:
        failed = [result for result in self.failures if result.test.group == group]
        return Row(
            quantity=group,
            truth="isa",
            compared=sum(result.test.group == group for result in self.results),
            mismatches=len(failed),
            worst=f"{failed[0].test.name}: {failed[0].failure}" if failed else None,
        )


def check_isa(
    machine: str,
    *,
    riscv_tests_path: Path | None = None,
    arch_test_path: Path | None = None,
    overrides: Sequence[str] = (),
    exceptions: Sequence[str] = (),
) -> IsaReport:
    """Run built checkouts of riscv-tests and riscv-arch-test (2.x) on a machine.

    Args:
        machine: a shipped machine or the path of a YAML file.
        riscv_tests_path: a checkout of riscv-tests, built in place.
        arch_test_path: a checkout of riscv-arch-test with signatures, built in place.
        overrides: changes to the machine, ``dotted.path=value``.
        exceptions: tests to leave out, ``GROUP/NAME``.

    Raises:
        GnomonError: no suite is given, or a path, machine, exception or file is not usable.
    """
    tests = []
    if riscv_tests_path is not None:
        tests += riscv_tests(riscv_tests_path)
    if arch_test_path is not None:
        tests += arch_tests(arch_test_path)
    if not tests:
        raise GnomonError(
            "nothing to check: give a built checkout with --riscv-tests PATH or --arch-test PATH"
        )
    selected = select(tests, exceptions)
    results = tuple(run_test(test, machine, overrides) for test in selected)
    return IsaReport(machine, results, tuple(sorted(set(exceptions))), tuple(overrides))


_ARCH_TEST_PREFIX = "rv32i_m-"


def isa_records(
    report: IsaReport, riscv_tests_path: Path | None, arch_test_path: Path | None
) -> tuple[Record, ...]:
    """The rows of a report as records; compared are tests.

    Args:
        report: what ``check_isa`` returned for these checkouts.
        riscv_tests_path: the checkout of riscv-tests.
        arch_test_path: the checkout of riscv-arch-test.
    """
    given = (("riscv-tests", riscv_tests_path), ("arch-test", arch_test_path))
    suites = "".join(f" --{option} CHECKOUT" for option, path in given if path is not None)
    left_out = "".join(f" --except {title}" for title in report.excepted)
    changed = "".join(f' --set "{change}"' for change in report.overrides)
    command = f"gnomon validate isa --arch {report.machine}{suites}{changed}{left_out}"
    records = []
    for row in report.rows:
        is_arch_test = row.quantity.startswith(_ARCH_TEST_PREFIX)
        suite = "riscv-arch-test" if is_arch_test else "riscv-tests"
        revision = _revision(arch_test_path if is_arch_test else riscv_tests_path)
        named = replace(row, quantity=f"{report.machine}: tests of {suite} {row.quantity}")
        records.append(Record(named, command, "", f"{suite} {revision}"))
    return tuple(records)


def _revision(checkout: Path | None) -> str:
    """The commit of a checkout; it may be an unpacked archive, in or out of another repository."""
    if checkout is None:
        return "of no known revision"
    try:
        told = subprocess.run(
            ["git", "-C", str(checkout), "rev-parse", "--show-toplevel", "--short=8", "HEAD"],
            capture_output=True, text=True, check=True,
        ).stdout.split("\n")  # fmt: skip
    except (OSError, subprocess.CalledProcessError):
        return "of no known revision"
    if Path(told[0]).resolve() != checkout.resolve():
        return "of no known revision"
    return told[1]
