"""What a shell completes: asked of a real bash."""

from __future__ import annotations

import shutil
import subprocess
from typing import TYPE_CHECKING

import pytest
from typer.testing import CliRunner

from gnomon.cli.app import app
from tests import conftest

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(scope="module")
def script() -> str:
    if shutil.which("bash") is None:
        conftest.absent("bash: not found; install: sudo apt-get install bash")
    return CliRunner().invoke(app, ["completion", "bash"]).stdout


@pytest.mark.parametrize(
    ("line", "expected", "absent"),
    [
        (["gnomon", "re"], {"report", "replay"}, {"run"}),
        (["gnomon", "run", "x.c", "--ha"], {"--harts"}, {"--arch"}),
        (["gnomon", "run", "--arch", "t13-simd"], {"t13-simd4"}, {"rv32im"}),
        (["gnomon", "rtl", "lo"], {"lockstep"}, {"run"}),
        (["gnomon", "rtl", "lockstep", "--"], {"--help"}, {"--trace-window"}),
        (["gnomon", "run", "file"], set(), {"file"}),
    ],
)
def test_completes(script: str, line: list[str], expected: set[str], absent: set[str]) -> None:
    words = " ".join(f"'{word}'" for word in line)
    ask = f"{script}\nCOMP_WORDS=({words}) COMP_CWORD={len(line) - 1}\n_gnomon\n"
    ask += 'printf "%s\\n" "${COMPREPLY[@]}"\n'
    done = subprocess.run(["bash", "-c", ask], capture_output=True, text=True, check=True)
    found = set(done.stdout.split())
    assert expected <= found
    assert not absent & found


@pytest.mark.parametrize("name", ["$(touch ran)", "`touch ran`", 'a"; touch ran; "', "a b"])
def test_a_file_name_is_no_command(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GNOMON_PATH", str(tmp_path))
    (tmp_path / "arch").mkdir()
    for each in (name, "mine"):
        (tmp_path / "arch" / f"{each}.yaml").write_text("extends: t13\n")
    script = CliRunner().invoke(app, ["completion", "bash"]).stdout
    assert " mine" in script
    assert name not in script


def test_an_unknown_shell_is_refused() -> None:
    done = CliRunner().invoke(app, ["completion", "bush"])
    assert "bash" in str(done.exception)
    assert done.exit_code != 0
