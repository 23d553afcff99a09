"""Files and options that ``gnomon run`` cannot use: one whole line on stderr, exit code 2."""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING

import pytest

from gnomon.arch import list_architectures
from tests.robustness._programs import elf, t13_words
from tests.robustness.test_bad_ends import cli

if TYPE_CHECKING:
    from pathlib import Path

GOOD = elf(t13_words("j on_trap"))


def patched(offset: int, data: bytes) -> bytes:
    return GOOD[:offset] + data + GOOD[offset + len(data) :]


def big_endian() -> bytes:
    return patched(5, b"\x02")[:18] + (243).to_bytes(2, "big") + GOOD[20:]


BAD_FILES = {
    "empty": (b"", "not an ELF file"),
    "text": (b"#!/bin/sh\n", "not an ELF file"),
    "truncated in the header": (
        GOOD[:40],
        "truncated: 40 bytes, the ELF header alone is 52",
    ),
    "truncated in the table": (
        GOOD[:60],
        "truncated: the program headers end at byte 84, the file at byte 60",
    ),
    "truncated in the code": (
        GOOD[:100],
        f"segment 0 at 0x00000080: its data ends at byte {len(GOOD)}, the file at byte 100",
    ),
    "64-bit": (
        patched(4, b"\x02"),
        "a 64-bit program for RISC-V; these machines are 32-bit RISC-V",
    ),
    "big-endian": (
        big_endian(),
        "a big-endian program for RISC-V; these machines are little-endian RISC-V",
    ),
    "for another machine": (
        patched(18, struct.pack("<H", 40)),
        "a program for Arm, not for RISC-V",
    ),
    "object file": (
        patched(16, struct.pack("<H", 1)),
        "not an executable: an object file; link it first",
    ),
    "no segment": (patched(44, struct.pack("<H", 0)), "no loadable segment"),
}


@pytest.mark.parametrize("name", BAD_FILES)
def test_a_file_that_is_no_program(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    content, message = BAD_FILES[name]
    path = tmp_path / "it.elf"
    path.write_bytes(content)
    assert cli(monkeypatch, "run", str(path), "--arch", "t13") == 2
    assert capsys.readouterr() == ("", f"gnomon: {path}: {message}\n")


def test_a_missing_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "none.elf"
    assert cli(monkeypatch, "run", str(path), "--arch", "t13") == 2
    assert capsys.readouterr() == ("", f"gnomon: {path}: no such file\n")


def test_a_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli(monkeypatch, "run", str(tmp_path), "--arch", "t13") == 2
    assert capsys.readouterr() == ("", f"gnomon: {tmp_path}: is a folder, not an ELF file\n")


SHIPPED = ", ".join(list_architectures())

BAD_OPTIONS = {
    "unknown machine": (
        ("--arch", "t13-simd3"),
        (
            f"no machine is called 't13-simd3' (known: {SHIPPED}, did you mean 't13-simd8'?); "
            "give a user-defined file by its path, such as ./mine.yaml"
        ),
    ),
    "missing machine file": (
        ("--arch", "./none.yaml"),
        "./none.yaml: no such file",
    ),
    "unknown key": (
        ("--arch", "t13-simd2", "--set", "vcu.smid=4"),
        "--set vcu.smid=4: vcu.smid: unknown key, did you mean 'vcu.simd'?",
    ),
    "no value": (
        ("--arch", "t13-simd2", "--set", "vcu.simd"),
        "--set vcu.simd: write dotted.path=value, such as core.harts=3",
    ),
    "value that is not allowed": (
        ("--arch", "t13-simd2", "--set", "core.harts=2"),
        (
            "--set core.harts=2: core.harts: must be 3 to 8 with core.model t13, not 2 (with 2 "
            "harts the RTL executes wrong code after a jump; core.model inorder is one hart)"
        ),
    ),
    "no cycles": (
        ("--arch", "t13-simd2", "--max-cycles", "0"),
        "max_cycles must be at least 1, not 0",
    ),
    "two outputs": (
        ("--arch", "t13-simd2", "--json", "--profile"),
        "--profile prints tables; leave out --json, which prints the run alone",
    ),
}


@pytest.mark.parametrize("name", BAD_OPTIONS)
def test_an_option_that_cannot_be(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    options, message = BAD_OPTIONS[name]
    path = tmp_path / "it.elf"
    path.write_bytes(GOOD)
    assert cli(monkeypatch, "run", str(path), *options) == 2
    assert capsys.readouterr() == ("", f"gnomon: {message}\n")


def test_a_number_that_is_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The command-line library answers this one, in its own layout."""
    path = tmp_path / "it.elf"
    path.write_bytes(GOOD)
    assert cli(monkeypatch, "run", str(path), "--arch", "t13", "--max-cycles", "many") == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert "Invalid value for '--max-cycles'" in err
    assert "Traceback" not in err
