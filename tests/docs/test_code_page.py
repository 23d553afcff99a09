"""The page about the code says what the tree is: its folders, its files, who imports whom."""

from __future__ import annotations

import ast
import re
from pathlib import Path

_ROOT = Path(__file__).resolve().parents[2]
_TEXT = (_ROOT / "docs" / "code.md").read_text(encoding="utf-8")
_FIRST_CELLS = re.findall(r"^\| (`[^|]*`) \|", _TEXT, re.MULTILINE)
_UPWARDS = {("trace", "report"), ("replay", "report")}
"""What the page names as the exception."""


def _folders() -> list[str]:
    named = (
        re.match(r"gnomon/(\w+)$", name) for name in re.findall(r"`([^`]+)`", "".join(_FIRST_CELLS))
    )
    return [each[1] for each in named if each]


def _imported(file: Path) -> set[str]:
    found = set()
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module and not node.level:
            found.add(node.module)
        elif isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
    return {name.split(".")[1] for name in found if name.startswith("gnomon.")}


def test_every_folder_has_one_row() -> None:
    packages = sorted(path.parent.name for path in (_ROOT / "gnomon").glob("*/__init__.py"))
    assert sorted(_folders()) == packages


def test_a_folder_imports_what_stands_above_it() -> None:
    order = _folders()
    upwards = {
        (folder, name)
        for place, folder in enumerate(order)
        for file in (_ROOT / "gnomon" / folder).rglob("*.py")
        for name in _imported(file)
        if name in order[place + 1 :]
    }
    assert upwards == _UPWARDS


def test_files_and_folders_exist() -> None:
    for name in re.findall(r"`([^`\s]+(?:/|\.py|\.md))`", _TEXT):
        inner = {"_": _ROOT / "gnomon" / "sim", "hdl/": _ROOT / "rtl_tests"}
        folder = next((inner[each] for each in inner if name.startswith(each)), _ROOT)
        assert list(folder.glob(name.rstrip("/"))), name
