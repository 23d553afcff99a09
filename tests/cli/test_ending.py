"""Whatever goes wrong, the command line ends with one clean message and its exit code."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from gnomon.cli._ending import clean
from tests.signals import heeding_ctrl_c, killed_after

PROGRAM = Path(__file__).parents[1] / "reference" / "t13x" / "programs" / "p05.elf"
MAIN = "from gnomon.cli import main; main()"
COMPILE = "from gnomon.sim import load_engine; load_engine()"
"""Which says that it does, and writes files; nothing where it was done before."""
BROKEN = """
import gnomon.cli.app as a
def broken():
    raise {error}
a.app.command("broken")(broken)
"""


def _environment() -> dict[str, str]:
    # What coverage writes would meet the limits that a test sets here.
    watched = ("COVERAGE_", "GNOMON_NATIVE")
    return {name: value for name, value in os.environ.items() if not name.startswith(watched)}


def _python(code: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", code, *arguments],
        capture_output=True, text=True, check=False, env=_environment(),
    )  # fmt: skip


def test_a_mistake_of_ours_keeps_its_traceback_in_a_file() -> None:
    done = _python(BROKEN.format(error="ValueError('odd \\x1b[31m')") + MAIN, "broken")
    assert (done.returncode, done.stdout) == (70, "")
    assert done.stderr.count("\n") == 1
    assert "\x1b" not in done.stderr
    named = re.search(r"report it with (\S+)\)", done.stderr)
    assert named is not None
    file = Path(named[1])
    assert "in broken" in file.read_text()
    file.unlink()


@pytest.mark.parametrize(
    ("error", "message"),
    [
        ("OSError(28, 'No space left on device', 'x.csv')", "x.csv: No space left on device"),
        ("MemoryError()", "the host has too little memory for this command"),
    ],
)
def test_what_the_system_refuses(error: str, message: str) -> None:
    done = _python(BROKEN.format(error=error) + MAIN, "broken")
    assert (done.returncode, done.stderr) == (2, f"gnomon: {message}\n")


def test_messages_are_bounded_and_clean() -> None:
    assert clean("a\tb\nc é") == "a\tb\nc é"
    assert clean("\x1b]0;x\x07\u202e") == "\\x1b]0;x\\x07\\x202e"
    assert len(clean("x" * 10**6)) <= 2_000


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no device that is always full")
@pytest.mark.parametrize("words", [["list"], ["arch", "list", "--json"]])
def test_output_that_finds_no_place(words: list[str]) -> None:
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run(
            [sys.executable, "-c", MAIN, *words],
            stdout=full, stderr=subprocess.PIPE, text=True, check=False,
        )  # fmt: skip
    assert (done.returncode, done.stderr) == (2, "gnomon: No space left on device\n")


def test_a_file_that_may_not_grow_is_said_and_not_left(tmp_path: Path) -> None:
    assert _python(COMPILE).returncode == 0  # or the limit would meet that, too
    limit = "import resource; resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, 20_000)); "
    out = tmp_path / "out.csv"
    done = _python(limit + MAIN, "run", str(PROGRAM), "--arch", "t13", "--trace", f"log={out}")
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert "File too large" in done.stderr
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("words", "forced"),
    [(["list"], {}), (["kernel", "add", "--arch", "t13-simd4"], {"FORCE_COLOR": "1"})],
)
def test_closed_output(words: list[str], forced: dict[str, str]) -> None:
    """For all writers: rich writes tables if a pipe is taken for a terminal."""
    assert _python(COMPILE).returncode == 0
    with subprocess.Popen(
        [sys.executable, "-c", MAIN, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        env=_environment() | forced,
    ) as process:  # fmt: skip
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.close()
        assert process.stderr.read() == b""
        assert process.wait() == 141


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_with_one_line(number: signal.Signals) -> None:
    code = "import sys, time; print('ready', flush=True); time.sleep(60)"
    wait = BROKEN.replace("raise {error}", f"exec({code!r})")
    with heeding_ctrl_c(), subprocess.Popen(
        [sys.executable, "-c", wait + MAIN, "broken"],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    ) as process, killed_after(process, 240):  # fmt: skip
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        time.sleep(0.1)
        process.send_signal(number)
        assert process.stderr is not None
        assert process.stderr.read() == "gnomon: interrupted\n"
        assert process.wait() == 128 + number
