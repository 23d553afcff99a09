"""Programs that were equal to the RTL once: the simulator does the same today, to the last bit."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

import pytest

from gnomon.base.content import content
from gnomon.base.tables import read_csv_table
from gnomon.rtl.lockstep import Regression, Settings
from gnomon.rtl.lockstep._regression import _load_case, _simulate
from gnomon.rtl.observed import seen_digest
from gnomon.rtl.setting import Setting

if TYPE_CHECKING:
    from gnomon.rtl.lockstep._regression import SimulatedCore
    from gnomon.rtl.setting import Sharing

# A sample of each record of `gnomon rtl klessydra --report`, and the machine that it is of.
RECORDS = {
    "rtl-fast": "t13-simd1", "rtl-multithreaded": "t13-simd1", "rtl-simd8": "t13-simd1",
    "rtl-multithreaded-wide": "t13-simd1", "rtl-events": "t13-simd1", "rtl-morph": "morph",
}  # fmt: skip
SAMPLE = 20


@pytest.mark.parametrize("record", RECORDS)
def test_recorded_programs_run_as_the_rtl_did(record: str) -> None:
    table = read_csv_table(content("reports", "validation", record, "programs.csv.xz"))
    rows = [r.values for r in table if r.values["seed"] and not r.values["difference"]]
    assert len(rows) >= 10
    settings = Settings(RECORDS[record], event_counters=record == "rtl-events")
    regression = Regression(cast("SimulatedCore", None), content("tests").resolve(), settings)
    for row in rows[:: -(-len(rows) // SAMPLE)]:
        setting = Setting(
            simd=int(row["simd"]), sharing=cast("Sharing", row["sharing"]),
            superscalar=row["superscalar"] == "1", count_all=row["count_all"] == "1",
            scratchpad_bytes=int(row["scratchpad_bytes"]),
        )  # fmt: skip
        case = regression.case(int(row["seed"]), setting)
        machine = settings.architecture(setting)
        run = _simulate(_load_case(case), machine)
        if run.halted == "hang":
            run = _simulate(
                _load_case(regression.case(int(row["seed"]), setting, tame=True)), machine
            )
        assert seen_digest(run) == row["digest"], row["program"]
