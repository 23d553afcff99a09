"""docs/method/validation.md states what the record of the lock-step says."""

from __future__ import annotations

import csv
import re

from gnomon.base.content import content


def test_lock_step_as_recorded() -> None:
    with content("reports", "validation", "rtl.csv").open(newline="") as file:
        rows = list(csv.DictReader(line for line in file if not line.startswith("#")))
    (programs,) = (row for row in rows if row["quantity"].endswith("programs"))
    page = content("docs", "method", "validation.md").read_text()

    (row,) = re.findall(
        r"^\| `rtl`: \[lock-step.*\| recorded \| (.*) programs \| (\d+) \|", page, re.MULTILINE
    )

    assert row == (programs["compared"], programs["mismatches"])
