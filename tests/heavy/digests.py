"""Digests of the inputs of heavy groups: code without comments and docs, and data."""

from __future__ import annotations

import ast
import hashlib
import io
import re
import subprocess
import tokenize
import tomllib
from collections.abc import Callable, Iterable
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
_NOT_INPUTS = (".md",)
_C_LIKE = (".c", ".h", ".S", ".sv", ".svh", ".v", ".ld")
# A comment, or a text in quotes, in which nothing is a comment.
_COMMENT_OR_TEXT = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"', re.DOTALL)
IMPORTS = "third-party imports"
"""An input that is no path: the names that gnomon takes from other packages."""


def digest_input(name: str) -> str:
    """Return 8 hexadecimal digits for a file, a folder or :data:`IMPORTS`.

    A folder counts with the files that git tracks or would track. Comments, docstrings, blank lines
    and Markdown do not count; of CSV, YAML and other data every byte does.

    Raises:
        FileNotFoundError: no file has this path or is below it.
    """
    if name == IMPORTS:
        return _digest(sorted(_third_party_imports()))
    paths = [path for path in _files() if path == name or path.startswith(f"{name.rstrip('/')}/")]
    if not paths:
        raise FileNotFoundError(f"no input {name}")
    return _digest(f"{path} {_meaning(path)}" for path in paths)


def strip_python(text: str) -> str:
    """Return Python code without comments, docstrings and blank lines."""
    lines = text.splitlines(keepends=True)
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.COMMENT:
            row, column = token.start
            lines[row - 1] = lines[row - 1][:column] + "\n"
    for node in ast.walk(ast.parse(text)):
        if not isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            continue
        first = node.body[0] if node.body else None
        if isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant):
            assert first.end_lineno is not None
            lines[first.lineno - 1 : first.end_lineno] = ["\n"] * (
                first.end_lineno - first.lineno + 1
            )
    return _without_blanks("".join(lines))


def strip_c(text: str) -> str:
    """Return C, assembly or SystemVerilog without comments and blank lines."""
    kept = _COMMENT_OR_TEXT.sub(lambda found: found[0] if found[0][0] == '"' else " ", text)
    return _without_blanks(kept)


def _without_blanks(text: str) -> str:
    return "\n".join(line.rstrip() for line in text.splitlines() if line.strip())


_STRIP: dict[str, Callable[[str], str]] = {
    ".py": strip_python,
    **dict.fromkeys(_C_LIKE, strip_c),
}


@cache
def _meaning(path: str) -> str:
    data = (ROOT / path).read_bytes()
    strip = _STRIP.get(Path(path).suffix)
    if strip is not None:
        data = strip(data.decode()).encode()
    return hashlib.sha256(data).hexdigest()


@cache
def _files() -> tuple[str, ...]:
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT, check=True, capture_output=True, text=True,
    ).stdout  # fmt: skip
    paths = {path for path in listed.split("\0") if path and not path.endswith(_NOT_INPUTS)}
    return tuple(sorted(path for path in paths if (ROOT / path).is_file()))


def _third_party_imports() -> set[str]:
    """Each imported name, and the dependencies that pyproject.toml asks for."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    found = {*project["dependencies"]}
    for extra in project["optional-dependencies"].values():
        found |= {*extra}
    for path in _files():
        if path.startswith("gnomon/") and path.endswith(".py"):
            for node in ast.walk(ast.parse((ROOT / path).read_text())):
                if isinstance(node, ast.Import):
                    found |= {each.name for each in node.names}
                elif isinstance(node, ast.ImportFrom) and not node.level:
                    found |= {f"{node.module} {each.name}" for each in node.names}
    return {each for each in found if not each.startswith("gnomon")}


def _digest(parts: Iterable[str]) -> str:
    whole = hashlib.sha256()
    for part in parts:
        whole.update(part.encode() + b"\n")
    return whole.hexdigest()[:8]
