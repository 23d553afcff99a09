"""Levels of optimization of single files."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from gnomon.arch import load_architecture
from gnomon.base.errors import GnomonError
from gnomon.program import build

if TYPE_CHECKING:
    from pathlib import Path

    from gnomon.program import Program

SUM = "int {name}(const int *a) {{ int s = 0; for (int i = 0; i < 4; ++i) s += a[i]; return s; }}\n"


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
