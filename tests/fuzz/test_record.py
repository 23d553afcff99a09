"""docs/method/robustness.md has the table of the record of damaged inputs."""

from __future__ import annotations

from tests.fuzz._formats import FORMATS
from tests.fuzz._record import PAGE, RECORD, page, read_record


def test_the_page_is_as_recorded() -> None:
    ends = read_record(RECORD)
    assert set(ends) <= set(FORMATS)
    assert PAGE.read_text() == page()
    assert sum(each["bad"] for each in ends.values()) == 0
