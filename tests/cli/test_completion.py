"""What a shell completes: asked of a real bash."""

from __future__ import annotations

import shutil
import subprocess

import pytest
from typer.testing import CliRunner

from gnomon.cli.app import app


@pytest.fixture(scope="module")
def script() -> str:
    return CliRunner().invoke(app, ["completion", "bash"]).stdout


@pytest.mark.skipif(shutil.which("bash") is None, reason="no bash")
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


def test_an_unknown_shell_is_refused() -> None:
    done = CliRunner().invoke(app, ["completion", "bush"])
    assert "bash" in str(done.exception)
    assert done.exit_code != 0
