"""Host instructions by callgrind: of gnomon's libraries alone, without what they call."""

from __future__ import annotations

import pytest

from benchmarks import instructions

TEXT = """\
events: Ir
fl=(1) ???
fn=(1) main
ob=(1) /usr/bin/python3.11
0 100
cfn=(2) engine_run
cob=(2) /home/me/.cache/gnomon/native/0123.so
calls=2 0
0 70
ob=(2)
fn=(2)
0 50
+4 7
* 3
calls=1 0
0 900
ob=(3) /usr/lib/libc.so.6
0 900
ob=(2)
-4 10
totals: 1970
"""


def test_instructions_in_the_library_count() -> None:
    assert instructions.instructions(TEXT) == 50 + 7 + 3 + 10


def test_every_case_has_a_name_of_its_own() -> None:
    names = [(each.name, each.case.sharing) for each in instructions.COUNTS]
    assert len(set(names)) == len(names)


def test_a_missing_program_is_one_message(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("PATH", "")
    monkeypatch.setattr("sys.argv", ["instructions", "HEAD"])
    with pytest.raises(SystemExit, match="2"):
        instructions.main()
    assert capsys.readouterr().err == "benchmarks: valgrind is not on PATH\n"
