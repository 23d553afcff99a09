"""Runs of heavy groups: what is a result, what resumes, and when no row is written."""

from __future__ import annotations

import shutil
import subprocess
from typing import TYPE_CHECKING

import pytest

from tests.heavy import __main__ as heavy
from tests.heavy import digests, given
from tests.heavy.given import name_checkout
from tests.heavy.groups import GROUPS, Group, Step

if TYPE_CHECKING:
    from pathlib import Path

    from tests.heavy.record import Row

CASES = """\
import os, pathlib, pytest
pytestmark = pytest.mark.heavy("toy")
def test_one(): pass
def test_two(): {two}
def test_three(): {three}
"""


class Toy:
    """A group of its own with its checkout and the rows that it would write."""

    def __init__(self, folder: Path, rows: list[Row]) -> None:
        self.folder, self.rows = folder, rows
        self.input = folder / "input.txt"
        self.cases = folder / "test_cases.py"
        self.input.write_text("1\n")
        for name in GROUPS["oracle"].inputs[-4:]:  # those of every group
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_text("")
        (folder / "pytest.ini").write_text("[pytest]\nmarkers = heavy(group): slow\n")

    def run(
        self, *names: str, checkout: Path | None = None, two: str = "pass", three: str = "pass"
    ) -> int:
        """Run its steps, each with the cases of the group that it names."""
        self.cases.write_text(CASES.format(two=two, three=three))
        select = ("-p", "tests.heavy.plugin", "-c", str(self.folder / "pytest.ini"))
        steps = tuple(
            Step(name, (*select, str(self.cases)), heavy=name) for name in names or ("toy",)
        )
        group = Group("toy", "", ("input.txt",), steps, checkouts=("other",))
        return heavy.run_group(group, {"other": checkout} if checkout else {})


@pytest.fixture
def toy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Toy:
    rows: list[Row] = []
    subprocess.run(["git", "init", "--quiet"], cwd=tmp_path, check=True)
    monkeypatch.setattr(digests, "ROOT", tmp_path)
    monkeypatch.setattr(heavy, "OUT", tmp_path / "out")
    monkeypatch.setattr(heavy, "write_row", rows.append)
    monkeypatch.setenv("JOBS", "1")
    return Toy(tmp_path, rows)


def test_a_test_that_kills_its_worker_has_failed(
    toy: Toy, capsys: pytest.CaptureFixture[str]
) -> None:
    assert toy.run(two="os.abort()") == 1
    assert capsys.readouterr().out.endswith("toy: 3 cases, 1 failed; its row is written\n")
    assert [(row.cases, row.failed) for row in toy.rows] == [(3, 1)]
    assert toy.run() == 0, "and runs again"
    assert [(row.cases, row.failed) for row in toy.rows] == [(3, 1), (3, 0)]


def test_an_expected_failure_is_left_out_with_its_reason(toy: Toy) -> None:
    assert toy.run(two="import pytest; pytest.xfail('one cycle too late')") == 0
    assert [(row.failed, row.left_out) for row in toy.rows] == [(0, "1 x one cycle too late")]


def test_a_step_without_a_case_is_a_failure(toy: Toy, capsys: pytest.CaptureFixture[str]) -> None:
    assert toy.run("toy", "nothing") == 1
    assert "toy: nothing: no case ran; no row is written" in capsys.readouterr().out
    assert toy.rows == []


@pytest.mark.parametrize(
    ("code", "failed", "passed", "left", "problem"),
    [
        (0, 0, 3, 0, ""),
        (1, 1, 2, 0, ""),
        (5, 0, 3, 0, ""),
        (0, 0, 0, 2, ""),
        (1, 0, 3, 0, "pytest ended with 1, and 0 cases failed"),
        (0, 1, 3, 0, "pytest ended with 0, and 1 cases failed"),
        (5, 0, 0, 0, "no case ran"),
        (0, 0, 0, 0, "no case ran"),
        (2, 1, 1, 0, "pytest ended with 2"),
        (-11, 1, 1, 0, "pytest ended with -11"),
    ],
)
def test_exit_code_and_journal_must_agree(
    code: int, failed: int, passed: int, left: int, problem: str
) -> None:
    journal = heavy.Journal()
    journal.failed = {f"f{n}" for n in range(failed)}
    journal.passed = {f"p{n}" for n in range(passed)}
    journal.left = {f"l{n}" for n in range(left)}
    assert heavy._find_problem(code, journal) == problem


def test_a_run_resumes_with_the_same_inputs_checkouts_and_tools_alone(
    toy: Toy, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    one, other = tmp_path / "one", tmp_path / "other"
    for folder in (one, other):
        folder.mkdir()
        (folder / "file").write_text(folder.name)

    def resumes(checkout: Path) -> bool:
        toy.run(checkout=checkout, two="assert 0")  # a failure: the journal stays
        return ", resumed" in capsys.readouterr().out

    assert not resumes(one)
    assert resumes(one)
    assert not resumes(other)
    assert resumes(one)
    monkeypatch.setattr(given, "name_tools", lambda _: "gcc 99")
    assert not resumes(one)
    toy.input.write_text("2\n")
    assert not resumes(one)
    assert {row.checkouts for row in toy.rows} == {
        f"other={name_checkout(one)}", f"other={name_checkout(other)}"
    }  # fmt: skip
    assert toy.rows[-1].tools == "gcc 99"


@pytest.mark.parametrize("undone", [False, True])
def test_an_input_that_is_edited_during_the_run_refuses_the_row(
    toy: Toy, undone: bool, capsys: pytest.CaptureFixture[str]
) -> None:
    edit = f"pathlib.Path({str(toy.input)!r}).write_text"
    assert toy.run(two=f"{edit}('2\\n')", three=f"{edit}('1\\n')" if undone else "pass") == 1
    assert "toy: changed during the run: input.txt; no row" in capsys.readouterr().out
    assert toy.rows == []
    assert toy.run() == 0
    assert ", resumed" not in capsys.readouterr().out, "what ran with the other input is not kept"
    assert len(toy.rows) == 1


def test_a_checkout_is_named_by_commit_and_by_what_differs_from_it(tmp_path: Path) -> None:
    def git(*words: str) -> None:
        options = ["-c", "user.name=a", "-c", "user.email=a@b"]
        subprocess.run(["git", *options, *words], cwd=tmp_path, check=True, capture_output=True)

    assert name_checkout(None) == "not-run"
    file = tmp_path / "a.v"
    file.write_text("module a;\n")
    names = [name_checkout(tmp_path)]
    git("init")
    git("add", "a.v")
    git("commit", "-m", "one")
    names.append(name_checkout(tmp_path))
    file.write_text("module b;\n")
    names.append(name_checkout(tmp_path))
    file.write_text("module c;\n")
    names.append(name_checkout(tmp_path))
    git("checkout", "a.v")
    assert name_checkout(tmp_path) == names[1]
    assert len({*names}) == len(names)
    assert names[0].startswith("unnamed@")
    commit = names[1].partition("@")[2]
    assert len(commit) == 40
    assert [name.partition("+")[0] for name in names[2:]] == [names[1]] * 2
    (tmp_path / "below").mkdir()
    assert commit not in name_checkout(tmp_path / "below"), "the commit is of another folder"


def test_tools_are_named_with_their_versions() -> None:
    programs = {name for group in GROUPS.values() for name in group.programs if shutil.which(name)}
    named = given.name_tools(Group("toy", "", (), (), programs=tuple(sorted(programs))))
    assert len(named.split("; ")) == 2 + len(programs)
    assert all(any(letter.isdigit() for letter in each) for each in named.split("; ")), named
