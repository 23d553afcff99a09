"""How quantities are named, messages for misspelled ones, and rejected descriptions."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING

import pytest
from typer.testing import CliRunner

from gnomon.base.errors import GnomonError
from gnomon.base.tables import check_table, read_yaml_table
from gnomon.cli.app import app
from gnomon.report.explain import explain_quantity
from gnomon.report.explain._sources import Sources, unit_of

if TYPE_CHECKING:
    from pathlib import Path


def run(*arguments: str) -> tuple[int, str]:
    result = CliRunner().invoke(app, ["explain", *arguments], catch_exceptions=False)
    return result.exit_code, result.stdout


def test_text_shows_the_way_down() -> None:
    code, out = run(
        "reports/paper/cells.csv?table=2&variant=std&param=8&metric=cycles&reading=hart:ratio"
    )
    assert code == 0
    for word in ("ours over published", "linucb_disjoint_standard.c", "-mcpu=generic_rv32", "-O2",
                 "arch/t13.yaml:", "models/published/linucb-tables.csv:", "gnomon report paper",
                 "published, as printed", "docs/method/validation.md"):  # fmt: skip
        assert word in " ".join(out.split())


def test_json_is_the_same_chain() -> None:
    code, out = run("power.t13.clock_power_mw", "--json")
    assert code == 0
    (chain,) = explain_quantity("power.t13.clock_power_mw")
    assert json.loads(out) == {"chains": [chain.to_json()]}
    assert chain.unit == "mW"


def test_a_row_is_all_its_numbers() -> None:
    chains = explain_quantity("reports/study/study.csv:2")
    names = [chain.quantity.rpartition(":")[2] for chain in chains]
    assert names == ["wall_cycles", "hart_cycles", "instructions_issued", "wall_speedup",
                     "hart_speedup", "largest_error", "error_bound"]  # fmt: skip
    assert chains[0].unit == "cycles"


def test_words_of_a_published_cell_come_in_any_order() -> None:
    (one,) = explain_quantity("table2/t13/std/d=8/cycles")
    (other,) = explain_quantity("table2/cycles/d8/std/T13")
    assert one == other
    assert one.value == "484456"
    assert any("reports/paper/cells.csv" in step.where for step in one.steps)
    assert len(explain_quantity("table2/disjoint/std/d=8/cycles")) == 3


def test_cycles_of_a_learner_are_those_of_all_its_variants_as_of_a_kernel() -> None:
    for asked in ("learner.linucb-disjoint", "learner.linucb-disjoint.paper", "kernel.multiply"):
        chains = explain_quantity(f"{asked}.cycles")
        assert len(chains) == len(explain_quantity(asked)) > 1
        assert all(chain.quantity.endswith(".cycles") for chain in chains)
        page = "docs/method/validation.md"
        assert all(page in {step.where for step in chain.steps} for chain in chains)


def test_short_paths_and_lines() -> None:
    assert explain_quantity("platform.cortex-m4.mul") == explain_quantity(
        "platform.cortex-m4.costs.mul"
    )
    (unit,) = explain_quantity("power.t13.vcu_add")
    assert any("energy_pj_per_toggle" in step.text for step in unit.steps)
    (law, area) = explain_quantity("divider.restoring_r2")
    assert "certainty measured" in law.value
    assert "lut 139" in area.value
    (clock,) = explain_quantity("arch.t13.clock")
    (line,) = explain_quantity(clock.steps[0].where)
    assert line == clock
    (entry,) = explain_quantity("area.t13-xc7.vcu.control")
    assert "lut 600 [300, 1030]" in entry.value
    (sized,) = explain_quantity("area.t13-simd4[vcu.simd=8].vcu.adder.lut")
    assert sized.value == str(8 * 67)


@pytest.mark.parametrize(
    ("quantity", "told"),
    [
        ("reports/paper/cells.cvs:12", "did you mean 'reports/paper/cells.csv'?"),
        ("reports/paper/cell.csv:12", "did you mean 'reports/paper/cells.csv'?"),
        ("reports/paper/cells.csv:12:our", "has no column 'our' .*did you mean 'ours'?"),
        ("reports/paper/cells.csv:1", r"has no row in line 1 \(lines 2 to 465\)"),
        ("reports/paper/cells.csv?tabel=2:ours", "no column 'tabel' .*did you mean 'table'?"),
        ("reports/paper/cells.csv?table=4:ours", "no row has table '4'"),
        ("reports/paper/cells.csv?table=2:ours", "rows have 'table=2'; name more columns"),
        ("reports/paper/cells.csv:ours", "name a line too"),
        ("powr.t13", "'powr.t13' is not a quantity, did you mean 'power'?"),
        ("power.t12.clock_power_mw", "no such table .known: .*did you mean 't13'?"),
        ("power.t13.clock_power", "has no entry 'clock_power' .*did you mean 'clock_power_mw'?"),
        ("power.t13.vcu.adder", "has no entry 'vcu.adder' .*did you mean 'vcu_add'?"),
        ("arch.t13-smid4.clock", "no machine has this name .*did you mean 't13-simd4'?"),
        ("arch.t13.core.dividr", "has no key 'core.dividr', did you mean 'core.divider'?"),
        ("arch.t13.core", "is a section; name a key: core.model"),
        ("area.t13-simd4.vcu.addr", "no part 'vcu.addr' .*did you mean 'vcu.adder'?"),
        ("area.rv32im", "area of rv32im is not known"),
        ("divider.restorin_r2", "did you mean 'restoring_r2'?"),
        ("kernel.multipyl", "did you mean 'multiply'?"),
        ("kernel.multiply.vectr", "did you mean 'vector'?"),
        ("kernel.multiply.vector.cycle", "did you mean 'cycles'?"),
        ("learner.linucb-disjont", "did you mean 'linucb-disjoint'?"),
        ("learner.linucb-disjoint.papr", "linucb-disjoint has paper.standard"),
        ("learner.ucb1.cycels", "did you mean 'cycles'?"),
        (
            "examples/budget/budget.yaml:6",
            "user file for `gnomon budget`.*explained are lines of mach",
        ),
        ("examples/khz-50uj.yaml", "is a user file for `gnomon sweep`"),
        ("table2/t13/stdd", "no published cell has 'stdd', did you mean 'std'?"),
        ("table2/f=4", "no published cell has all of table2, f=4"),
        ("models/power/t14.yaml:3", "did you mean 'models/power/t13.yaml'?"),
        ("models/power/t13.yaml:1", "no entry starts in this line"),
        ("arch/t13.yaml:1", "no key of t13 has its value from this line"),
        ("arch/t14.yaml", "does not exist, did you mean"),
        ("", "is not a quantity"),
        ("..", "is not a quantity"),
    ],
)
def test_a_misspelling_names_the_nearest(quantity: str, told: str) -> None:
    with pytest.raises(GnomonError, match=told.replace("'?", r"'\?")):
        explain_quantity(quantity)


@pytest.mark.parametrize(
    ("name", "unit"),
    [
        ("wall_cycles", "cycles"),
        ("energy_low_uj", "µJ"),
        ("energy_delay_uj_us", "µJ x µs"),
        ("lut_high", "LUT"),
        ("clock_power_mw", "mW"),
        ("state_size_bytes", "bytes"),
        ("ratio", ""),
        ("simd", ""),
    ],
)
def test_units_by_name(name: str, unit: str) -> None:
    assert unit_of(name) == unit


@pytest.mark.parametrize(
    ("rule", "told"),
    [
        ("{columns: [a], how: h}", "needs refs, of or source"),
        ("{columns: [a], how: h, source: s}", "source and confidence go together"),
        ("{columns: [], how: h, of: [b]}", "at least 1 item"),
        ("{columns: [a], of: [b]}", "how: missing"),
        ("{columns: [a], how: h, ofs: [b]}", "unknown key .*did you mean 'of'"),
    ],
)
def test_a_description_is_refused_at_its_line(rule: str, told: str, tmp_path: Path) -> None:
    path = tmp_path / "SOURCES.yaml"
    path.write_text(f"files:\n  x.csv:\n    what: w\n    rules:\n      - {rule}\n")
    with pytest.raises(GnomonError, match=rf"SOURCES\.yaml:5: .*{told}"):
        check_table(read_yaml_table(path), Sources)


MINE = """\
schema: 1
extends: t13-paper-simd4
name: mine
title: one of mine
source: measured on my desk
clock: 80 MHz  # the crystal that I had
"""


def test_a_machine_file_of_ones_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine.yaml").write_text(MINE)
    (by_line,) = explain_quantity("mine.yaml:6")
    (by_key,) = explain_quantity(f"arch.{tmp_path}/mine.yaml.clock")
    for chain, file in ((by_line, "mine.yaml"), (by_key, f"{tmp_path}/mine.yaml")):
        assert (chain.value, chain.unit) == ("80 MHz", "Hz")
        assert [step.where for step in chain.steps if step.where] == [
            f"{file}:6",
            f"{file}:6",
            f"{file}:5",
        ]
        assert [step.text for step in chain.steps if step.kind == "source"] == [
            "the crystal that I had",
            "measured on my desk",
        ]
    (tmp_path / "mine.yaml").write_text(MINE.replace("80 MHz", "90 MHz"))
    assert explain_quantity("mine.yaml:6")[0].value == "90 MHz"
    (whole,) = explain_quantity("mine.yaml")
    assert whole.steps[0].where == "mine.yaml:1"
    (inherited,) = explain_quantity("arch.mine.yaml.core.divider")
    assert inherited.steps[0].where.startswith("arch/t13")
    assert "my desk" not in inherited.steps[-1].text
    (tmp_path / "mine.yaml").write_text(MINE.replace("source: measured", "# measured"))
    (unsourced,) = explain_quantity("arch.mine.yaml.title")
    assert unsourced.sources[-1].text == "set in mine.yaml, which names no source"
    (lanes,) = explain_quantity("area.mine.yaml[vcu.simd=8].vcu.adder.lut")
    (shipped,) = explain_quantity("area.t13-paper-simd4[vcu.simd=8].vcu.adder.lut")
    assert lanes.value == shipped.value
    assert lanes.steps[0].where == "mine.yaml:1"


@pytest.mark.parametrize(
    ("quantity", "message"),
    [
        ("mine.yaml:2", "mine.yaml:2: no key of mine.yaml has its value from this line"),
        ("arch.mine.yaml.clok", "arch.mine.yaml: has no key 'clok', did you mean 'clock'?"),
        ("arch.other.yaml.clock", "arch.other.yaml.clock: other.yaml does not exist"),
    ],
)
def test_slips_about_ones_own_machine(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, quantity: str, message: str
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine.yaml").write_text(MINE)
    with pytest.raises(GnomonError) as error:
        explain_quantity(quantity)
    assert str(error.value) == message


SIDECAR = """\
files:
  mine/results.csv:
    what: cycles by size
    commands: [gnomon report mine]
    keys: [n]
    rules:
      - columns: ["*"]
        how: counted at {n} on my-core
        refs: [arch.my-core.clock, simulator]
"""


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project with a machine and a table of its own."""
    (tmp_path / "gnomon.yaml").write_text("schema: 1\n")
    (tmp_path / "arch").mkdir()
    (tmp_path / "arch" / "my-core.yaml").write_text(
        "extends: t13\nname: my-core\ntitle: Mine\nclock: 48 MHz\n"
    )
    (tmp_path / "reports" / "mine").mkdir(parents=True)
    (tmp_path / "reports" / "mine" / "results.csv").write_text("n,wall_cycles\n4,17\n")
    (tmp_path / "reports" / "SOURCES.yaml").write_text(SIDECAR)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_a_project_explains_its_own(project: Path) -> None:
    (machine,) = explain_quantity("arch/my-core.yaml:4")
    assert machine == explain_quantity("arch.my-core.clock")[0]
    (cell,) = explain_quantity("reports/mine/results.csv:2:wall_cycles")
    assert (cell.value, cell.unit) == ("17", "cycles")
    assert any(str(project / "arch" / "my-core.yaml") in step.where for step in cell.steps)
    assert explain_quantity("reports/mine/results.csv?n=4:wall_cycles") == (cell,)
    assert explain_quantity("reports/study/study.csv:2")  # what is shipped is there still


def test_a_changed_machine_is_read_again(project: Path) -> None:
    explain_quantity("arch/my-core.yaml:4")
    path = project / "arch" / "my-core.yaml"
    before = path.stat().st_mtime_ns
    path.write_text("extends: t13\nname: my-core\nclock: 50 MHz\ntitle: Mine\n")
    os.utime(path, ns=(before + 1, before + 1))
    (found,) = explain_quantity("arch/my-core.yaml:3")
    assert "50 MHz" in found.value
    (cell,) = explain_quantity("reports/mine/results.csv:2:wall_cycles")
    assert any("my-core.yaml:3" in step.where for step in cell.steps)


def test_a_changed_table_is_read_again(project: Path) -> None:
    explain_quantity("reports/mine/results.csv:2:wall_cycles")
    path = project / "reports" / "mine" / "results.csv"
    before = path.stat().st_mtime_ns
    path.write_text("n,wall_cycles\n4,18\n")
    os.utime(path, ns=(before + 1, before + 1))
    assert explain_quantity("reports/mine/results.csv:2:wall_cycles")[0].value == "18"


def test_content_of_the_path_is_explained(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(project.parent)
    with pytest.raises(GnomonError, match=r"has no entry|is known"):
        explain_quantity("reports/mine/results.csv:2")
    monkeypatch.setenv("GNOMON_PATH", str(project))
    assert explain_quantity("reports/mine/results.csv:2")


def test_a_table_without_an_entry_names_what_it_lacks(project: Path) -> None:
    (project / "reports" / "mine" / "other.csv").write_text("n\n4\n")
    with pytest.raises(GnomonError, match=r"other\.csv: has no entry in reports/SOURCES\.yaml"):
        explain_quantity("reports/mine/other.csv:2")
