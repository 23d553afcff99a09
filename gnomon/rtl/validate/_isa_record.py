"""The record of a run of the public suites: a row per group, with the revision of the suite."""

from __future__ import annotations

import subprocess
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from gnomon.rtl.validate._record import Record

if TYPE_CHECKING:
    from gnomon.rtl.validate._isa_check import IsaReport

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
