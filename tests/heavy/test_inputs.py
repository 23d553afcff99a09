"""Inputs of heavy groups: which change makes which group stale, and which does not count."""

from __future__ import annotations

import os
import subprocess
import sys
from functools import cache
from typing import TYPE_CHECKING

import pytest

from tests.heavy import digests
from tests.heavy.__main__ import main
from tests.heavy.digests import IMPORTS, ROOT, digest_input, input_files, strip_c, strip_python
from tests.heavy.groups import GROUPS
from tests.heavy.plugin import MARKED
from tests.heavy.record import Row, changed_inputs, input_digests
from tests.imports import imports_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from pathlib import Path

RTL_FILE = "rtl_tests/hdl/vcu.sv"
ENGINE_FILE = "gnomon/sim/engine/loop.c"
STUDY_FILE = "reports/ares/study.py"
COMPILES = {"oracle", "rtl", "gates", "calibrate", "sanitize", "firmware"}  # and runs the engine
WHOLE = {"studies", "wheels", "coverage", "fuzz"}  # all of gnomon


@pytest.fixture
def change(monkeypatch: pytest.MonkeyPatch) -> Callable[[str, bytes], None]:
    """Let a file of the checkout have more at its end, for the digests alone."""
    read = cache(digests.read_input)

    def append(path: str, text: bytes) -> None:
        assert (ROOT / path).is_file()
        monkeypatch.setattr(digests, "read_input", lambda each: read(each) + text * (each == path))

    return append


def stale(before: dict[str, str]) -> set[str]:
    rows = {name: Row(name, 10, 0, 0, 5, inputs, "", "", "") for name, inputs in before.items()}
    return {name for name, group in GROUPS.items() if changed_inputs(group, rows[name])}


def test_a_changed_line_makes_exactly_the_right_groups_stale(
    change: Callable[[str, bytes], None],
) -> None:
    before = {name: input_digests(group) for name, group in GROUPS.items()}
    assert stale(before) == set()
    for path, line, groups in (
        (RTL_FILE, b"// a comment\n", set()),
        (ENGINE_FILE, b"/* a\n comment */\n", set()),
        (STUDY_FILE, b"# a comment\n", set()),
        ("models/README.md", b"A sentence.\n", set()),
        ("reports/validation/suite/heavy.csv", b"a,row\n", set()),
        (RTL_FILE, b"module planted; endmodule\n", {"rtl", "gates", "wheels", "fuzz"}),
        (STUDY_FILE, b"PLANTED = 1\n", {"studies", "browser"}),
        ("reports/ares/ares.md", b"A row.\n", {"studies", "browser"}),
        (ENGINE_FILE, b"static int planted;\n", COMPILES | WHOLE),
        ("gnomon/sim/_emit.py", b"PLANTED = 1\n", COMPILES | WHOLE),
        ("gnomon/base/compiler.py", b"PLANTED = 1\n", COMPILES | WHOLE | {"kills"}),
        ("gnomon/cost/__init__.py", b"PLANTED = 1\n", WHOLE | {"gates"}),
        ("gnomon/measure/__init__.py", b"PLANTED = 1\n", WHOLE),
        ("arch/t13.yaml", b"planted: 1\n", COMPILES | WHOLE - {"coverage"}),
        ("tests/sanitizers.py", b"PLANTED = 1\n", {"sanitize", "oracle", "coverage"}),
        ("tests/rows.py", b"PLANTED = 1\n", {*GROUPS}),
        ("tests/conftest.py", b"PLANTED = 1\n", {*GROUPS}),
        ("tests/heavy/plugin.py", b"PLANTED = 1\n", {*GROUPS}),
    ):  # fmt: skip
        change(path, line)
        assert stale(before) == groups, (path, line)


def test_each_input_exists_and_each_group_runs_something() -> None:
    for group in GROUPS.values():
        assert group.steps
        for name in group.inputs:
            digest_input(name)
    assert len(digest_input(IMPORTS)) == 8
    with pytest.raises(FileNotFoundError, match="no input gnomon/nowhere"):
        digest_input("gnomon/nowhere")


def test_the_files_of_a_groups_tests_are_its_inputs(request: pytest.FixtureRequest) -> None:
    """With the files of tests/ that they import, and each conftest.py above them.

    The marked tests are those that this run has collected: `make test` collects all.
    """
    files: dict[str, set[Path]] = {name: set() for name in GROUPS}
    for name, path in request.config.stash.get(MARKED, set()):
        files[name].add(path)
    # The suite at other releases is stale by its imports alone.
    for name, group in GROUPS.items():
        for step in group.steps if name != "dependencies" else ():
            paths = [ROOT / each for each in step.select if not each.startswith("-")]
            files[name] |= {file for path in paths for file in (path, *path.rglob("test_*.py"))}
    for name, group in GROUPS.items():
        inputs = {path for each in group.inputs if each != IMPORTS for path in input_files(each)}
        needed = {path.relative_to(ROOT).as_posix() for path in _with_imports(files[name])}
        assert sorted(needed - inputs) == [], name


def _with_imports(files: Iterable[Path]) -> set[Path]:
    found: set[Path] = set()
    left = [file for file in files if file.is_file()]
    while left:
        file = left.pop()
        if file not in found:
            found.add(file)
            left += _imports(file)
    return found


def _imports(file: Path) -> Iterator[Path]:
    for folder in file.parents:
        if folder.is_relative_to(ROOT / "tests") and (folder / "conftest.py").is_file():
            yield folder / "conftest.py"
    for module, name in imports_of(file):
        if module.split(".")[0] == "tests":
            path = ROOT.joinpath(*module.split("."))
            for each in (path, path / name):
                if each.with_suffix(".py").is_file():
                    yield each.with_suffix(".py")


KEPT = 'TEXT = """a\n\n  b  \n"""\n'


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("x = 1\n", "# so\n\nx = 1  # why\n", True),
        ('x: int = 1\n"""An attribute."""\n', "x: int = 1\n", True),
        ('if x:\n    def f():\n        """Say."""\n        return 1\n',
         "if x:\n    def f():\n        return 1\n", True),
        ('def f():\n    """Say\n\n    more."""\n    return "#"\n',
         'def f():\n    return "#"\n', True),
        ('"""A\fB\u2028C\nD."""\nx = 1\n', '"""E."""\nx = 1\n', True),
        ("x = (\n    'a'  # a\n\n    'b'\n)\n", "x = (\n    'a'\n    'b'\n)\n", True),
        ("x = 1\r\n", "x = 1\n", True),
        (KEPT, KEPT.replace("\n\n", "\n"), False),
        (KEPT, KEPT.replace("b  ", "b"), False),
        ('x = f"""a\n\n{y}"""\n', 'x = f"""a\n{y}"""\n', False),
        ('"""ä"""; x = 1\n', '"""ä"""; x = 2\n', False),
        ('class A(E): """D."""\n', 'class A(F): """D."""\n', False),
        ("def f(x): ...\n", "def g(x): ...\n", False),
        ("def f(x): ...\n", "def f(x): pass\n", False),
        ('x = "# a"\n', 'x = "# b"\n', False),
        ('f("""a""")\n', 'f("""b""")\n', False),
    ],
)  # fmt: skip
def test_comments_and_docstrings_do_not_count_and_texts_do(
    one: str, other: str, same: bool
) -> None:
    assert (strip_python(one) == strip_python(other)) is same


def test_comments_of_c_do_not_count() -> None:
    assert strip_c('int a; // b\n/* c\n d */ char *e = "// f";\n') == 'int a;\n  char *e = "// f";'


@pytest.fixture
def checkout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A checkout of its own, the inputs of which are all it has."""
    subprocess.run(["git", "init", "--quiet"], cwd=tmp_path, check=True)
    monkeypatch.setattr(digests, "ROOT", tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"x = (\n", "gnomon/wip.py:1: not Python: '(' was never closed"),
        (b"x = '\xff'\n", "gnomon/wip.py: not Python: "),
        (b"x = 1\0\n", "gnomon/wip.py"),
        (b"# coding: nothing\n", "gnomon/wip.py: not Python: unknown encoding"),
    ],
)
def test_a_broken_file_is_one_line(
    checkout: Path,
    data: bytes,
    message: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    (checkout / "gnomon").mkdir()
    (checkout / "gnomon" / "wip.py").write_bytes(data)
    monkeypatch.setattr("tests.heavy.__main__.stale_groups", lambda: digest_input("gnomon"))
    monkeypatch.setattr(sys, "argv", ["heavy", "--status"])
    assert main() == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith(message)
    assert err.count("\n") == 1


def test_every_name_of_a_file_counts(checkout: Path) -> None:
    folder = checkout / "given"
    folder.mkdir()
    seen = set()
    for name in (b"a \xff.txt", b"b\n.c", b"\xe4.py", "\u2028.h".encode()):
        path = folder / os.fsdecode(name)
        path.write_text("a = 1;\n")
        digests.forget_files()
        seen.add(digest_input("given"))
    assert len(seen) == 4


def test_outside_git_there_is_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(digests, "ROOT", tmp_path)
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path.parent))
    monkeypatch.setattr("tests.heavy.__main__.stale_groups", lambda: digest_input("gnomon"))
    monkeypatch.setattr(sys, "argv", ["heavy", "--status"])
    assert main() == 2
    assert capsys.readouterr().err.startswith("git lists no inputs: fatal: not a git repository")
