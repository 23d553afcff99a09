"""Synthesis of our RTL: what is counted, how rows are written, and that they can be made again."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from gnomon.base.errors import GnomonError
from gnomon.cost.area import read_synthesis_rows
from gnomon.rtl import Grid, Tool
from gnomon.rtl.designs import DIVIDER_KINDS, divider_engine, hdl_folder
from gnomon.rtl.synthesis import synthesize

if TYPE_CHECKING:
    from pathlib import Path

CHOICE = re.compile(r'KIND == "(\w+)"\) begin : g_engine\n\s*(\w+) #\((.*)\) engine ')
PARAMETER = re.compile(r"\.(\w+)\((\w+)\)")
# As Yosys 0.23 prints a design of several modules: with a line of text inside.
PRINTED = """\
2. Printing statistics.
{{
   "creator": "Yosys 0.23",
   "modules": {{ "\\\\top": {{ "num_cells_by_type": {{ "LUT2": 1, "$paramod\\\\x": 2 }} }} }},
       $paramod\\x      2
      "design": {{
         "num_cells": 9,
         "num_cells_by_type": {cells}
      }}
}}

End of script.
"""


def fake(folder: Path, told: str, code: int = 0) -> Tool:
    (folder / "told").write_text(told)
    program = folder / "yosys"
    program.write_text(f"#!/bin/sh\ncat '{folder / 'told'}'\nexit {code}\n")
    program.chmod(0o755)
    return Tool("yosys", "", str(program), "0.23", None, "")


def printed(**cells: int) -> str:
    return PRINTED.format(cells=json.dumps(cells))


def test_engines_are_those_that_the_divider_chooses() -> None:
    text = (hdl_folder() / "divider.sv").read_text()
    chosen = {}
    for kind, module, given in CHOICE.findall(text):
        parameters = dict(PARAMETER.findall(given))
        assert parameters.pop("WIDTH") == "WIDTH"
        chosen[kind] = (module, {name: int(value) for name, value in parameters.items()})
    assert chosen == {kind: divider_engine(kind) for kind in DIVIDER_KINDS}


def test_primitives_are_counted_by_what_they_take(tmp_path: Path) -> None:
    told = printed(LUT6=3, INV=1, RAM32M=2, FDRE=5, FDSE=1, DSP48E1=4, RAMB18E1=3, RAMB36E1=1,
                   CARRY4=9, MUXF7=2, BUFG=1)  # fmt: skip
    counts = synthesize(Grid.from_design("dividers").configurations[0], fake(tmp_path, told))
    assert counts == {"lut": 12, "ff": 6, "dsp": 4, "bram": 2.5}


@pytest.mark.parametrize(
    ("told", "code", "message"),
    [
        (printed(LATCH=1), 0, "LATCH is not a counted primitive"),
        ("Yosys\nERROR: syntax error\n", 1, "yosys reports: ERROR: syntax error"),
        ("Yosys\n", 0, "yosys prints no statistics"),
    ],
)
def test_what_cannot_be_counted_is_refused(
    told: str, code: int, message: str, tmp_path: Path
) -> None:
    with pytest.raises(GnomonError) as caught:
        synthesize(Grid.from_design("dividers").configurations[0], fake(tmp_path, told, code))
    design = "rtl_tests/hdl/div_restoring.sv div_restoring WIDTH=32"
    assert str(caught.value) == f"{design}: {message}"


def test_rows_are_read_as_rows_of_models(tmp_path: Path) -> None:
    grid = Grid.from_design("dividers", dividers=["unrolled_2"], lanes=[4])
    rows = grid.rows(tool=fake(tmp_path, printed(LUT6=3, FDRE=5)))
    path = tmp_path / "rows.csv"
    path.write_bytes(grid.csv(rows))
    read = read_synthesis_rows(path)
    assert [(row.part, dict(row.conditions)) for row in read] == [
        ("divider.engine", {"core.divider": "unrolled_2"}),
        ("divider", {"core.divider": "unrolled_2"}),
        ("vector_divider", {"vcu.simd": "4", "vcu.divider": "unrolled_2"}),
    ]
    assert [row.tool for row in read] == [
        "yosys 0.23 synth_xilinx -family xc7 -flatten",
        "yosys 0.23 synth_xilinx -family xc7 -flatten",
        "yosys 0.23 synth_xilinx -family xc7",
    ]
    assert {tuple(row.counts.values()) for row in read} == {(3, 5, 0, 0)}


def test_what_our_rtl_does_not_have_is_named() -> None:
    unknown = r"^gnomon's RTL has no divider 'restoring_r3' \(allowed: .*, "
    with pytest.raises(GnomonError, match=unknown + r"did you mean 'restoring_r\d'\?\)$"):
        Grid.from_design("dividers", dividers=["restoring_r3"])
    with pytest.raises(GnomonError, match=r"^no machine has 3 lanes \(allowed: 1, 2, 4, 8\)$"):
        Grid.from_design("dividers", lanes=[3])
    with pytest.raises(GnomonError, match=r"^no machine has 9 scratchpads \(allowed: 1, 2, .*\)$"):
        Grid.from_design("vector-unit", scratchpads=[9])


def test_every_file_of_the_vector_unit_is_read() -> None:
    (configuration,) = Grid.from_design("vector-unit", lanes=[8], scratchpads=[3]).configurations
    files = {path.name for path in configuration.folder.glob("vcu*")}
    assert files <= set(configuration.sources)
    assert configuration.design == "rtl_tests/hdl/vcu.sv vcu SIMD=8 SPM_COUNT=3"


def test_a_finished_synthesis_is_not_repeated(tmp_path: Path) -> None:
    configuration = Grid.from_design("dividers", dividers=["unrolled_4"], lanes=[1]).configurations[
        0
    ]
    tool = fake(tmp_path, printed(LUT6=7))
    assert synthesize(configuration, tool)["lut"] == 7
    (tmp_path / "told").write_text(printed(LUT6=8))
    assert synthesize(configuration, tool)["lut"] == 7
    other = configuration.folder / configuration.sources[0]
    copies = tmp_path / "hdl"
    copies.mkdir()
    for name in configuration.sources:
        (copies / name).write_bytes((configuration.folder / name).read_bytes())
    (copies / other.name).write_bytes(other.read_bytes() + b"// changed\n")
    assert synthesize(replace(configuration, folder=copies), tool)["lut"] == 8


def test_a_damaged_entry_is_made_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GNOMON_CACHE", str(tmp_path / "cache"))
    configuration = Grid.from_design("dividers", dividers=["unrolled_4"], lanes=[1]).configurations[
        0
    ]
    tool = fake(tmp_path, printed(LUT6=7))
    assert synthesize(configuration, tool)["lut"] == 7
    (cells,) = (tmp_path / "cache" / "synthesis").glob("*.json")
    cells.write_text(cells.read_text().replace("7", "9"))
    assert synthesize(configuration, tool)["lut"] == 7


def test_parts_are_of_every_width() -> None:
    parts = [each.part for each in Grid.from_design("vector-parts").configurations]
    assert (parts.count("vcu.adder"), parts.count("vcu.accumulator")) == (1, 4)
    assert parts.count("scratchpad.interface") == 32
