"""``gnomon new`` and ``gnomon check``: what is made works as it is, and is found by name."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from typer.testing import CliRunner

from gnomon.base.errors import CheckFailed, GnomonError
from gnomon.cli.app import app
from tests import commands

if TYPE_CHECKING:
    from pathlib import Path

    from click.testing import Result


def gnomon(*arguments: str) -> Result:
    return CliRunner().invoke(app, arguments, catch_exceptions=False)


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    gnomon("new", "project", "demo")
    monkeypatch.chdir(tmp_path / "demo")
    return tmp_path / "demo"


def test_a_machine_is_found_by_its_name(project: Path) -> None:
    gnomon("new", "machine", "my-core")
    assert "my-core" in gnomon("arch", "list").stdout
    shown = gnomon("area", "my-core", "--json")
    assert json.loads(shown.stdout)["machine"] == "my-core"
    assert gnomon("check").stdout == "ok     machine my-core: loads\n"
    (project / "arch" / "my-core.yaml").write_text("extends: t13-simd4\nname: my-core\nvcu: 3\n")
    with pytest.raises(CheckFailed, match=r"^1 of 1 checks failed$"):
        gnomon("check")


def test_a_machine_that_there_is_not_is_refused_also_where_no_kernel_is_checked() -> None:
    with pytest.raises(GnomonError, match="no machine is called 'nope'") as caught:
        gnomon("check", "t13", "--arch", "nope")
    assert caught.value.exit_code == 2


@pytest.mark.usefixtures("project")
def test_a_project_has_a_program_to_run() -> None:
    run = json.loads(gnomon("run", "program.c", "--arch", "t13", "--json").stdout)
    assert run["exit_code"] == sum(i * (64 - i) for i in range(64))


@pytest.mark.usefixtures("project")
def test_a_unit_runs_by_its_name_and_equals_its_hardware(tmp_path: Path) -> None:
    gnomon("new", "unit", "my-distance")
    source, listing = tmp_path / "use.c", tmp_path / "listing.txt"
    source.write_text(
        '#include "units.h"\n'
        "int main(void) { return (int)(my_distance(3, 10) + my_distance(9, 4)); }\n"
    )
    given = ("run", str(source), "--arch", "t13", "--set", "units.my-distance={}", "--json")
    done = gnomon(*given, "--profile-to", f"annotated={listing}")
    assert json.loads(done.stdout)["exit_code"] == 12
    assert "my_distance a" in listing.read_text()
    verdicts = {line.split()[0] for line in gnomon("check", "my-distance").stdout.splitlines()}
    assert verdicts <= {"ok", "waived"}


def test_a_study_is_a_command(project: Path) -> None:
    gnomon("new", "study", "wide-lanes")
    done = commands.gnomon("experiment", "wide-lanes", "--json")
    assert done.returncode == 0, done.stderr
    rows = json.loads(done.stdout)["rows"]
    assert [row["machine"] for row in rows] == ["t13-simd1", "t13-simd2", "t13-simd4", "t13-simd8"]
    page = project / "out" / "wide_lanes" / "wide-lanes.md"
    assert "t13-simd8 needs 0." in page.read_text()


def test_an_error_in_a_study_names_its_line(project: Path) -> None:
    gnomon("new", "study", "broken")
    study = project / "reports" / "broken" / "study.py"
    lines = study.read_text().count("\n")
    study.write_text(study.read_text() + "undefined\n")
    result = CliRunner().invoke(app, ["check", "broken"])
    assert isinstance(result.exception, CheckFailed)
    assert f"{study}:{lines + 1}: NameError: name 'undefined' is not defined" in result.stdout


def test_what_is_wrong_is_said_and_nothing_is_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(GnomonError, match="no project found"):
        gnomon("new", "machine", "mine")
    with pytest.raises(GnomonError, match="did you mean 'kernel'"):
        gnomon("new", "kernal", "mine")
    with pytest.raises(GnomonError, match="not 'a/b'"):
        gnomon("new", "project", "a/b")
    with pytest.raises(GnomonError, match="no user-defined content found"):
        gnomon("check")
    assert not list(tmp_path.iterdir())


def test_nothing_is_overwritten_and_names_are_unique(project: Path) -> None:
    gnomon("new", "machine", "mine")
    with pytest.raises(GnomonError, match=r"mine\.yaml: exists already"):
        gnomon("new", "machine", "mine")
    (project / "arch" / "t13.yaml").write_text("extends: t13-simd4\n")
    with pytest.raises(GnomonError, match="two machines are called 't13'"):
        gnomon("arch", "list")


@pytest.mark.parametrize(
    ("kind", "name", "there"),
    [
        ("machine", "t13", "arch/t13.yaml"),
        ("kernel", "solve_lower", "kernels/solve_lower"),
        ("learner", "ares", "algorithms/ares"),
        ("study", "linucb", "reports/linucb"),
    ],
)
def test_a_name_of_shipped_content_is_refused(
    project: Path, kind: str, name: str, there: str
) -> None:
    before = sorted(project.rglob("*"))
    with pytest.raises(GnomonError, match=f"already, .*{there}, .*choose another") as caught:
        gnomon("new", kind, name)
    assert caught.value.exit_code == 2
    assert sorted(project.rglob("*")) == before


def test_a_folder_on_the_path(
    project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    gnomon("new", "machine", "mine")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("GNOMON_PATH", "")
    assert "mine" not in gnomon("arch", "list").stdout
    assert "mine" in gnomon("--path", str(project), "arch", "list").stdout
