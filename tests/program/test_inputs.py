"""What a user asks to build, checked before any compiler runs."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from gnomon.base.errors import GnomonError
from gnomon.program import build
from gnomon.program._inputs import build_key, check_inputs, hashed_files
from gnomon.sim import simulate

if TYPE_CHECKING:
    from pathlib import Path

    from gnomon.arch import Architecture


def refusal(*arguments: object, **options: object) -> str:
    with pytest.raises(GnomonError) as caught:
        build(*arguments, **options)  # type: ignore[arg-type]
    return str(caught.value)


def test_sources(tmp_path: Path, t13: Architecture) -> None:
    assert refusal([], t13) == "no source to build"
    assert refusal([tmp_path / "no.c"], t13) == f"{tmp_path}/no.c: no such file"
    assert refusal(["kernel.cpp"], t13) == ("kernel.cpp: C++ is not built (allowed: .c, .S, .s)")


def test_optimization(source: Path, t13: Architecture) -> None:
    assert refusal([source], t13, optimization="-O9") == (
        "unknown optimization '-O9' (allowed: -O0, -O1, -O2, -O3, -Os, -Oz)"
    )


def test_include_folders(source: Path, tmp_path: Path, t13: Architecture) -> None:
    assert refusal([source], t13, include=[tmp_path / "inc"]) == (
        f"{tmp_path}/inc: no such include folder"
    )
    large = tmp_path / "large"
    large.mkdir()
    with (large / "blob").open("wb") as file:
        file.truncate((64 << 20) + 1)
    assert refusal([source], t13, include=[large]) == (
        f"{large}: too large for an include folder (limit: 4096 files, 64 MiB)"
    )


def test_defines(source: Path, t13: Architecture) -> None:
    assert refusal([source], t13, defines={"2D": 1}) == (
        "'2D' is not a macro name (letters, digits and '_')"
    )
    assert refusal([source], t13, defines={"GNOMON_SIMD": 8}) == (
        "GNOMON_SIMD is set by the machine and cannot be defined"
    )
    assert refusal([source], t13, defines={"TEXT": "a\nb"}) == (
        "the value of macro TEXT must be one line, not 'a\\nb'"
    )


def test_defines_reach_the_sources_and_not_the_start_up(source: Path, t13: Architecture) -> None:
    source.write_text("int main(int hart) { return hart + size + text[1]; }\n")
    program = build([source], t13, defines={"size": 4, "text": '"a b"', "zero": "break"})
    assert program.build is not None
    assert program.build.flags[-3:] == ("-Dsize=4", '-Dtext="a b"', "-Dzero=break")


@pytest.mark.parametrize(
    ("suffix", "text"),
    [
        (".S", '.data\n.globl table\ntable: .incbin "{file}"\n'),
        (".c", '__asm__(".data\\n.globl table\\ntable: .incbin \\"{file}\\"\\n");\n'),
    ],
)
def test_what_is_embedded_is_part_of_the_key(tmp_path: Path, suffix: str, text: str) -> None:
    data = tmp_path / "elsewhere" / "table.md"
    data.parent.mkdir()
    source = tmp_path / f"embeds{suffix}"
    source.write_text(text.format(file=data))
    inputs = check_inputs([source], (), {}, "-O2", ())
    keys = []
    for content in (b"\1\2\3\4", b"\5\6\7\10"):
        data.write_bytes(content)
        keys.append(build_key({}, inputs, hashed_files(inputs)))
    assert keys[0] != keys[1]


def test_a_file_embedded_through_a_link_is_read_again(tmp_path: Path, t13: Architecture) -> None:
    source, data = tmp_path / "source" / "embeds.c", tmp_path / "data"
    source.parent.mkdir()
    (tmp_path / "include").mkdir()
    (tmp_path / "link").symlink_to(data)
    source.write_text(
        '__asm__(".section .rodata\\n.globl it\\nit: .incbin \\"../link\\"\\n.text");\n'
        "extern const int it;\nint main(void) { return it; }\n"
    )
    for content in (b"\1\0\0\0", b"\2\0\0\0"):
        data.write_bytes(content)
        program = build([source], t13, include=[tmp_path / "include"])
        assert simulate(program, t13).exit_code == content[0]


def test_what_is_embedded_has_a_plain_name(tmp_path: Path) -> None:
    source = tmp_path / "embeds.S"
    source.write_text(".incbin FILE\n")
    with pytest.raises(GnomonError, match=r"\.incbin must name its file by a string"):
        hashed_files(check_inputs([source], (), {}, "-O2", ()))
