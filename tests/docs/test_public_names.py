"""Names that packages offer each other and users: each is used outside of its package.

A package offers what its ``__init__.py`` lists in ``__all__``.
"""

from __future__ import annotations

import ast
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
FOLDERS = ("gnomon", "kernels", "algorithms", "reports", "examples", "benchmarks", "rtl_tests",
           "tests")  # fmt: skip

FOR_USERS = {
    ("gnomon.learn", "FitPredict"), ("gnomon.learn", "Log"),
}  # fmt: skip
"""For notebooks and scripts of users; nothing in the repository but tests takes them."""

Names = set[tuple[str, str]]


def _module(root: Path, file: Path) -> str:
    parts = file.relative_to(root).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


@cache
def _parsed(text: str) -> ast.Module:
    return ast.parse(text)


def _tree(file: Path) -> ast.Module:
    return _parsed(file.read_text(encoding="utf-8"))


def offered(root: Path) -> Names:
    """Every name of every ``__all__``, with its module."""
    found: Names = set()
    for file in (root / "gnomon").rglob("*.py"):
        for node in _tree(file).body:
            if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__":
                names: list[str] = ast.literal_eval(node.value)
                found |= {(_module(root, file), name) for name in names}
    return found


def taken(root: Path, *folders: str) -> Names:
    """Names that files of these folders take from a package that they are not in."""
    found: Names = set()
    for file in (file for folder in folders for file in (root / folder).rglob("*.py")):
        own = _module(root, file)
        tree = _tree(file)
        modules: dict[str, str] = {}
        for node in ast.walk(tree):
            if isinstance(node, ast.ImportFrom) and node.module and not node.level:
                for alias in node.names:
                    modules[alias.asname or alias.name] = f"{node.module}.{alias.name}"
                    if not f"{own}.".startswith(f"{node.module}."):
                        found.add((node.module, alias.name))
        for node in ast.walk(tree):  # such as isa.vcu_header
            if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
                found.add((modules.get(node.value.id, ""), node.attr))
    return found


def idle(root: Path) -> list[str]:
    """Offered, and taken by nobody outside; what users take in notebooks does not count."""
    rest = offered(root) - taken(root, *FOLDERS) - FOR_USERS
    return sorted(f"{module}.{name}" for module, name in rest if module != "gnomon")


def test_no_name_is_offered_to_nobody() -> None:
    assert idle(ROOT) == []


def test_names_for_users_are_there() -> None:
    assert offered(ROOT) >= FOR_USERS


def test_planted_breaches_are_found(tmp_path: Path) -> None:
    for folder in ("gnomon/sim", "gnomon/cli"):
        (tmp_path / folder).mkdir(parents=True)
    (tmp_path / "gnomon" / "sim" / "__init__.py").write_text('__all__ = ["run", "stop"]\n')
    (tmp_path / "gnomon" / "sim" / "_run.py").write_text("from gnomon.sim import stop\n")
    (tmp_path / "gnomon" / "cli" / "_run.py").write_text("from gnomon.sim import run\n")
    assert len(offered(tmp_path)) == 2
    assert idle(tmp_path) == ["gnomon.sim.stop"]  # its own package does not count
    (tmp_path / "gnomon" / "cli" / "_stop.py").write_text("from gnomon import sim\nsim.stop()\n")
    assert idle(tmp_path) == []
