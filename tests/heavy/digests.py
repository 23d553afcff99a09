"""Digests of the inputs of heavy groups: code without comments and docs, and data."""

from __future__ import annotations

import ast
import hashlib
import re
import subprocess
import tomllib
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
_NOT_INPUTS = (".md",)
_RECORDS = "reports/validation/suite/"  # groups write it, so it makes none of them stale
_C_LIKE = (".c", ".h", ".S", ".sv", ".svh", ".v", ".ld")
# A comment, or a text in quotes, in which nothing is a comment.
_QUOTED = r"""|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'"""
_PYTHON = re.compile(r'''#[^\n]*|("""|\'\'\')(?:\\.|(?!\1).)*\1''' + _QUOTED, re.DOTALL)
_C = re.compile(r"//[^\n]*|/\*.*?\*/" + _QUOTED.partition("|'")[0], re.DOTALL)
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
    return _digest(f"{path} {_meaning(path, read_input(path))}" for path in paths)


def strip_python(text: str) -> str:
    """Return Python code without comments, docstrings and blank lines."""
    lines = text.splitlines(keepends=True)
    for first, last in _docstrings(ast.parse(text).body):
        lines[first - 1 : last] = ["\n"] * (last - first + 1)
    return _without_blanks(_without_comments(_PYTHON, "".join(lines)))


def _docstrings(body: Sequence[ast.stmt]) -> Iterator[tuple[int, int]]:
    """Yield first and last line of the docstring of a body, and of those within it."""
    first = body[0] if body else None
    if isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant):
        assert first.end_lineno is not None
        yield first.lineno, first.end_lineno
    for each in body:
        if isinstance(each, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            yield from _docstrings(each.body)


def strip_c(text: str) -> str:
    """Return C, assembly or SystemVerilog without comments and blank lines."""
    return _without_blanks(_without_comments(_C, text))


def _without_comments(comment_or_text: re.Pattern[str], text: str) -> str:
    return comment_or_text.sub(lambda found: " " if found[0][0] in "#/" else found[0], text)


def _without_blanks(text: str) -> str:
    return "\n".join(line.rstrip() for line in text.splitlines() if line.strip())


_STRIP: dict[str, Callable[[str], str]] = {
    ".py": strip_python,
    **dict.fromkeys(_C_LIKE, strip_c),
}


@cache
def _meaning(path: str, data: bytes) -> str:
    strip = _STRIP.get(Path(path).suffix)
    if strip is not None:
        data = strip(data.decode()).encode()
    return hashlib.sha256(data).hexdigest()


def read_input(path: str) -> bytes:
    """Return the bytes of a file of the checkout."""
    return (ROOT / path).read_bytes()


@cache
def _files() -> tuple[str, ...]:
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT, check=True, capture_output=True, text=True,
    ).stdout  # fmt: skip
    paths = {
        path for path in listed.split("\0")
        if path and not path.endswith(_NOT_INPUTS) and not path.startswith(_RECORDS)
    }  # fmt: skip
    return tuple(sorted(path for path in paths if (ROOT / path).is_file()))


def _third_party_imports() -> set[str]:
    """Return each imported name, and the dependencies that pyproject.toml asks for."""
    project = tomllib.loads(read_input("pyproject.toml").decode())["project"]
    found = {*project["dependencies"]}
    for extra in project["optional-dependencies"].values():
        found |= {*extra}
    for path in _files():
        if path.startswith("gnomon/") and path.endswith(".py"):
            found |= _imports(read_input(path))
    return {each for each in found if not each.startswith("gnomon")}


@cache
def _imports(code: bytes) -> set[str]:
    found: set[str] = set()
    for node in ast.walk(ast.parse(code)):
        if isinstance(node, ast.Import):
            found |= {each.name for each in node.names}
        elif isinstance(node, ast.ImportFrom) and not node.level:
            found |= {f"{node.module} {each.name}" for each in node.names}
    return found


def _digest(parts: Iterable[str]) -> str:
    whole = hashlib.sha256()
    for part in parts:
        whole.update(part.encode() + b"\n")
    return whole.hexdigest()[:8]
