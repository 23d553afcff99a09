"""Objects that builds share: only where all that decides them is the same."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from gnomon.arch import load_architecture
from gnomon.program import build, build_host

if TYPE_CHECKING:
    from pathlib import Path

    from gnomon.arch import Architecture
    from gnomon.program import Program

MAIN = (
    '#include "used.h"\nint other(int);\nint main(int hart) { return hart + VALUE + other(2); }\n'
)
OTHER = "int other(int value) { return 3 * value; }\n"
FILES = {
    "main.c": MAIN,
    "other.c": OTHER,
    "used.h": "#define VALUE 1\n",
    "idle.h": "#define IDLE\n",
}


def objects(cache: Path) -> set[str]:
    return {path.stem for path in (cache / "object").glob("*.entry")}


def made(tmp_path: Path, machine: Architecture, changed: dict[str, str], **options: int) -> Program:
    for name, text in (FILES | changed).items():
        (tmp_path / name).write_text(text)
    return build([tmp_path / "main.c", tmp_path / "other.c"], machine, defines=options)


NAMED = FILES["used.h"] + "#ifdef B\n#endif\n"
PASTED = FILES["used.h"] + "#define P(a) B_##a\n#if P(x)\n#endif\n"
# How many objects are new: with these files, after a change of these, with these macros.
CHANGES: dict[str, tuple[int, dict[str, str], dict[str, str], dict[str, int]]] = {
    "header that is read": (1, {}, {"used.h": "#define VALUE 2\n"}, {}),
    "header that is not": (0, {}, {"idle.h": "#define IDLE 1\n"}, {}),
    "one source": (1, {}, {"other.c": OTHER.replace("3", "5")}, {}),
    "macro that is named": (1, {"used.h": NAMED}, {}, {"B": 1}),
    "macro that is not": (0, {}, {}, {"B": 1}),
    "half of a name": (1, {"used.h": PASTED}, {}, {"B_x": 7}),
    "reserved macro": (2, {}, {}, {"_B": 1}),
}


def test_what_decides_an_object(
    tmp_path: Path, cache: Path, t13: Architecture, monkeypatch: pytest.MonkeyPatch
) -> None:
    made(tmp_path, t13, {})
    assert len(objects(cache)) == 4  # start.S and memory.c too
    for change, (new, files, changed, defines) in CHANGES.items():
        made(tmp_path, t13, files)
        before = objects(cache)
        shared = made(tmp_path, t13, files | changed, **defines)
        assert len(objects(cache) - before) == new, change
        # The program is the one that comes out where nothing is shared.
        with monkeypatch.context() as patch:
            patch.setattr("gnomon.base.cache.Store.load", lambda *_: None)
            assert made(tmp_path, t13, files | changed, **defines).elf == shared.elf, change


INCLUDES = {
    "computed": '#define NAME "part.h"\n#include NAME\n',
    "continued": '#inc\\\nlude "part.h"\n',
    "asked for": '#if __has_include ("part.h")\n#include "part.h"\n#endif\n',
    "assembled": '__asm__(".include \\"part.h\\"");\n',
    "embedded": '__asm__(".pushsection .rodata\\n.incbin \\"part.h\\"\\n.popsection");\n',
    "through another": '#include "through.h"\n',
}


def test_every_way_to_read_a_file(tmp_path: Path, cache: Path, t13: Architecture) -> None:
    source = tmp_path / "main.c"
    source.write_text("int main(void) { return 0; }\n")
    (tmp_path / "through.h").write_text('#include "part.h"\n')
    build([source], t13, include=[tmp_path])
    count = len(objects(cache))
    assert count == 3
    for way, text in INCLUDES.items():
        source.write_text(f"{text}int main(void) {{ return 0; }}\n")
        for _ in range(2):
            count += 1
            (tmp_path / "part.h").write_text(f"//{count}\n")
            build([source], t13, include=[tmp_path])
            assert len(objects(cache)) == count, way


def test_a_machine_decides_only_what_is_named(cache: Path, tmp_path: Path) -> None:
    (tmp_path / "used.c").write_text(
        '#include "machine.h"\nint main(void) { return GNOMON_SIMD; }\n'
    )
    (tmp_path / "idle.c").write_text("int idle(void) { return 1; }\n")
    sources = [tmp_path / "used.c", tmp_path / "idle.c"]
    build(sources, load_architecture("t13-simd1"))
    before = objects(cache)
    build(sources, load_architecture("t13-simd8"))
    assert len(objects(cache) - before) == 1


def test_a_header_of_the_system_may_name_any_macro(cache: Path, tmp_path: Path) -> None:
    source = tmp_path / "checked.c"
    source.write_text("#include <assert.h>\nvoid f(int a) { assert(a); }\n")
    build_host([source])
    build_host([source], defines={"NDEBUG": 1})
    assert len(objects(cache)) == 2


def test_nothing_is_kept_of_files_that_change_meanwhile(
    cache: Path, tmp_path: Path, t13: Architecture, monkeypatch: pytest.MonkeyPatch
) -> None:
    from gnomon.base.errors import GnomonError
    from gnomon.program import _compile

    compiler = _compile.run_compiler

    def changing(*arguments: object) -> object:
        (tmp_path / "used.h").write_text("#define VALUE 9\n")
        return compiler(*arguments)  # type: ignore[arg-type]

    monkeypatch.setattr(_compile, "run_compiler", changing)
    with pytest.raises(GnomonError, match="changed while it was being compiled"):
        made(tmp_path, t13, {})
    assert not (cache / "object").exists() or not objects(cache)
