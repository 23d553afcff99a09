"""Mistakes in users' C and Python are reported with their place, and end only themselves."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from typer.testing import CliRunner

from gnomon.arch import load_architecture
from gnomon.base.errors import CheckFailed
from gnomon.cli.app import app
from gnomon.measure.kernels import KernelBench, find_kernel
from gnomon.measure.learners._checks import embedded_checks
from tests.commands import gnomon
from tests.signals import heeding_ctrl_c, killed_after

ROOT = Path(__file__).parents[2]
OUTSIDE = "*(volatile uint32_t *)(uintptr_t)0x90000000u"


@pytest.fixture
def demo(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project with a learner and a kernel."""
    monkeypatch.chdir(tmp_path)
    for words in (["project", "demo"], ["learner", "mine"], ["kernel", "twice"]):
        assert CliRunner().invoke(app, ["new", *words]).exit_code == 0
        monkeypatch.chdir(tmp_path / "demo")
    return tmp_path / "demo"


def edit(path: Path, old: str, new: str) -> None:
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new))


@pytest.mark.parametrize(
    ("check", "old", "new", "message"),
    [
        ("rounds-equal-this-computer", "return round %", f"return {OUTSIDE} & 1; return round %",
         ("learner.c:41: learner mine, variant standard: learner_select crashed on the host,"
         " in step 0: SIGSEGV: it read or wrote memory that it does not own")),
        ("rounds-equal-this-computer", "    const fx_t surprise =",
         "    if (learner_model.rounds == 2) { __builtin_trap(); }\n    const fx_t surprise =",
         "learner_update crashed on the host, in step 2: SIG"),
        ("arms-in-range", "return round %", "__builtin_trap(); return round %",
         "learner_select crashed on the host, SIG"),
        ("rounds-equal-this-computer", "return round %", "return round == 3 ? 99 : round %",
         "learner_select chose arm 99 in step 3, on the host; the 4 arms are 0 to 3"),
        ("steps-equal-this-computer", "return round %", "return LEARNER_ARMS; return round %",
         "learner_select chose arm 4, on the host"),
    ],
)  # fmt: skip
def test_a_learner(demo: Path, check: str, old: str, new: str, message: str) -> None:
    edit(demo / "algorithms" / "mine" / "learner.c", old, new)
    with pytest.raises(CheckFailed) as caught:
        next(each for each in embedded_checks("mine") if each.name == check).run()
    assert message in str(caught.value)


def test_a_kernel(demo: Path) -> None:
    kernel = find_kernel("twice")
    bench = KernelBench(kernel, kernel.variants[0], load_architecture("t13-simd4"))
    source = kernel.variants[0].sources[0]
    text = source.read_text()
    body = text.index("{", text.index(f"{bench.variant.function}("))
    source.write_text(f"{text[: body + 1]} (void){OUTSIDE};{text[body + 1 :]}")
    extents = kernel.square(4)
    with pytest.raises(CheckFailed) as caught:
        bench.run_on_host(extents, kernel.operands(bench.fixed, extents, 1))
    assert str(source.relative_to(demo)) in str(caught.value)
    assert f"{bench.variant.function} crashed on the host, SIGSEGV" in str(caught.value)


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_what_never_ends_is_interrupted(demo: Path, number: int, code: int) -> None:
    edit(demo / "algorithms" / "mine" / "learner.c", "return round %", "for (;;) {} return round %")
    called = [sys.executable, "-m", "gnomon", "learner", "mine", "--arch", "t13"]
    with heeding_ctrl_c(), subprocess.Popen(
        called, env=os.environ | {"PYTHONPATH": str(ROOT)}, start_new_session=True, text=True,
        stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
    ) as process, killed_after(process, 240):  # fmt: skip
        children = Path(f"/proc/{process.pid}/task/{process.pid}/children")
        if not children.exists():
            pytest.skip("only Linux lists child processes")
        while not (child := _spinning(children.read_text().split())):
            assert process.poll() is None
            time.sleep(0.05)
        process.send_signal(number)
        assert process.stderr is not None
        assert process.stderr.read() == "gnomon: interrupted\n"
        assert process.wait() == code
    assert not Path(f"/proc/{child}").exists()


def _spinning(children: list[str]) -> str:
    """A child that has computed for a while: another copy of this program, and no compiler."""
    for child in children:
        try:
            command = Path(f"/proc/{child}/cmdline").read_bytes()
            ticks = int(Path(f"/proc/{child}/stat").read_text().rpartition(")")[2].split()[11])
        except (FileNotFoundError, ProcessLookupError):
            continue  # it has ended
        if b"gnomon\0learner" in command and ticks > 20:
            return child
    return ""


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("surprise = ", "surprise = 1 / 0 + ", "ZeroDivisionError: division by zero"),
        ("surprise = ", "raise SystemExit(0) or ", "ends the process with 0, "),
        ('name = "mine"', 'name = "mine"; raise SystemExit(0)', "ends the process with 0, "),
    ],
)
def test_python(demo: Path, old: str, new: str, message: str) -> None:
    learner = demo / "algorithms" / "mine" / "learner.py"
    edit(learner, old, new)
    text = learner.read_text()
    expected = f"{learner}:{text.count(chr(10), 0, text.index(new)) + 1}: {message}"
    logged = (
        "experiment",
        "logged",
        "--learner",
        "mine",
        "--format",
        "yahoo-r6a",
        "--rounds",
        "50",
    )
    checked = (("check", "mine"), {1, 2})  # once: it compiles and checks all
    for arguments, code in ((logged, {2}), *([checked] if "SystemExit(0) or" in new else [])):
        done = gnomon(*arguments)
        assert done.returncode in code
        assert expected in (done.stderr if arguments == logged else done.stdout + done.stderr)
        assert "a mistake in gnomon" not in done.stderr
