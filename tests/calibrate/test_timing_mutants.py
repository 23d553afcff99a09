"""Changes of the timing of a core of ours alone: each is recovered or rejected, none passes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from gnomon.arch import load_architecture
from gnomon.calibrate._measure import Refused
from gnomon.calibrate.calibration import Calibration
from tests.rows import light_and_heavy
from tests.rtl.conftest import need_icarus

_CORE = Path(__file__).with_name("tiny.v").read_text("utf-8")
_FILE = """schema: 1
name: tiny
source: the tests
sources: [core.v]
top: tiny_pico
clock: clk
reset: {signal: rst, active: high}
bus: pico
isa: rv32i
reset-pc: 0
waits: none
"""
_NEED = "wire [5:0] need = shift ? second[4:0] : op == 7'h63 && taken ? 2 : 0;"
_BEFORE = """reg [31:0] prior = 0;
 always @(posedge clk) if (!rst && state == 0 && done) prior <= ^ir === 1'bx ? 0 : ir;
 wire [6:0] was = prior[6:0]; wire [4:0] old = prior[11:7];
 wire loaded = was == 7'h03 && old != 0, stored = was == 7'h23;
 wire upper = op == 7'h37, writes = is_r || is_i || is_load || upper;
 reg [31:0] spot = 0, branch = 0; reg [4:0] turns = 0, depth = 0; reg [2:0] count8 = 0;
 reg load2 = 0;
 wire again = op == 7'h63 && taken && branch == pc;
 always @(posedge clk) if (!rst) begin
  if (state == 0 && done) begin count8 <= count8 + 1; load2 <= was == 7'h03; end
  if (state == 2 && done && is_store) spot <= at;
  if (state == 1 && count == need && op == 7'h63) begin
   branch <= taken ? pc : 0; turns <= !again ? 0 : turns == 20 ? 20 : turns + 1;
  end
  if (state == 1 && count == need && op == 7'h6f && ir[11:7] == 1) depth <= depth + 1;
  if (state == 1 && count == need && op == 7'h67 && ir[19:15] == 1) depth <= depth - (depth != 0);
 end
"""
"""The instruction before the present one; what it was. Stores, branches and counts before it."""
_RECOVERED = {
    "and": "is_r && f3 == 7",
    "back": "op == 7'h63 && ir[31]",  # as of a static predictor
    "lui": "upper ? 2 : 0",
    "bytes": "is_load && f3[1:0] == 0",
    "jal": "op == 7'h6f",
    "fence": "op == 7'h0f ? 5 : 0",
    "untaken": "op == 7'h63 && !taken",
    "taken": "op == 7'h63 && taken",
    "load-use": "loaded && (is_r || is_i) && old == ir[19:15]",
    "store-data": "loaded && is_store && old == ir[24:20] ? 2 : 0",
    "bits": "loaded && upper && old == ir[19:15]",
    "low-bits": "loaded && is_i && !shift && old == ir[24:20]",
    "store-bits": "loaded && is_store && old == ir[11:7]",
    "write": "loaded && writes && old == ir[11:7]",
    "all-fields": "loaded && (old == ir[19:15] || old == ir[24:20] || old == ir[11:7])",
    "store-load": "stored && is_load ? 2 : 0",
    "load-load": "was == 7'h03 && is_load",
    "load-jump": "was == 7'h03 && op == 7'h6f",
    "store-fence": "stored && op == 7'h0f ? 2 : 0",
    "shift-16": "shift && second[4]",
}
"""More cycles of the present instruction, which keys describe."""
_REFUSED = {
    "rd": "writes && ir[11:7] == 12",
    "address": "pc[6:2] == 3",
    "aligned": "pc[2] == 0",
    "sign": "is_r && f3 == 0 && a[31]",
    "equal": "op == 7'h63 && a == b",
    "store-load-3": "stored && is_load ? 3 : 0",  # a plain instruction between takes only 2
    "history": "was == 7'h63 && prior[31] && is_i",
    "other-rd": "writes && ir[11:7] == 27",  # of registers that few programs use
    "other-rs1": "old == 18 && old == ir[19:15] && is_r",
    "stack": "is_i && f3 == 0 && ir[11:7] == 2 && ir[19:15] == 2",
    "move": "is_i && f3 == 0 && ir[31:20] == 0 && ir[19:15] != 0",
    "invert": "is_i && f3 == 4 && ir[31:20] == 12'hfff",
    "equal-sub": "is_r && f3 == 0 && ir[30] && a == b",
    "same-word": "stored && is_load && at[31:2] == spot[31:2]",
    "lane": "is_store && f3 == 0 && at[1:0] == 3",
    "row": "is_load && at[9]",
    "page": "is_load && at[14]",
    "target": "op == 7'h6f && next[2]",
    "return": "op == 7'h67 && ir[19:15] == 1 && ir[11:7] == 0",
    "rounds": "again && turns >= 4",
    "many-rounds": "again && turns == 20",
    "least": "is_i && f3 == 0 && ir[31:20] == 12'h800",
    "mask": "is_i && f3 == 7 && ir[31:20] == 12'h0ff",
    "link": "op == 7'h6f && ir[11:7] == 5",
    "depth": "op == 7'h67 && ir[19:15] == 1 && depth > 2",
    "eighth": "is_i && count8 == 7",
    "load-store-2": "is_store && load2 && was != 7'h03",
}
_HEAVY = pytest.mark.heavy("calibrate")
_SHIFTS = {"shift-2": "second[4:1]", "shift-0": "5'd0", "shift-max": "second[4:0] | 5'd16"}


@pytest.fixture(scope="module", autouse=True)
def icarus() -> None:
    need_icarus()


def _calibrate(folder: Path, core: str, file: str = _FILE) -> dict[str, Any]:
    """Latencies and predictor of a core, proved by random programs."""
    folder.mkdir()
    (folder / "core.v").write_text(core, "utf-8")
    (folder / "core.yaml").write_text(file, "utf-8")
    made = Calibration.from_core(folder / "core.yaml", folder / "build")
    path = folder / "tiny.yaml"
    path.write_text(made.text(), "utf-8")
    made.check(path)
    core = load_architecture(str(path)).core
    assert core.latency is not None
    return core.latency.to_dict() | {"predictor": core.predictor}


@pytest.fixture(scope="module")
def usual(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """Latencies of the core as it is."""
    return _calibrate(tmp_path_factory.mktemp("usual") / "same", _mutate("0"))


def _mutate(more: str, shift: str = "second[4:0]") -> str:
    assert _CORE.count(_NEED) == 1
    less = _NEED.replace("second[4:0]", shift).replace(" need =", " usual =")
    return _CORE.replace(_NEED, f"{_BEFORE} {less} wire [5:0] need = usual + ({more});")


def _list_mutants() -> dict[str, str]:
    return {
        **{name: _mutate(more) for name, more in (_RECOVERED | _REFUSED).items()},
        **{name: _mutate("0", shift) for name, shift in _SHIFTS.items()},
    }


@pytest.mark.parametrize(
    "name", light_and_heavy("calibrate", ("all-fields",), _list_mutants(), str)
)
def test_no_change_passes_with_the_old_values(
    tmp_path: Path, usual: dict[str, Any], name: str
) -> None:
    core = _list_mutants()[name]
    if name in _REFUSED:
        with pytest.raises(Refused):
            _calibrate(tmp_path / "changed", core)
    else:
        assert _calibrate(tmp_path / "changed", core) != usual


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("sign", "core.latency.rules is not identifiable: add takes"),
        pytest.param("lane", "core.latency is not identifiable", marks=_HEAVY),
        pytest.param("aligned", "addi zero,zero,0 in a row", marks=_HEAVY),
    ],
)
def test_a_core_without_a_queue_names_no_fetch(tmp_path: Path, name: str, reason: str) -> None:
    """It fetches one word after the other, as do cores with a slow fetch."""
    with pytest.raises(Refused, match=f"^(tiny: )?{reason}"):
        _calibrate(tmp_path / "core", _list_mutants()[name], _FILE.replace("waits: none\n", ""))
