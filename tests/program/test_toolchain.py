"""Finding compilers, and what is said where there is none."""

from __future__ import annotations

import importlib.util
import os
import shutil
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from gnomon.base.errors import GnomonError
from gnomon.program import build
from gnomon.program._toolchain import find_toolchain
from tests.conftest import need_riscv_gcc

if TYPE_CHECKING:
    from gnomon.arch import Architecture


def test_zig_is_found_with_its_version() -> None:
    zig = find_toolchain("zig")
    assert Path(zig.driver[0]).is_file()
    assert zig.title == f"zig {importlib.metadata.version('ziglang')}"


def test_an_unknown_compiler() -> None:
    with pytest.raises(GnomonError) as caught:
        find_toolchain("gc")
    assert str(caught.value) == ("unknown compiler 'gc' (allowed: zig, gcc), did you mean 'gcc'?")


def test_a_missing_zig(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda _: None)
    with pytest.raises(GnomonError) as caught:
        find_toolchain("zig")
    assert str(caught.value) == (
        "the cross-compiler is not installed: python -m pip install ziglang"
        " (or build with compiler='gcc')"
    )


def test_a_missing_gcc(
    source: Path, t13: Architecture, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(GnomonError) as caught:
        build([source], t13, compiler="gcc")
    assert str(caught.value) == (
        "no RISC-V GCC on PATH (looked for riscv32-unknown-elf-gcc, riscv64-unknown-elf-gcc,"
        " riscv32-elf-gcc, riscv64-elf-gcc, riscv-none-elf-gcc): install one, for example with"
        " 'apt install gcc-riscv64-unknown-elf', or build with compiler='zig'"
    )


def test_a_gcc_that_is_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fake = tmp_path / "riscv64-elf-gcc"
    fake.write_text("#!/bin/sh\necho broken >&2\nexit 1\n")
    fake.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(GnomonError) as caught:
        find_toolchain("gcc")
    assert str(caught.value) == f"{fake}: does not report its version: broken"


def test_gcc_builds_the_same_program(source: Path, t13: Architecture) -> None:
    need_riscv_gcc()
    program = build([source], t13, compiler="gcc")
    assert program.entry == 0x80
    assert program.build is not None
    assert program.build.compiler == "gcc"
    assert build([source], t13, compiler="gcc", debug=True).segments == program.segments


def test_the_environment_cannot_change_a_build(
    source: Path,
    tmp_path: Path,
    cache: Path,
    t13: Architecture,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    plain = build([source], t13)
    shutil.rmtree(cache / "program")
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "stdint.h").write_text("#error wrong header\n")
    monkeypatch.setenv("CPATH", str(tmp_path / "other"))
    monkeypatch.setenv("C_INCLUDE_PATH", str(tmp_path / "other"))
    monkeypatch.setenv("HOME", os.devnull)  # nothing can be written there
    assert build([source], t13) == plain
