"""Levels of optimization of single files."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from gnomon.arch import load_architecture
from gnomon.base.errors import GnomonError
from gnomon.program import build, build_host, compile_assembly
from gnomon.program._inputs import OPTIMIZATIONS
from gnomon.program._toolchain import Toolchain
from tests.conftest import need_riscv_gcc

if TYPE_CHECKING:
    from pathlib import Path

    from gnomon.program import Program

SUM = "int {name}(const int *a) {{ int s = 0; for (int i = 0; i < 4; ++i) s += a[i]; return s; }}\n"
UNLIKE = """
static int a[64];
__attribute__((noinline)) int f(int n) {
    int s = 0;
    for (int i = 0; i < n; i++) s += a[i] * i;
    return s;
}
static int sq(int x) { int r = 1; for (int i = 0; i < 8; i++) r *= x + i; return r; }
__attribute__((noinline)) int g(int n) {
    int s = 0;
    for (int i = 0; i < n; i++) s += sq(a[i]);
    return s;
}
int main(void) { for (int i = 0; i < 64; i++) a[i] = i; return f(64) + g(64); }
"""
"""A program of which no two levels make the same."""


@pytest.fixture
def sources(tmp_path: Path) -> list[Path]:
    for name in ("one", "other"):
        (tmp_path / f"{name}.c").write_text(SUM.format(name=name))
    main = tmp_path / "main.c"
    main.write_text(
        "int one(const int *); int other(const int *); static int a[4];\n"
        "int main(int hart) { a[0] = hart; return one(a) + other(a); }\n"
    )
    return [main, tmp_path / "one.c", tmp_path / "other.c"]


def sizes(program: Program) -> tuple[int, int]:
    one, other = (program.symbol(name).size_bytes for name in ("one", "other"))
    return one, other


def test_one_file_has_its_own_level(sources: list[Path]) -> None:
    machine = load_architecture("rv32im")
    plain = sizes(build(sources, machine, optimization="-O0"))
    mixed = sizes(build(sources, machine, optimization="-O0", optimization_of={"other.c": "-O2"}))
    assert mixed[0] == plain[0] == plain[1]
    assert mixed[1] == sizes(build(sources, machine, optimization="-O2"))[1] < plain[1]


def test_a_file_that_is_not_compiled(sources: list[Path]) -> None:
    with pytest.raises(GnomonError) as error:
        build(sources, load_architecture("rv32im"), optimization_of={"othr.c": "-O2"})
    assert str(error.value) == (
        "optimization_of names 'othr.c', which is not compiled (allowed: start.S, memory.c, main.c,"
        " one.c, other.c, did you mean 'other.c'?)"
    )


def test_a_level_that_there_is_not(sources: list[Path]) -> None:
    with pytest.raises(GnomonError) as error:
        build(sources, load_architecture("rv32im"), optimization_of={"one.c": "-O9"})
    assert str(error.value) == (
        "optimization_of gives one.c the level '-O9' (allowed: -O0, -O1, -O2, -O3, -Os, -Oz)"
    )


@pytest.mark.parametrize("compiler", ["zig", "gcc"])
def test_no_two_levels_make_the_same(tmp_path: Path, compiler: str) -> None:
    if compiler == "gcc":
        need_riscv_gcc()
    source = tmp_path / "unlike.c"
    source.write_text(UNLIKE)
    machine = load_architecture("t13-simd4")
    # GCC before 12 takes -Oz for -Os.
    levels = [each for each in OPTIMIZATIONS if compiler == "zig" or each != "-Oz"]
    built = [build([source], machine, optimization=each, compiler=compiler) for each in levels]
    assert len({program.segments for program in built}) == len(levels)


def test_a_file_gets_each_level_of_its_own(sources: list[Path]) -> None:
    sources[1].write_text(UNLIKE.replace("int main(void) {", "int one(const int *b) { (void)b;"))
    machine = load_architecture("rv32im")
    built = [
        build(sources, machine, optimization=common, optimization_of={"one.c": own})
        for common in ("-O0", "-O2") for own in OPTIMIZATIONS
    ]  # fmt: skip
    whole = [build(sources, machine, optimization=each) for each in ("-O0", "-O2")]
    assert len({program.segments for program in built}) == len(built)
    assert built[0].segments == whole[0].segments
    assert built[6 + 2].segments == whole[1].segments


@pytest.mark.parametrize("target", ["thumb cortex-m4", "aarch64 cortex-a72"])
def test_assembly_for_other_cores_differs_by_level(tmp_path: Path, target: str) -> None:
    source = tmp_path / "unlike.c"
    source.write_text(UNLIKE)
    levels = ("-O1", "-O2", "-Os")
    assert len({compile_assembly(source, target, optimization=each).text for each in levels}) == 3


def test_libraries_for_this_computer_differ_by_level(tmp_path: Path) -> None:
    source = tmp_path / "unlike.c"
    source.write_text(UNLIKE.replace("int main(void)", "int run(void)"))
    levels = ("-O0", "-O1", "-O2", "-Os")
    assert len({build_host([source], optimization=each).read_bytes() for each in levels}) == 4


@pytest.mark.parametrize("level", ["-O0", "-O2", "-Os"])
def test_a_level_that_zig_takes_as_it_is_stays_as_it_is(
    tmp_path: Path, level: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = tmp_path / "unlike.c"
    source.write_text(UNLIKE)
    machine = load_architecture("rv32im")
    now = build([source], machine, optimization=level)
    monkeypatch.setattr(Toolchain, "level", lambda _, optimization: (optimization,))
    plain = build([source], machine, optimization=level)
    assert plain.build != now.build
    assert plain.elf == now.elf
