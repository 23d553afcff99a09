"""Host builds that stop where C says nothing about what happens, and a process to run them in."""

from __future__ import annotations

import dataclasses
import subprocess
import sys
from typing import TYPE_CHECKING

from gnomon.program import _build

if TYPE_CHECKING:
    from gnomon.program._toolchain import Toolchain

_FLAGS = ("-fno-wrapv", "-fsanitize=undefined", "-fsanitize-trap=undefined", "-O1")


def _stopping(toolchain: Toolchain) -> Toolchain:
    language = [flag for flag in toolchain.language if flag != "-fno-sanitize=all"]
    return dataclasses.replace(toolchain, language=(*language, *_FLAGS))


def stop_where_undefined() -> None:
    """From here on host builds end their process by a signal; overflow is undefined in them."""
    normal = _build.find_toolchain
    _build.find_toolchain = lambda compiler, *isa: (
        normal(compiler, *isa) if compiler else _stopping(normal(None))
    )


def check_defined(module: str, *arguments: str) -> None:
    """Run a module as a program, which prints a line before whatever may stop it."""
    done = subprocess.run(
        [sys.executable, "-m", module, *arguments], check=False, capture_output=True, text=True
    )
    last = done.stdout.strip().rpartition("\n")[2]
    assert done.returncode == 0, f"{last}: {done.returncode}\n{done.stderr}"
    assert last.endswith("cases"), done.stdout
