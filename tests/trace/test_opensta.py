"""SAIF between gnomon and the grammar of OpenSTA, an independent reader.

It needs a checkout of OpenSTA (no package of a version that reads SAIF is known), named by
``make heavy GROUP=gates CHECKOUTS=opensta=/path``, and bison, a C++ compiler, and flex with its
header (libfl-dev). The files in ``opensta/`` replace the rest of OpenSTA: they print what its
parser hands over.
"""

from __future__ import annotations

import gzip
import shutil
import subprocess
from pathlib import Path

import pytest

from gnomon.arch import load_architecture
from gnomon.observe.trace import NetActivity, read_activity
from gnomon.observe.trace._model import run_activity
from gnomon.observe.trace._saif_write import saif_text
from gnomon.program import load_elf
from gnomon.sim import simulate
from tests.conftest import absent, need_checkout

HERE = Path(__file__).parent
PROGRAMS = HERE.parent / "reference" / "t13x" / "programs"
TOOLS = ("bison", "flex", "g++")
pytestmark = pytest.mark.heavy("gates")


@pytest.fixture(scope="module")
def checkout() -> Path:
    folder = need_checkout("opensta")
    missing = [tool for tool in TOOLS if shutil.which(tool) is None]
    if missing:
        packages = " ".join((*TOOLS, "libfl-dev"))
        absent(f"{', '.join(missing)}: not found; install: sudo apt-get install {packages}")
    return folder


@pytest.fixture(scope="module")
def dump(checkout: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("opensta")
    ours = HERE / "opensta"
    for command in (
        ["bison", "-d", "-o", "SaifParse.cc", "--header=SaifParse.hh",
         f"{checkout}/power/SaifParse.yy"],
        ["flex", "-o", "SaifLex.cc", f"{checkout}/power/SaifLex.ll"],
        ["g++", "-std=c++20", f"-I{ours}", "-I.", f"-I{checkout}", "SaifParse.cc", "SaifLex.cc",
         f"{ours}/dump.cc", "-o", "dump"],
    ):  # fmt: skip
        subprocess.run(command, cwd=folder, check=True, capture_output=True)
    return folder / "dump"


def read_by_opensta(dump: Path, text: str) -> dict[str, list[int]]:
    """T0 T1 TX TZ TB TC by net, and the duration under an empty name."""
    done = subprocess.run([dump], input=text, text=True, capture_output=True, check=False)
    assert done.returncode == 0, done.stderr
    found = {}
    for line in done.stdout.splitlines():
        name, *values = line.split()
        if name == "duration":
            found[""] = [int(values[0])]
        elif name != "timescale":
            found[name] = [int(value) for value in values[:6]]
    return found


def as_dumped(activity: NetActivity) -> dict[str, list[int]]:
    found = {"": [activity.duration]}
    for signal in activity.signals:
        for bit, name in enumerate(signal.bit_names()):
            row = signal.first_bit + bit
            times = activity.state_times[row].tolist()
            found[f"{signal.instance}/{name}"] = [*times, int(activity.toggles[row])]
    return found


def test_saif_of_a_run_is_read_equal(dump: Path) -> None:
    architecture = load_architecture("t13-simd4", ["vcu.sharing=replicated"])
    run = simulate(load_elf(PROGRAMS / "p_dotps_h3_s4_rep.elf"), architecture, trace=True)
    activity = run_activity(run, architecture)
    assert read_by_opensta(dump, saif_text(activity)) == as_dumped(activity)


def test_saif_of_a_recording_is_read_equal(dump: Path, tmp_path: Path) -> None:
    lines = ["$timescale 100 ms $end $scope module tb $end $var wire 1 ! a $end"]
    lines.append(
        '$var reg 70 " wide [69:0] $end $scope module gen[0] $end $var wire 1 # \\b.c $end'
    )
    lines.append("$upscope $end $upscope $end $enddefinitions $end")
    lines += [f'#{t} {t % 2}! b{t * 0x123456789ABCDEF:b} " {"01xz"[t % 4]}#' for t in range(50)]
    file = tmp_path / "a.vcd"
    file.write_text("\n".join(lines))
    text = saif_text(read_activity(file))
    again = tmp_path / "a.saif"
    again.write_text(text)
    found = read_by_opensta(dump, text)
    assert len(found) == 1 + 1 + 70 + 1
    assert found == as_dumped(read_activity(again))


def test_a_file_of_another_writer_is_read_equal(dump: Path, checkout: Path) -> None:
    file = checkout / "examples" / "gcd_sky130hd.saif.gz"
    text = gzip.decompress(file.read_bytes()).decode()
    assert as_dumped(read_activity(file)) == read_by_opensta(dump, text)
