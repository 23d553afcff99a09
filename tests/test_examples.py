"""The examples run, and print what they printed when they were written."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

_ROOT = Path(__file__).resolve().parents[1]


def test_run_program() -> None:
    elf = _ROOT / "tests" / "reference" / "t13x" / "programs" / "p_conv_h1_s4.elf"
    done = subprocess.run(
        [sys.executable, str(_ROOT / "examples" / "run_program.py"), str(elf)],
        cwd=_ROOT,
        env={"PYTHONPATH": str(_ROOT), "PATH": "", "HOME": str(Path.home())},
        check=True,
        capture_output=True,
        text=True,
    )
    # The second line is the reference run of this program on the RTL: exit in cycle 27426.
    assert done.stdout.splitlines()[1] == "t13-simd4: exit, 27427 cycles"
