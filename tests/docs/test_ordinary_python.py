"""The files of gnomon form no circle, and import and use libraries as documentation shows."""

from __future__ import annotations

import ast
import graphlib
from pathlib import Path

import pytest

from tests.imports import imports_in, module_name, nodes_that_run

_ROOT = Path(__file__).resolve().parents[2]
_HEAVY = frozenset(
    [
        "pandas",
        "matplotlib",
        "scipy",
        "cocotb",
        "cocotb_tools",
        "dask",
        "distributed",
        "pyarrow",
        "pymoo",
        "xarray",
        "jinja2",
        "simpy",
        "rich",
        "elftools",
        "_libfstapi",
    ]
)
"""Packages that are optional or slow to import, which functions may import where they use them."""
_FACE = "gnomon._face"  # `import gnomon` loads no package that only one of its functions needs
_FORBIDDEN = frozenset(
    [
        "_exit",
        "_run_exitfuncs",
        "set_threshold",
        "freeze",
        "model_construct",
        "__pydantic_complete__",
        "get_runtime_param",
        "get_help_option",
    ]
)
"""Names that replace how the process, the collector, pydantic or Typer work."""


class Files:
    """The modules below ``gnomon``, with their syntax trees."""

    def __init__(self, root: Path) -> None:
        self.trees: dict[str, ast.Module] = {}
        self.packages: set[str] = set()
        for file in sorted((root / "gnomon").rglob("*.py")):
            if "templates" in file.relative_to(root).parts:  # what a user starts from
                continue
            name = module_name(root, file)
            self.trees[name] = ast.parse(file.read_text(encoding="utf-8"))
            if file.stem == "__init__":
                self.packages.add(name)

    def resolve(self, module: str, name: str) -> str | None:
        """Return the module that an import leads to; None if it is another package's."""
        if f"{module}.{name}" in self.trees:
            return f"{module}.{name}"
        if module in self.packages:
            for node in self.trees[module].body:
                if isinstance(node, ast.ImportFrom) and node.module and node.module != module:
                    for each in node.names:
                        if (each.asname or each.name) == name:
                            return self.resolve(node.module, each.name) or module
        return module if module in self.trees else None

    def edges(self) -> dict[str, set[str]]:
        """Return by module what it imports when it runs: all but imports for types."""
        found: dict[str, set[str]] = {name: set() for name in self.trees}
        for own, tree in self.trees.items():
            targets = {self.resolve(*each) for each in imports_in(nodes_that_run(tree))}
            found[own] |= {each for each in targets if each and each != own}
        return found


def circle(files: Files) -> list[str]:
    """Return the modules of a circle, or nothing if there is none."""
    try:
        graphlib.TopologicalSorter(files.edges()).prepare()
    except graphlib.CycleError as error:
        return list(error.args[1])
    return []


def late_imports(files: Files) -> list[str]:
    """Return imports in functions outside ``cli`` that are not of a heavy third-party package."""
    found = []
    for own, tree in files.trees.items():
        if own.startswith("gnomon.cli") or own == _FACE:
            continue
        for function in nodes_that_run(tree):
            if not isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef):
                continue
            names = (module for module, _ in imports_in(nodes_that_run(function)))
            found += [f"{own}: {name}" for name in names if name.split(".")[0] not in _HEAVY]
    return sorted(set(found))


def replaced(files: Files) -> list[str]:
    """Return uses of names that replace internals of Python or of a library."""
    return sorted(
        f"{own}: {node.attr}"
        for own, tree in files.trees.items()
        for node in ast.walk(tree)
        if isinstance(node, ast.Attribute) and node.attr in _FORBIDDEN
    )


@pytest.fixture(scope="module")
def ours() -> Files:
    return Files(_ROOT)


def test_files_form_no_circle(ours: Files) -> None:
    assert circle(ours) == []


def test_functions_import_heavy_packages_alone(ours: Files) -> None:
    assert late_imports(ours) == []


def test_no_internals_are_replaced(ours: Files) -> None:
    assert replaced(ours) == []


@pytest.mark.parametrize(
    ("check", "text"),
    [
        (circle, "def late():\n    from gnomon.sim.run import simulate\n"),
        (circle, "from gnomon.sim import simulate\n"),
        (late_imports, "def late():\n    import numpy as np\n"),
        (replaced, "import os\n\n\ndef end():\n    os._exit(0)\n"),
    ],
)
def test_a_planted_breach_is_found(tmp_path: Path, check: object, text: str) -> None:
    folder = tmp_path / "gnomon" / "sim"
    folder.mkdir(parents=True)
    (tmp_path / "gnomon" / "__init__.py").write_text("")
    (folder / "__init__.py").write_text("from gnomon.sim.run import simulate\n")
    (folder / "run.py").write_text("from gnomon.sim.engine import step\n")
    engine = folder / "engine.py"
    engine.write_text(
        "from typing import TYPE_CHECKING\n\nif TYPE_CHECKING:\n"
        "    from gnomon.sim.run import simulate\n\n\ndef draw():\n    import matplotlib\n"
    )
    assert callable(check)
    assert check(Files(tmp_path)) == []
    engine.write_text(text)
    assert check(Files(tmp_path)) != []
