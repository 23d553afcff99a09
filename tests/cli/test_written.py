"""No command writes over what it reads: refused before it runs, whatever is in the files."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from typer.testing import CliRunner

from gnomon.base.errors import GnomonError
from gnomon.cli.app import app

if TYPE_CHECKING:
    from pathlib import Path

KEPT = ("a.c", "b.c", "a.elf", "m.yaml", "rec")


@pytest.mark.parametrize(
    ("words", "option", "file"),
    [
        ("build a.c b.c --arch t13 -o b.c", "--output", "b.c"),
        ("build a.c --arch t13 -o ./x/../a.c", "--output", "a.c"),
        ("run a.c --arch t13 --html a.c", "--html", "a.c"),
        ("run a.elf --arch t13 --trace kanata=k,log=a.elf", "--trace", "a.elf"),
        ("run linked --arch t13 --profile-to csv=a.elf", "--profile-to", "linked"),
        ("run a.elf --arch m.yaml --html m.yaml", "--html", "m.yaml"),
        ("why a.elf --arch t13 --html a.elf", "--html", "a.elf"),
        ("diff a.c b.c --arch t13 --html b.c", "--html", "b.c"),
        ("deploy m.yaml --html m.yaml", "--html", "m.yaml"),
        ("calibrate m.yaml --out m.yaml", "--out", "m.yaml"),
        ("power activity rec --saif rec", "--saif", "rec"),
        ("power fit rec m.yaml --out m.yaml", "--out", "m.yaml"),
        ("rtl parameters m.yaml --out m.yaml", "--out", "m.yaml"),
    ],
)
def test_an_input_is_not_written_over(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: str, option: str, file: str
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "x").mkdir()
    for name in KEPT:
        (tmp_path / name).write_text(name)
    (tmp_path / "linked").symlink_to("a.elf")
    before = sorted(tmp_path.rglob("*"))
    with pytest.raises(GnomonError) as caught:
        CliRunner().invoke(app, words.split(), catch_exceptions=False)
    assert caught.value.exit_code == 2
    assert str(caught.value).startswith(f"{option} would overwrite {file}, which this command")
    assert [(tmp_path / name).read_text() for name in KEPT] == list(KEPT)
    assert sorted(tmp_path.rglob("*")) == before


def test_two_options_do_not_write_one_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    words = ["run", "a.elf", "--arch", "t13", "--trace", "log=page", "--html", f"{tmp_path}/page"]
    with pytest.raises(GnomonError, match=r"^--trace and --html both write .*page$"):
        CliRunner().invoke(app, words, catch_exceptions=False)


def test_a_machine_and_a_file_may_share_a_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.c").write_text("int main(void) { return 0; }\n")
    for _ in range(2):
        words = ["build", "a.c", "--arch", "t13", "-o", "t13"]
        assert CliRunner().invoke(app, words, catch_exceptions=False).exit_code == 0
