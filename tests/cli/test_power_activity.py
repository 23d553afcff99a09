from __future__ import annotations

import csv
import json
from typing import TYPE_CHECKING

import pytest
from typer.testing import CliRunner

from gnomon.arch import load_architecture
from gnomon.base.errors import GnomonError
from gnomon.cli.app import app
from gnomon.program import build

if TYPE_CHECKING:
    from pathlib import Path

VCD = """$timescale 1 ns $end
$scope module tb $end
$var wire 1 ! clk $end
$scope module dut $end
$var wire 2 " bus [1:0] $end
$upscope $end
$upscope $end
$enddefinitions $end
#0 0! b00 "
#5 1! b11 "
#10 0!
#15 1! b00 "
#20 0!
"""


@pytest.fixture
def vcd(tmp_path: Path) -> str:
    path = tmp_path / "a.vcd"
    path.write_text(VCD)
    return str(path)


def invoke(*arguments: str) -> str:
    result = CliRunner().invoke(app, ["power", "activity", *arguments], catch_exceptions=False)
    assert result.exit_code == 0
    return result.stdout


def refused(*arguments: str) -> str:
    result = CliRunner().invoke(app, ["power", "activity", *arguments])
    assert isinstance(result.exception, GnomonError)
    assert result.exception.exit_code == 2
    return str(result.exception)


def test_json(vcd: str) -> None:
    shown = json.loads(invoke(vcd, "--clock", "100MHz", "--json"))
    assert shown == {
        "source": vcd,
        "format": "vcd",
        "timescale": "1 ns",
        "start": 0,
        "end": 20,
        "duration": 20,
        "duration_s": 2e-08,
        "signals": 2,
        "bits": 3,
        "toggles": 8,
        "left_out": {},
        "entries": "nets",
        "clock_hz": 100_000_000,
        "cycles": 2.0,
        "clock_net": "tb/clk",
        "clock_net_hz": 100_000_000.0,
        "by_instance": [
            {"instance": "tb", "signals": 1, "bits": 1, "toggles": 4, "toggles_with_below": 8,
             "t0": 10, "t1": 10, "tx": 0, "tz": 0, "tb": 0, "toggles_per_cycle": 2.0},
            {"instance": "tb/dut", "signals": 1, "bits": 2, "toggles": 4, "toggles_with_below": 4,
             "t0": 20, "t1": 20, "tx": 0, "tz": 0, "tb": 0, "toggles_per_cycle": 2.0},
        ],
    }  # fmt: skip


def test_csv_and_saif_hold_the_same(vcd: str, tmp_path: Path) -> None:
    table, saif = tmp_path / "a.csv", tmp_path / "a.saif"
    invoke(vcd, "--by", "signal", "-o", str(table), "--saif", str(saif))
    with table.open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert [(row["instance"], row["signal"], row["toggles"]) for row in rows] == [
        ("tb", "clk", "4"),
        ("tb/dut", "bus[1:0]", "4"),
    ]
    again = json.loads(invoke(str(saif), "--json", "--arch", "t13-simd4"))
    assert again["toggles"] == 8
    assert again["clock_net"] == "tb/clk"


def test_the_table_says_what_was_checked(vcd: str) -> None:
    shown = invoke(vcd, "--arch", "t13-simd4")
    assert "2 cycles of 100 MHz, as clock net tb/clk says" in shown
    shown = invoke(vcd, "--arch", "t13-simd4", "--scope", "tb/dut", "--cycles", "2")
    assert "tb/dut" in shown
    assert "total: 4 toggles of 2 bits in 20 x 1 ns" in shown


def test_a_window_in_cycles(vcd: str) -> None:
    shown = json.loads(invoke(vcd, "--clock", "100MHz", "--from", "1cycles", "--to", "20 ns",
                              "--json"))  # fmt: skip
    assert (shown["start"], shown["end"], shown["toggles"]) == (10, 20, 4)


def test_refusals(vcd: str, tmp_path: Path) -> None:
    assert refused(vcd, "--arch", "t13-simd4", "--set", "clock=50 MHz") == (
        f"{vcd}: clock net tb/clk gives 100 MHz, t13-simd4 gives 50 MHz: activity of one clock "
        "must not be used for another"
    )
    assert refused(vcd, "--arch", "t13", "--clock", "1MHz") == (
        "--arch and --clock both state the clock: give one of them"
    )
    assert refused(vcd, "--by", "signals") == (
        "--by must be one of: instance, signal; not 'signals', did you mean 'signal'?"
    )
    assert refused(vcd, "--cycles", "3") == (
        "--cycles checks a clock: give --arch or --clock as well"
    )
    assert refused(vcd, "--set", "clock=1 MHz") == "--set changes a machine: give --arch as well"
    assert refused(vcd, "--from", "5") == (
        "--from needs a time and its unit, as in '10 us'; got '5' (units: s, ms, us, ns, ps, fs, "
        "cycles)"
    )
    assert refused(vcd, "--to", "5 mn") == (
        "--to: 'mn' in '5 mn' is not a unit of time (units: s, ms, us, ns, ps, fs, cycles)"
    )
    assert refused(vcd, "--to", "5 cycles") == (
        "--to '5 cycles' needs a clock: give --arch or --clock"
    )
    absent = tmp_path / "b.vcd"
    assert refused(str(absent)) == f"{absent}: cannot be read: No such file or directory"
    saif = tmp_path / "a.saif"
    invoke(vcd, "--saif", str(saif))
    assert refused(str(saif), "--from", "5 ns") == (
        f"{saif}: --from and --to need a VCD or FST; SAIF holds totals only"
    )


@pytest.fixture(scope="module")
def elf(tmp_path_factory: pytest.TempPathFactory) -> str:
    folder = tmp_path_factory.mktemp("program")
    source = folder / "a.c"
    source.write_text("int main(int hart) { (void)hart; return 3; }\n")
    path = folder / "a.elf"
    path.write_bytes(build([source], load_architecture("t13-simd4")).elf)
    return str(path)


def run(elf: str, *arguments: str) -> object:
    return CliRunner().invoke(app, ["run", elf, "--arch", "t13-simd4", *arguments])


def test_a_run_writes_saif_that_reads_back(elf: str, tmp_path: Path) -> None:
    saif = tmp_path / "a.saif"
    result = CliRunner().invoke(
        app, ["run", elf, "--arch", "t13-simd4", "--json", "--trace", f"saif={saif}"],
        catch_exceptions=False,
    )  # fmt: skip
    cycles = json.loads(result.stdout)["exit_cycle"] + 1
    shown = json.loads(invoke(str(saif), "--arch", "t13-simd4", "--cycles", str(cycles), "--json"))
    assert shown["cycles"] == cycles
    assert shown["by_instance"][0]["toggles"] == 2 * cycles  # the clock
    assert refused(str(saif), "--clock", "99 MHz").startswith(
        f"{saif}: clock net t13_simd4/clk gives 100 MHz, --clock gives 99 MHz"
    )


FORMATS = "kanata, perfetto, vcd, saif, log"


@pytest.mark.parametrize(
    ("request_", "message"),
    [
        (
            "siaf=a",
            f"--trace: unknown format 'siaf' (formats: {FORMATS}, did you mean 'saif'?)",
        ),
        (
            "saif",
            f"--trace needs FORMAT=FILE, got 'saif' (formats: {FORMATS})",
        ),
        ("saif=", "--trace saif= needs a file, as in saif=run.saif"),
        ("saif=a,saif=a", "--trace names the file a twice"),
    ],
)
def test_a_wrong_trace_is_refused_before_the_run(request_: str, message: str) -> None:
    result = CliRunner().invoke(app, ["run", "absent.elf", "--arch", "t13", "--trace", request_])
    assert str(result.exception) == message
