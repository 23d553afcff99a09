"""Files of the folder that change during a build, or beside it: only those that are read count."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from gnomon.base.errors import GnomonError
from gnomon.program import _compile, build, sources_digest

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from gnomon.arch import Architecture

FILES = {
    "main.c": (
        '#include "used.h"\n#include "far.h"\nint main(int hart) { return hart + VALUE + FAR; }\n'
        '__asm__(".section .rodata.own, \\"a\\"\\n.incbin \\"data.bin\\"\\n.text");\n'
    ),
    "used.h": "#define VALUE 1\n",
    "idle.h": "#define IDLE\n",
    "other.c": "int other(void) { return 1; }\n",
    "include/data.bin": "1234",
    "include/far.h": "#define FAR 2\n",
    "include/more.h": "#define MORE\n",
}


def write(path: Path, text: str) -> None:
    path.write_text(text)


def save(path: Path, text: str) -> None:
    """Save as editors do: aside, then renamed."""
    aside = path.with_name(f"{path.name}~.c")
    aside.write_text(text)
    aside.replace(path)


Change = "Callable[[Path], object]"
ENDS = r"changed while it was being compiled|does not compile|in none of the include folders"
UNRELATED: dict[str, Change] = {
    "another source is saved": lambda folder: save(folder / "other.c", "int other;\n"),
    "another source is half written": lambda folder: write(folder / "other.c", "int oth"),
    "another source is removed": lambda folder: (folder / "other.c").unlink(missing_ok=True),
    "a new source": lambda folder: write(folder / "new.c", "int main(void) { return 9; }\n"),
    "a header that nothing includes": lambda folder: save(folder / "idle.h", "#define IDLE 2\n"),
    "a new header": lambda folder: write(folder / "new.h", "#define NEW\n"),
    "a header of a folder": lambda folder: save(folder / "include" / "more.h", "#define MORE 2\n"),
    "a file that cannot be followed": lambda folder: write(
        folder / "macro.S", ".macro take name\n.incbin \\name\n.endm\n"
    ),
    "an output": lambda folder: write(folder / "main.elf", "elf"),
}
RELATED: dict[str, Change] = {
    "the source": lambda folder: save(folder / "main.c", FILES["main.c"] + "\n"),
    "a header": lambda folder: write(folder / "used.h", "#define VALUE 9\n"),
    "a header of a folder": lambda folder: save(folder / "include" / "far.h", "#define FAR 9\n"),
    "an embedded file": lambda folder: write(folder / "include" / "data.bin", "12345"),
    "a header that takes another's place": lambda folder: write(
        folder / "far.h", "#define FAR 9\n"
    ),
    "a header is removed": lambda folder: (folder / "used.h").unlink(missing_ok=True),
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "src" / "include").mkdir(parents=True)
    for name, text in FILES.items():
        (tmp_path / "src" / name).write_text(text)
    return tmp_path / "src"


def meanwhile(change: Callable[[Path], object], folder: Path) -> Callable[..., object]:
    """A compiler during whose runs files change."""
    compiler = _compile.run_compiler

    def run(*arguments: object) -> object:
        result = compiler(*arguments)  # type: ignore[arg-type]
        change(folder)
        return result

    return run


def digest(folder: Path) -> str:
    return sources_digest([folder / "main.c"], [folder / "include"])


@pytest.mark.parametrize("change", UNRELATED)
def test_a_file_that_is_not_read_does_not_matter(
    folder: Path, t13: Architecture, monkeypatch: pytest.MonkeyPatch, change: str
) -> None:
    before = digest(folder)
    monkeypatch.setattr(_compile, "run_compiler", meanwhile(UNRELATED[change], folder))
    first = build([folder / "main.c"], t13, include=[folder / "include"])
    assert digest(folder) == before  # so the outcomes of a sweep are still known
    monkeypatch.setattr(_compile, "run_compiler", None)  # and the program comes from the cache
    assert build([folder / "main.c"], t13, include=[folder / "include"]) == first


@pytest.mark.parametrize("change", RELATED)
def test_a_file_that_is_read_ends_the_build(
    folder: Path, t13: Architecture, monkeypatch: pytest.MonkeyPatch, change: str
) -> None:
    before = digest(folder)
    monkeypatch.setattr(_compile, "run_compiler", meanwhile(RELATED[change], folder))
    with pytest.raises(GnomonError, match=ENDS):
        build([folder / "main.c"], t13, include=[folder / "include"])
    assert digest(folder) != before


def test_the_first_library_of_a_compiler_says_what_takes_time(
    folder: Path, t13: Architecture, cache: Path, capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    """Each kind of machine once; with a mark of another cache nothing is said."""
    source = folder / "soft.c"
    source.write_text("volatile float f = 2; int main(void) { return (int)(f * f); }\n")
    own = cache / "own"
    own.mkdir()
    monkeypatch.setattr(_compile, "cache_folder", lambda _: own)
    build([source], t13)
    said = capsys.readouterr().err
    assert said.startswith("making zig ")
    assert "soft float" in said
    assert "half a minute" in said
    build([source], t13, optimization="-Os")
    assert capsys.readouterr().err == ""
