"""Heavy groups: what the record decides, and how a stopped run resumes."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from tests.heavy import digests, record
from tests.heavy.__main__ import main
from tests.heavy.digests import InputError
from tests.heavy.groups import GROUPS
from tests.heavy.plugin import read_journal
from tests.heavy.record import Row, changed_inputs, read_record, write_row

if TYPE_CHECKING:
    from pathlib import Path


def a_row(group: str, inputs: str, failed: int = 0) -> Row:
    return Row(group, 10, failed, 0, 5, inputs, "Python 3", "", "")


def test_the_record_has_one_row_of_each_group_the_oldest_first(tmp_path: Path) -> None:
    path = tmp_path / "heavy.csv"
    for name in ("rtl", "oracle", "rtl"):
        write_row(a_row(name, "a=1"), path)
    assert [*read_record(path)] == ["oracle", "rtl"]
    assert changed_inputs(GROUPS["rtl"], None) is None


def test_a_record_is_replaced_whole_or_not_at_all(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    path = tmp_path / "heavy.csv"
    write_row(a_row("oracle", "a=1"), path)
    before = path.read_bytes()

    def stop(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "fdopen", stop)  # the aside file is there, and nothing is in it
    with pytest.raises(KeyboardInterrupt):
        write_row(a_row("rtl", "a=1"), path)
    assert path.read_bytes() == before
    assert [*tmp_path.iterdir()] == [path]


@pytest.mark.parametrize(
    "text",
    [b"<<<<<<< ours\n", b"group,cases\nrtl,one\n", b"group,cases\nrtl,1,2\n", b"group\n\xff\n"],
)
def test_a_broken_record_is_one_line(tmp_path: Path, text: bytes) -> None:
    path = tmp_path / "heavy.csv"
    write_row(a_row("oracle", "a=1"), path)
    path.write_bytes(text + path.read_bytes())
    with pytest.raises(InputError) as broken:
        read_record(path)
    assert str(broken.value).startswith(f"{path}:")
    assert "\n" not in str(broken.value)


def test_a_stale_row_warns_and_a_failed_one_fails(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(record, "input_digests", lambda _: "new=1")
    monkeypatch.setattr(record.read_record, "__defaults__", (tmp_path / "heavy.csv",))
    monkeypatch.setattr(sys, "argv", ["heavy", "--status"])
    for name in GROUPS:
        write_row(a_row(name, "new=1" if name != "rtl" else "new=0"), tmp_path / "heavy.csv")
    assert main() == 0
    assert capsys.readouterr().out == "stale: rtl (changed: new); run: make heavy GROUP=rtl\n"
    write_row(a_row("gates", "new=1", failed=2), tmp_path / "heavy.csv")
    assert main() == 1
    assert "failed: gates, 2 of 10 cases of its last run" in capsys.readouterr().out


CASES = """\
import os, pytest
pytestmark = pytest.mark.heavy("oracle")
def test_one(): pass
def test_two(): assert os.path.exists("mended")
def test_three(): pytest.skip("no tool")
@pytest.mark.heavy("rtl")
def test_of_two_groups(): pass
"""


def test_a_stopped_run_resumes_with_what_has_not_passed(tmp_path: Path) -> None:
    (tmp_path / "test_cases.py").write_text(CASES)
    (tmp_path / "pytest.ini").write_text("[pytest]\nmarkers = heavy(group): slow\n")
    journal = tmp_path / "journal.jsonl"

    def run(*options: str) -> int:
        command = [sys.executable, "-m", "pytest", "-p", "tests.heavy.plugin", "--rootdir"]
        done = subprocess.run(
            [*command, str(tmp_path), "-c", str(tmp_path / "pytest.ini"), str(tmp_path), *options],
            cwd=tmp_path, env=os.environ | {"PYTHONPATH": str(digests.ROOT)},
            capture_output=True, check=False,
        )  # fmt: skip
        return done.returncode

    heavy = ["--heavy", "oracle", "--journal", str(journal)]
    assert run(*heavy, "--until", "0") == 0
    assert len(read_journal(journal).left) == 4
    assert run(*heavy) == 1
    found = read_journal(journal)
    assert found.failed == {"test_cases.py::test_two"}
    assert [*found.skipped] == ["test_cases.py::test_three"]
    assert "no tool" in found.skipped["test_cases.py::test_three"]
    assert len(found.passed) == 2
    assert not found.left
    with journal.open("a") as file:
        file.write('{"test": "test_cases.py::test_o')  # a kill tore the line
    before = journal.read_text().count("\n")
    (tmp_path / "mended").touch()
    assert run(*heavy) == 0
    again = [json.loads(line)["test"] for line in journal.read_text().splitlines()[before:]]
    assert again == ["test_cases.py::test_two", "test_cases.py::test_three"]
    assert not read_journal(journal).failed
    assert run() == 5, "without --heavy no heavy test runs"
