"""The wheels carry package, content and libraries; in a checkout they are found where edited."""

from __future__ import annotations

import importlib
import importlib.metadata
import os
import re
import struct
import subprocess
import tomllib
import zipfile
from io import BytesIO
from typing import TYPE_CHECKING

import pytest
from elftools.elf.elffile import ELFFile

import gnomon
from gnomon.base.content import content, content_root
from gnomon.base.native import PREBUILT, Native
from tests.wheels import ROOT, build_once, build_wheel, install

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

HOST = f"{os.uname().machine}-linux"
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())
LISTED = PROJECT["tool"]["hatch"]["build"]["targets"]["wheel"]["hooks"]["custom"]["libraries"]
MAGIC = {"x86_64": (0x01000007, "x64"), "aarch64": (0x0100000C, "AArch64")}


def libraries() -> Iterator[Native]:
    """Those that wheels carry."""
    for each in LISTED:
        module, _, name = each.partition(":")
        yield getattr(importlib.import_module(module), name)


def functions(native: Native) -> set[str]:
    """Those that Python may call."""
    files = [*native.sources, *(file for file in native.headers if file.suffix == ".h")]
    text = "".join(file.read_text() for file in files)
    return set(re.findall(r"^EXPORT [^(=;]*?(\w+)\(", text, re.MULTILINE))


def elf_names(data: bytes, machine: str) -> set[str]:
    """What an ELF file exports."""
    elf = ELFFile(BytesIO(data))
    assert elf.get_machine_arch() == MAGIC[machine][1]
    symbols = elf.get_section_by_name(".dynsym").iter_symbols()
    return {each.name for each in symbols if each["st_shndx"] != "SHN_UNDEF"}


def mach_names(data: bytes, machine: str) -> set[str]:
    """What a Mach-O file exports; it must be signed, or macOS does not load it."""
    magic, cpu, _, _, commands = struct.unpack_from("<5I", data)
    assert (magic, cpu) == (0xFEEDFACF, MAGIC[machine][0])
    at, names, signed = 32, set(), False
    for _ in range(commands):
        command, size = struct.unpack_from("<2I", data, at)
        signed |= command == 0x1D
        if command == 2:
            table, count, text, _ = struct.unpack_from("<4I", data, at + 8)
            for k in range(count):
                name, kind, *_ = struct.unpack_from("<IBBHQ", data, table + 16 * k)
                if kind & 0x0F == 0x0F:  # defined in a section, external
                    names.add(data[text + name + 1 :].split(b"\0")[0].decode())
        at += size
    assert signed or machine == "x86_64"
    return {name for name in names if not name.startswith("_")}  # the linker's own


@pytest.fixture(scope="module")
def pure(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel for every system."""
    return build_once(tmp_path_factory)


def test_the_wheel_holds_package_and_content(pure: Path) -> None:
    names = set(zipfile.ZipFile(pure).namelist())
    wanted = {
        "gnomon/py.typed",
        "gnomon/program/runtime/start.S",
        "gnomon/_content/kernels/common/fx.h",
        "gnomon/base/include/native.h",
    }
    text = "".join(file.read_text() for file in (ROOT / "gnomon" / "rtl").rglob("*.py"))
    benches = set(re.findall(r"\(\"rtl_tests\", \"(\w+)\"", text)) - {"benches"}
    files = (file for each in benches for file in (ROOT / "rtl_tests" / each).glob("*.*"))
    wanted |= {f"gnomon/_content/{file.relative_to(ROOT)}" for file in files}
    wanted |= {f"gnomon/_content/arch/{file.name}" for file in (ROOT / "arch").glob("*.yaml")}
    assert wanted <= names
    assert not [name for name in names if name.startswith(("tests/", "reports/"))]
    assert not [name for name in names if "_native/" in name]


@pytest.mark.heavy("wheels")
def test_a_wheel_built_again_has_the_same_bytes(pure: Path, tmp_path: Path) -> None:
    assert build_wheel(tmp_path).read_bytes() == pure.read_bytes()


def test_every_dependency_is_imported() -> None:
    text = "".join(file.read_text() for file in (ROOT / "gnomon").rglob("*.py"))
    pairs = re.findall(r"^ *(?:from|import) (\w+)|find_spec\(\"(\w+)", text, re.MULTILINE)
    used = {name for pair in pairs for name in pair}
    modules = importlib.metadata.packages_distributions()
    wanted = {re.split(r"[^\w-]", each)[0].lower() for each in PROJECT["project"]["dependencies"]}
    assert wanted <= {each.lower() for name in used for each in modules.get(name, ())}


def test_every_library_is_listed() -> None:
    declared = {
        file.relative_to(ROOT).with_suffix("").as_posix().replace("/", ".")
        for file in (ROOT / "gnomon").rglob("*.py")
        if re.search(r"(= |return )Native\(", file.read_text())
    }
    assert declared == {each.partition(":")[0] for each in LISTED}
    assert len({native.name for native in libraries()}) == len(LISTED)


@pytest.mark.heavy("wheels")
@pytest.mark.parametrize("system", [HOST, ""])
def test_installed_it_runs_and_reads(
    pure: Path, tmp_path: Path, system: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GNOMON_CACHE", str(tmp_path / "cache"))
    monkeypatch.delenv("PYTHONPATH", raising=False)
    monkeypatch.delenv("GNOMON_NATIVE", raising=False)
    python = install(build_wheel(tmp_path, system) if system else pure, tmp_path)
    (tmp_path / "flip.vcd").write_text(
        "$timescale 1ns $end $scope module top $end $var wire 1 ! a $end $upscope $end"
        " $enddefinitions $end #0 0! #5 1! #9 0!\n"
    )
    program = ROOT / "tests/reference/t13x/programs/p00.elf"
    for words, said in (
        (["run", str(program), "--arch", "t13-simd4"], '"exit_cycle": 12049'),
        (["power", "activity", "flip.vcd", "--clock", "1GHz"], '"toggles"'),
    ):
        done = subprocess.run(
            [python, "-m", "gnomon", *words, "--json"],
            cwd=tmp_path, check=False, capture_output=True, text=True,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        assert said in done.stdout
        assert ("compiling" in done.stderr) != bool(system)
    compiled = {file.stem for file in (tmp_path / "cache" / "native").glob("*.so")}
    assert bool(compiled) != bool(system)


@pytest.mark.heavy("wheels")
@pytest.mark.parametrize(
    "system", ["x86_64-linux", "aarch64-linux", "x86_64-macos", "aarch64-macos"]
)
def test_a_wheel_for_each_system(system: str, tmp_path: Path) -> None:
    wheel = build_wheel(tmp_path, system)
    machine, kind = system.split("-")
    assert {"linux": "manylinux_2_17", "macos": "macosx_11_0"}[kind] in wheel.name
    inside = PREBUILT.relative_to(ROOT).as_posix()
    with zipfile.ZipFile(wheel) as files:
        about = files.read(next(n for n in files.namelist() if n.endswith("WHEEL"))).decode()
        assert "Root-Is-Purelib: false" in about
        for native in libraries():
            data = files.read(f"{inside}/{native.name}.so")
            names = (elf_names if kind == "linux" else mach_names)(data, machine)
            assert names == functions(native)


@pytest.mark.heavy("wheels")
def test_an_unknown_system_is_refused(tmp_path: Path) -> None:
    with pytest.raises(subprocess.CalledProcessError) as caught:
        build_wheel(tmp_path, "sparc-solaris")
    assert b"allowed: x86_64-linux, aarch64-linux, x86_64-macos" in caught.value.stderr


def test_the_version_is_a_release_number() -> None:
    assert re.fullmatch(r"\d+\.\d+\.\d+", gnomon.__version__)


def test_a_checkout_uses_its_own_content() -> None:
    assert content_root() == ROOT
    assert content("arch", "t13.yaml").is_file()
