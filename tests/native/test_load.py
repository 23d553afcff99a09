"""C libraries: compiled once, kept, checked before they are loaded, never half there."""

from __future__ import annotations

import ctypes
import importlib
import json
import logging
import os
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from gnomon.base import native as loader
from gnomon.base.compiler import recipe
from gnomon.base.errors import GnomonError
from gnomon.base.native import Native, load_native, prebuild
from tests.conftest import absent
from tests.sanitizers import sanitized
from tests.wheels import ROOT

if TYPE_CHECKING:
    from collections.abc import Callable

ONCE = "compiling the answer, once: this takes a few seconds\n"
WHEEL = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["hatch"]["build"]["targets"]
LISTED = WHEEL["wheel"]["hooks"]["custom"]["libraries"]
SOURCE = """\
#include "native.h"
EXPORT int64_t answer(void) {{ return {}; }}
"""


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Keep libraries where no other test does."""
    monkeypatch.setenv("GNOMON_CACHE", str(tmp_path / "cache"))
    monkeypatch.delenv("GNOMON_NATIVE", raising=False)
    load_native.cache_clear()
    return tmp_path / "cache" / "native"


@pytest.fixture
def native(tmp_path: Path) -> Native:
    """A library of one function."""
    (tmp_path / "answer.c").write_text(SOURCE.format(42))
    return Native("answer", "the answer", (tmp_path / "answer.c",))


def ask(native: Native) -> int:
    """The answer of a library that is loaded afresh."""
    load_native.cache_clear()
    return int(load_native(native).answer())


def kept(cache: Path) -> Path:
    """The library in the cache."""
    (library,) = cache.glob("*.so")
    return library


def cut(library: Path, size: int) -> None:
    """Leave the first bytes, in another file: this process may have the first one mapped."""
    data = library.read_bytes()[:size]
    library.unlink()
    library.write_bytes(data)


def said(capsys: pytest.CaptureFixture[str]) -> str:
    return capsys.readouterr().err


def test_it_is_compiled_once(native: Native, capsys: pytest.CaptureFixture[str]) -> None:
    assert ask(native) == 42
    assert said(capsys) == ONCE
    assert ask(native) == 42
    assert said(capsys) == ""


def test_a_changed_source_is_compiled(native: Native, capsys: pytest.CaptureFixture[str]) -> None:
    ask(native)
    native.sources[0].write_text(SOURCE.format(43))
    said(capsys)
    assert ask(native) == 43
    assert said(capsys) == ONCE


def test_a_changed_header_counts(native: Native, tmp_path: Path) -> None:
    header = tmp_path / "number.h"
    native.sources[0].write_text('#include "number.h"\n' + SOURCE.format("NUMBER"))
    native = Native(native.name, native.title, native.sources, (header,))
    for number in (5, 6):
        header.write_text(f"#define NUMBER {number}\n")
        assert ask(native) == number


def test_headers_are_made_when_something_is_compiled(native: Native) -> None:
    calls = []

    def made() -> dict[str, str]:
        calls.append(1)
        return {"number.h": "#define NUMBER 7\n"}

    native.sources[0].write_text('#include "number.h"\n' + SOURCE.format("NUMBER"))
    native = Native(native.name, native.title, native.sources, generate=made)
    assert [ask(native), ask(native), len(calls)] == [7, 7, 1]


def test_what_is_kept_is_private(native: Native, cache: Path) -> None:
    old = os.umask(0o002)
    try:
        ask(native)
    finally:
        os.umask(old)
    assert kept(cache).stat().st_mode & 0o077 == 0
    assert cache.stat().st_mode & 0o022 == 0


def test_a_half_written_one_is_made_again(
    native: Native, cache: Path,
    capsys: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture,
) -> None:  # fmt: skip
    ask(native)
    for size in (0, 100, 1000):
        cut(kept(cache), size)
        said(capsys)
        caplog.clear()
        assert ask(native) == 42
        assert said(capsys) == ONCE, size
        assert "is damaged; it is regenerated" in caplog.text, size


def test_one_that_others_may_write_is_made_again(
    native: Native, cache: Path, caplog: pytest.LogCaptureFixture
) -> None:
    ask(native)
    kept(cache).chmod(0o666)
    assert ask(native) == 42
    assert f"others may write {kept(cache).name}; it is regenerated" in caplog.text
    assert kept(cache).stat().st_mode & 0o077 == 0


def test_one_of_another_user_is_made_again(
    native: Native, cache: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    ask(native)
    if os.getuid() == 0:
        os.chown(kept(cache), 4711, -1)
    else:
        owner = os.getuid()
        monkeypatch.setattr(os, "getuid", lambda: owner + 1)
    assert ask(native) == 42
    assert "belongs to another user" in caplog.text


def test_no_folder_to_keep_it(
    native: Native, cache: Path, caplog: pytest.LogCaptureFixture
) -> None:
    cache.parent.write_text("a file where the cache should be")
    assert ask(native) == 42
    assert "cannot make the cache folder" in caplog.text
    assert "the answer is compiled again next time" in caplog.text


def test_a_disk_that_cannot_be_written(
    native: Native, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def full(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("gnomon.base.cache_entry.write_aside", full)
    assert ask(native) == 42
    assert "No space left on device" in caplog.text
    assert [record.levelno for record in caplog.records] == [logging.WARNING]


def test_two_processes_at_once(native: Native, cache: Path, tmp_path: Path) -> None:
    script = tmp_path / "ask.py"
    script.write_text(
        "from pathlib import Path\n"
        "from gnomon.base.native import Native, load_native\n"
        f"native = Native('answer', 'the answer', (Path({str(native.sources[0])!r}),))\n"
        "print(load_native(native).answer())"
    )
    runs = [
        subprocess.Popen(
            [sys.executable, script], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )
        for _ in range(4)
    ]
    ends = [run.communicate() for run in runs]
    assert [out for out, _ in ends] == ["42\n"] * 4
    assert "".join(err for _, err in ends) == ONCE
    assert kept(cache).is_file()


def test_no_compiler(native: Native, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda _: None)
    with pytest.raises(GnomonError, match=r"is not installed: python -m pip install ziglang$"):
        ask(native)


def test_a_compiler_that_says_no(native: Native) -> None:
    native.sources[0].write_text("int answer(void) { return nothing; }\n")
    with pytest.raises(GnomonError, match=r"(?s)zig .* cannot compile answer\.so:.*nothing"):
        ask(native)


def test_a_library_that_needs_what_is_not_there(native: Native) -> None:
    native.sources[0].write_text(
        '#include "native.h"\nint other(void);\n' + SOURCE.format("other()")
    )
    with pytest.raises(GnomonError, match=r"answer\.so: cannot be loaded: .*other"):
        ask(native)


@pytest.fixture
def wheel(native: Native, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """What an installed wheel has: the library, and what is known about it."""
    folder = tmp_path / "installed"
    folder.mkdir()
    monkeypatch.setattr(loader, "PREBUILT", folder)
    return prebuild(native, loader.host_triple(), folder)[0]


@pytest.mark.usefixtures("wheel")
def test_a_prebuilt_one_needs_no_compiler(
    native: Native, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda _: None)
    assert ask(native) == 42
    assert not cache.exists()


def _damage(wheel: Path) -> None:
    cut(wheel, 1000)


def _forget(wheel: Path) -> None:
    wheel.with_suffix(".json").write_text("{}")


def _other_system(wheel: Path) -> None:
    about = json.loads(wheel.with_suffix(".json").read_text())
    wheel.with_suffix(".json").write_text(json.dumps(about | {"system": "sparc-solaris"}))


def _other_owner(wheel: Path) -> None:
    os.chown(wheel, 4711, -1)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (_damage, "answer.so: is damaged; it is not used"),
        (_forget, "answer.so: is damaged; it is not used"),
        (_other_system, ""),
        (Path.unlink, "answer.so: is damaged; it is not used"),
        (_other_owner, "answer.so: answer.so belongs to another user; it is not used"),
    ],
)
def test_a_prebuilt_one_that_is_not_right(
    native: Native, wheel: Path, change: Callable[[Path], None], message: str,
    capsys: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture,
) -> None:  # fmt: skip
    if change is _other_owner and os.getuid() != 0:
        pytest.skip("only root gives files away")
    change(wheel)
    assert ask(native) == 42
    assert said(capsys).endswith(ONCE)
    assert message in caplog.text


@pytest.mark.usefixtures("wheel")
def test_an_edited_source_counts_before_a_prebuilt_library(native: Native) -> None:
    native.sources[0].write_text(SOURCE.format(44))
    assert ask(native) == 44


def test_a_prebuilt_one_in_a_folder_of_a_group(native: Native, wheel: Path, cache: Path) -> None:
    wheel.chmod(0o664)
    wheel.parent.chmod(0o775)
    assert ask(native) == 42
    assert not cache.exists()


@pytest.mark.parametrize(
    ("triple", "magic"),
    [
        ("x86_64-linux-gnu", b"\x7fELF\2\1"),
        ("aarch64-linux-musl", b"\x7fELF\2\1"),
        ("x86_64-macos", b"\xcf\xfa\xed\xfe\x07\0\0\1"),
        ("aarch64-macos", b"\xcf\xfa\xed\xfe\x0c\0\0\1"),
    ],
)
def test_for_other_computers(native: Native, tmp_path: Path, triple: str, magic: bytes) -> None:
    library, _ = prebuild(native, triple, tmp_path)
    assert library.read_bytes().startswith(magic)


def test_an_unknown_build(native: Native, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GNOMON_NATIVE", "sanitise")
    with pytest.raises(GnomonError, match="did you mean 'sanitize'"):
        ask(native)


class TestForDevelopers:
    @pytest.fixture(autouse=True)
    def _gcc(self) -> None:
        if shutil.which("gcc") is None:
            absent("GCC: not found; install: sudo apt-get install gcc")

    @pytest.mark.parametrize("listed", LISTED)
    def test_gcc_has_no_warning(self, listed: str, tmp_path: Path) -> None:
        module, _, name = listed.partition(":")
        how = recipe("coverage")
        quick = how._replace(command=(*how.command, "-O0"))
        getattr(importlib.import_module(module), name).compile(quick, tmp_path)

    def test_sanitizers_say_how_to_start(
        self, native: Native, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("GNOMON_NATIVE", "sanitize")
        with pytest.raises(GnomonError, match=r"LD_PRELOAD=\S+libasan.so ASAN_OPTIONS="):
            ask(native)

    def test_sanitizers_stop_at_what_is_wrong(self, native: Native, tmp_path: Path) -> None:
        native.sources[0].write_text(
            '#include "native.h"\nEXPORT int answer(int a) { int b[2] = {a, a}; return b[a]; }\n'
        )
        script = tmp_path / "ask.py"
        script.write_text(
            "import sys\nfrom pathlib import Path\n"
            "from gnomon.base.native import Native, load_native\n"
            f"native = Native('answer', 'the answer', (Path({str(native.sources[0])!r}),))\n"
            "print(load_native(native).answer(int(sys.argv[1])))"
        )
        environment = os.environ | sanitized()
        good, bad = (
            subprocess.run(
                [sys.executable, script, number],
                env=environment, check=False, capture_output=True, text=True,
            )
            for number in "19"
        )  # fmt: skip
        assert (good.returncode, good.stdout) == (0, "1\n"), good.stderr
        assert bad.returncode != 0
        assert "runtime error: index 9 out of bounds" in bad.stderr

    def test_gcov_counts_lines(self, native: Native, cache: Path, tmp_path: Path) -> None:
        script = tmp_path / "ask.py"
        script.write_text(
            "from pathlib import Path\nfrom gnomon.base.native import Native, load_native\n"
            f"native = Native('answer', 'the answer', (Path({str(native.sources[0])!r}),))\n"
            "load_native(native).answer()"
        )
        environment = os.environ | {"GNOMON_NATIVE": "coverage"}
        subprocess.run([sys.executable, script], env=environment, check=True, capture_output=True)
        (counts,) = cache.glob("coverage-*/*.gcda")
        gcov = subprocess.run(
            ["gcov", "-n", counts], cwd=tmp_path, check=True, capture_output=True, text=True
        )
        assert "Lines executed:100.00% of 1" in gcov.stdout


def test_the_answer_is_a_function_of_c(native: Native) -> None:
    assert isinstance(load_native(native), ctypes.CDLL)
