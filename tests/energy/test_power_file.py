"""The files of a fit: what is read, what is refused, and that the shipped tables come from them."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest
from typer.testing import CliRunner

from gnomon.base.content import content
from gnomon.base.errors import GnomonError
from gnomon.cli.app import app
from gnomon.content.reports.energy.cells import activity_csv, fresh_cells, power_csv
from gnomon.cost.energy import PowerTable, read_points

SOURCES = content("models", "power", "sources")
MAKEFILE = Path(__file__).parents[2] / "Makefile"


def written(folder: Path, activity: str, power: str) -> tuple[Path, Path]:
    files = folder / "a.csv", folder / "p.csv"
    for file, text in zip(files, (activity, power), strict=True):
        file.write_text(text, encoding="utf-8")
    return files


@pytest.mark.parametrize("name", PowerTable.shipped())
def test_shipped_tables_are_what_the_fit_makes(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The command in the head of each table gives the same bytes again."""
    shipped = content("models", "power", f"{name}.yaml").read_bytes()
    head = shipped.decode().splitlines()[1].removeprefix("#   ")
    monkeypatch.chdir(tmp_path)
    folder = tmp_path / "models" / "power" / "sources"
    folder.mkdir(parents=True)
    for file in SOURCES.glob("*.csv"):
        (folder / file.name).write_bytes(file.read_bytes())
    program, *arguments = shlex.split(head)
    assert program == "gnomon"
    result = CliRunner().invoke(app, arguments, catch_exceptions=False)
    assert result.exit_code == 0
    assert (tmp_path / "models" / "power" / f"{name}.yaml").read_bytes() == shipped


def test_the_makefile_makes_all_tables() -> None:
    made = re.findall(r"--out models/power/([\w-]+)\.yaml", MAKEFILE.read_text(encoding="utf-8"))
    assert sorted(made) == sorted(PowerTable.shipped())


@pytest.mark.heavy("studies")
def test_shipped_points_are_those_of_the_programs() -> None:
    """The points of the smallest size, built and run again."""
    cells = fresh_cells(params=(4,))
    assert len(cells) == 8
    for name, text in (
        ("t13-activity.csv", activity_csv(cells)),
        ("t13-power.csv", power_csv(cells)),
    ):
        lines = (SOURCES / name).read_text(encoding="utf-8").splitlines()
        assert len(lines) == 1 + 32
        assert set(text.splitlines()) <= set(lines)


def test_points_are_joined_and_selected(tmp_path: Path) -> None:
    a, p = written(tmp_path, "point,x,y\na/1,1,2\nb/1,3,4\n", "point,power_mw\nb/1,9\na/1,8\n")
    points = read_points(a, p, 10)
    assert points.names == ("a/1", "b/1")
    assert points.units == ("x", "y")
    assert points.power_mw.tolist() == [8, 9]
    assert read_points(a, p, 10, select="b/").toggles_per_cycle.tolist() == [[3, 4]]


@pytest.mark.parametrize(
    ("activity", "power", "message"),
    [
        ("name,x\na,1\n", "point,power_mw\na,1\n",
         "{a}:1: the first column must be 'point', not 'name'"),
        ("point,x\na,1\n", "point,watt\na,1\n", "{p}:1: has no column power_mw (columns: watt)"),
        ("point,x\na,1\nb,1\n", "point,power_mw\na,1\n", "{a}: point 'b' is not in {p}"),
        ("point,x\na,1\n", "point,power_mw\na,1\nb,1\n", "{p}: point 'b' is not in {a}"),
        ("point,x\na,1\na,2\n", "point,power_mw\na,1\n", "{a}:3: point 'a' comes twice"),
        ("point,x\na,-1\n", "point,power_mw\na,1\n",
         "{a}:2: x: must be a number from 0 to 1e+09, not '-1'"),
        ("point,x\na,1\n", "point,power_mw\na,nan\n",
         "{p}:2: power_mw: must be a number from 0 to 1e+09, not 'nan'"),
        ("point,x\na,1,2\n", "point,power_mw\na,1\n", "{a}:2: must have 2 fields, not 3"),
    ],
)  # fmt: skip
def test_refusals(activity: str, power: str, message: str, tmp_path: Path) -> None:
    a, p = written(tmp_path, activity, power)
    with pytest.raises(GnomonError) as caught:
        read_points(a, p, 10)
    assert str(caught.value) == message.format(a=a, p=p)
