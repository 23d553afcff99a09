"""Building: what errors say, and what is refused."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from gnomon.arch import Architecture
from gnomon.base.errors import GnomonError
from gnomon.program import build, build_host

if TYPE_CHECKING:
    from pathlib import Path


def refusal(*arguments: object, **options: object) -> str:
    with pytest.raises(GnomonError) as caught:
        build(*arguments, **options)  # type: ignore[arg-type]
    return str(caught.value)


def test_a_compile_error_is_shown_and_nothing_is_kept(
    source: Path, cache: Path, t13: Architecture
) -> None:
    source.write_text("int main(int hart) { return hart + missing; }\n")
    message = refusal([source], t13)
    first, second, *_ = message.splitlines()
    assert first.startswith(f"{source}: does not compile with zig ")
    assert second == f"{source}:1:36: error: use of undeclared identifier 'missing'"
    assert list((cache / "program").iterdir()) == []


def test_a_long_compile_error_is_cut(source: Path, t13: Architecture) -> None:
    source.write_text("".join(f"int f{i}(void) {{ return m{i}; }}\n" for i in range(15)))
    lines = refusal([source], t13).splitlines()
    assert len(lines) == 1 + 20 + 1
    assert lines[-1].endswith(" more lines)")


def test_warnings_are_kept_without_folders(source: Path, t13: Architecture) -> None:
    source.write_text("int main(int hart) { int idle = 3; return hart; }\n")
    for program in (build([source], t13), build([source], t13)):
        assert program.build is not None
        assert program.build.warnings.startswith("sum.c:1:26: warning: unused variable 'idle'")


def test_a_link_error_is_shown(source: Path, t13: Architecture) -> None:
    source.write_text("int missing(void); int main(int hart) { return hart + missing(); }\n")
    message = refusal([source], t13)
    assert message.startswith(f"{source}: does not link with zig ")
    assert "undefined symbol: missing" in message


def test_a_program_without_main_and_a_source_that_is_no_text(
    source: Path, t13: Architecture
) -> None:
    for text in ("", "int helper(void) { return 1; }\n"):
        source.write_text(text)
        assert refusal([source], t13) == (
            f"{source}: no function main (allowed: int main(void), int main(int hart))"
        )
    source.write_bytes(b"\x7fELF\x01\x01\x01\0\0")
    assert refusal([source], t13) == f"{source}: is no text: byte 7 is zero"


def test_levels_have_no_near_one(source: Path, t13: Architecture) -> None:
    allowed = "(allowed: -O0, -O1, -O2, -O3, -Os, -Oz)"
    for level, hint in (("-O7", ""), ("-o2", ", did you mean '-O2'?")):
        message = f"unknown optimization {level!r} {allowed}{hint}"
        assert refusal([source], t13, optimization=level) == message


def test_constructors_and_thread_storage_are_refused(source: Path, t13: Architecture) -> None:
    source.write_text(
        'int x; __attribute__((constructor)) void set(void) { __asm__ volatile(""); x = 1; }\n'
        "int main(int hart) { return hart + x; }\n"
    )
    assert "gnomon: constructors are not run; call an initialiser from main" in refusal(
        [source], t13
    )
    source.write_text("_Thread_local int x = 3; int main(int hart) { x += hart; return x; }\n")
    assert "gnomon: there is no thread-local storage; index an array by hart" in refusal(
        [source], t13
    )


def test_a_header_that_the_cache_cannot_see_is_refused(
    source: Path, tmp_path: Path, t13: Architecture
) -> None:
    hidden = tmp_path / "hidden"
    hidden.mkdir()
    (hidden / "far.h").write_text("#define FAR 1\n")
    source.write_text('#include "../hidden/far.h"\nint main(int hart) { return hart + FAR; }\n')
    assert refusal([source], t13) == (
        f"{source}: includes {hidden}/far.h, which is in none of the include folders;"
        f" add include=['{hidden}']"
    )
    assert build([source], t13, include=[hidden]).name == "sum"


def test_too_many_harts(source: Path, t13: Architecture, rv32im: Architecture) -> None:
    assert refusal([source], t13, active_harts=4) == (
        "active_harts is 4, but t13-simd4 has 3 harts"
    )
    assert refusal([source], rv32im, active_harts=0) == ("active_harts is 0, but rv32im has 1 hart")


def test_a_host_compile_error_is_shown(source: Path) -> None:
    source.write_text("#include <nothing.h>\n")
    with pytest.raises(GnomonError) as caught:
        build_host([source])
    assert f"{source}:1:10: fatal error: 'nothing.h' file not found" in str(caught.value)


@pytest.mark.parametrize(
    "line",
    ['#include "pipe.h"', "# include_next <pipe.h>", '#import "pipe.h"', '#embed "pipe.h"',
     'asm(".incbin \\"pipe.h\\"");', '#include "zero.h"', '#include "own.h"'],
)  # fmt: skip
def test_a_pipe_or_device_is_never_included(line: str, tmp_path: Path, t13: Architecture) -> None:
    os.mkfifo(tmp_path / "pipe.h")
    (tmp_path / "zero.h").symlink_to("/dev/zero")
    if "own.h" in line:
        (tmp_path / "own.h").write_text('\n#include "pipe.h"\n')
    source = tmp_path / "program.c"
    source.write_text(f"\n\n{line}\nint main(void) {{ return 0; }}\n")
    where = f"{tmp_path}/own.h:2" if "own.h" in line else f"{source}:3"
    name = "zero.h" if "zero.h" in line else "pipe.h"
    assert refusal([source], t13) == (
        f"{where}: {name}: is not a regular file but a pipe or device"
    )


def test_what_is_no_file_is_named(tmp_path: Path, t13: Architecture) -> None:
    os.mkfifo(tmp_path / "fifo.c")
    (tmp_path / "folder.c").mkdir()
    for name, why in (
        ("fifo.c", "is not a regular file but a pipe or device"),
        ("folder.c", "is a folder, not a file"),
        ("none.c", "no such file"),
    ):
        assert refusal([tmp_path / name], t13) == f"{tmp_path / name}: {why}"
