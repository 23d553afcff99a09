"""The page about the code says what the tree is, and the tree keeps its layers."""

from __future__ import annotations

import ast
import re
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator

_ROOT = Path(__file__).resolve().parents[2]
_TEXT = (_ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
_FIRST_CELLS = re.findall(r"^\| (`[^|]*`) \|", _TEXT, re.MULTILINE)
ORDER = re.findall(r"`gnomon/(\w+)`", "".join(_FIRST_CELLS))


def _imports(file: Path) -> Iterator[str]:
    """Modules of gnomon that a file imports, with the names taken from them."""
    return iter(_imports_in(file.read_text(encoding="utf-8")))


@cache
def _imports_in(text: str) -> tuple[str, ...]:
    return tuple(_list_imports(text))


def _list_imports(text: str) -> Iterator[str]:
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.ImportFrom) and node.module and not node.level:
            for alias in node.names:
                yield f"{node.module}.{alias.name}"
        elif isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)


def _module(root: Path, file: Path) -> str:
    parts = file.relative_to(root).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def upward(root: Path) -> list[str]:
    """Imports against the order of the page: ``file: module``; any may load found content."""
    return sorted(
        {
            f"{file.relative_to(root)}: {'.'.join(name.split('.')[:2])}"
            for place, folder in enumerate(ORDER)
            for file in (root / "gnomon" / folder).rglob("*.py")
            for name in _imports(file)
            if name.startswith("gnomon.") and name.split(".")[1] in ORDER[place + 1 :]
            if name != "gnomon.content.load"
        }
    )


def trespassing(root: Path) -> list[str]:
    """Imports of a private module of a package that the importing file is not in."""
    found = set()
    for file in (root / "gnomon").rglob("*.py"):
        own = _module(root, file)
        for name in _imports(file):
            owner, private, _ = name.partition("._")
            if name.startswith("gnomon.") and private and not f"{own}.".startswith(f"{owner}."):
                found.add(f"{file.relative_to(root)}: {name}")
    return sorted(found)


def trespassing_tests(root: Path) -> list[str]:
    """The same of tests, which may import the private parts of what their folder is named for."""
    found = set()
    for file in (root / "tests").rglob("*.py"):
        folders = set(file.relative_to(root / "tests").parts[:-1])
        for name in _imports(file):
            owner, private, _ = name.partition("._")
            own = not folders.isdisjoint(owner.split(".")[1:])
            if name.startswith("gnomon.") and private and not own:
                found.add(f"{file.relative_to(root)}: {name}")
    return sorted(found)


def cycles(root: Path) -> list[str]:
    """Packages, at any depth, that import each other in a ring."""
    edges: dict[str, set[str]] = {}
    packages = {_module(root, file) for file in (root / "gnomon").rglob("__init__.py")} - {"gnomon"}
    for file in (root / "gnomon").rglob("*.py"):
        own = _package(_module(root, file), packages)
        for name in _imports(file):
            other = _package(name, packages)
            if own and other and not _nested(own, other):
                edges.setdefault(own, set()).add(other)
    return sorted(
        {" -> ".join(sorted((a, b))) for a, some in edges.items() for b in some
         if a in edges.get(b, set())}
    )  # fmt: skip


def _package(name: str, packages: set[str]) -> str | None:
    while name and name not in packages:
        name = name.rpartition(".")[0]
    return name or None


def _nested(a: str, b: str) -> bool:
    return f"{a}.".startswith(f"{b}.") or f"{b}.".startswith(f"{a}.")


def test_every_folder_has_one_row() -> None:
    packages = sorted(path.parent.name for path in (_ROOT / "gnomon").glob("*/__init__.py"))
    assert sorted(ORDER) == packages


def test_a_folder_imports_what_stands_above_it() -> None:
    assert upward(_ROOT) == []


def test_no_private_module_is_imported_from_outside() -> None:
    assert trespassing(_ROOT) == []


def test_tests_import_private_parts_of_what_they_mirror() -> None:
    assert trespassing_tests(_ROOT) == []


def test_packages_form_no_ring() -> None:
    assert cycles(_ROOT) == []


@pytest.mark.parametrize(
    ("text", "check"),
    [
        ("from gnomon.report import anything\n", upward),
        ("def f():\n    from gnomon.arch._loader import load_architecture\n", trespassing),
        ("from gnomon.arch import _loader\n", trespassing),
        ("import gnomon.arch._loader\n", trespassing),
        ("from gnomon.cost.energy import price_run\n", cycles),
        ("from gnomon.arch._loader import load_architecture\n", trespassing_tests),
    ],
)
def test_a_planted_breach_is_found(tmp_path: Path, text: str, check: object) -> None:
    for name in ("sim", "arch", "report", "cost/energy"):
        folder = tmp_path / "gnomon" / name
        folder.mkdir(parents=True)
        (folder / "__init__.py").write_text("")
    (tmp_path / "gnomon" / "__init__.py").write_text("")
    (tmp_path / "gnomon" / "cost" / "__init__.py").write_text("")
    (tmp_path / "gnomon" / "cost" / "energy" / "_price.py").write_text("import gnomon.sim\n")
    assert callable(check)
    assert check(tmp_path) == []
    where = "tests" if check is trespassing_tests else "gnomon"
    (tmp_path / where / "sim").mkdir(parents=True, exist_ok=True)
    (tmp_path / where / "sim" / "_engine.py").write_text(text)
    assert len(check(tmp_path)) == 1


def test_files_and_folders_exist() -> None:
    for name in re.findall(r"`([^`\s]+(?:/|\.py|\.md))`", _TEXT):
        if "NAME" in name:  # the reader's own
            continue
        inner = {"_": _ROOT / "gnomon" / "sim", "hdl/": _ROOT / "rtl_tests"}
        folder = next((inner[each] for each in inner if name.startswith(each)), _ROOT)
        assert list(folder.glob(name.rstrip("/"))), name


def test_names_of_the_walk_exist() -> None:
    named = re.findall(r"`([\w/.]+\.(?:py|c))::([\w.]+)`", _TEXT)
    assert len(named) > 20
    for file, name in named:
        text = (_ROOT / "gnomon" / file).read_text(encoding="utf-8")
        for part in name.split("."):
            assert re.search(rf"(?:def|class|i64) {part}\b", text), f"{file}::{name}"
