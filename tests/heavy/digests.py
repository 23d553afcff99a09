"""Digests of the inputs of heavy groups: code without comments and docs, and data."""

from __future__ import annotations

import ast
import hashlib
import io
import os
import re
import subprocess
import tokenize
import tomllib
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from pathlib import Path

from tests.imports import imports_in

ROOT = Path(__file__).resolve().parents[2]
_RECORDS = "reports/validation/suite/"  # groups write it, so it makes none of them stale
_C_LIKE = (".c", ".h", ".S", ".sv", ".svh", ".v", ".ld")
# A comment, or a text in quotes, in which nothing is a comment.
_C = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"', re.DOTALL)
_PYTHON = re.compile(
    r"""(?P<comment>\#[^\n]*)|\"{3}(?:\\.|[^\\])*?\"{3}|'{3}(?:\\.|[^\\])*?'{3}"""
    r"""|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'""",
    re.DOTALL,
)
IMPORTS = "third-party imports"
"""An input that is not a path: the names that gnomon takes from other packages."""


class InputError(Exception):
    """An input that cannot be read, in one line."""


def digest_input(name: str) -> str:
    """Return 8 hexadecimal digits for a file, a folder or :data:`IMPORTS`.

    A folder counts with the files that git tracks or would track. Comments, docstrings, blank lines
    of code and READMEs do not count; of CSV, YAML, pages and other data every byte does.

    Raises:
        FileNotFoundError: no file has this path or is below it.
        InputError: a file cannot be read, or is not the Python that its name promises.
    """
    if name == IMPORTS:
        return _digest(sorted(_third_party_imports()))
    paths = input_files(name)
    if not paths:
        raise FileNotFoundError(f"no input {name}")
    return _digest(f"{path} {_read_meaning(path)}" for path in paths)


def input_files(name: str) -> list[str]:
    """Return the files of an input, which is a file or a folder, by their paths."""
    folder = f"{name.rstrip('/')}/"
    return [path for path in _list_files(ROOT) if path == name or path.startswith(folder)]


def stamp_input(name: str) -> list[tuple[str, int]]:
    """Return the files of an input with the times of their last changes, ns.

    Raises:
        InputError: a file cannot be read.
    """
    try:
        return [(path, (ROOT / path).stat().st_mtime_ns) for path in input_files(name)]
    except OSError as error:
        raise InputError(f"{error.filename}: cannot be read: {error.strerror}") from error


def strip_python(code: str) -> str:
    """Return Python code without comments, blank lines and texts that are statements.

    Those texts are the docstrings of modules, classes, functions and attributes. Every character of
    any other text counts, blank lines in it too.

    Raises:
        SyntaxError: it is not Python; of null bytes, ValueError.
    """
    code = code.replace("\r\n", "\n").replace("\r", "\n")  # as Python reads it
    lines = code.split("\n")
    inside = set()  # lines whose end is within a text that counts
    cuts = [*_statement_texts(code, lines)]
    docs = {row for (first, _), (last, _) in cuts for row in range(first, last)}
    for kind, first, last in _tokens(code):
        if kind == "comment":
            cuts.append((first, last))
        else:
            inside |= {*range(first[0], last[0])} - docs
    for (first, begin), (last, end) in sorted(cuts, reverse=True):
        kept = lines[first][:begin] + lines[last][end:]
        lines[first : last + 1] = [kept, *[""] * (last - first)]
    return "\n".join(
        line if row in inside else line.rstrip()
        for row, line in enumerate(lines)
        if row in inside or line.strip()
    )


_Place = tuple[int, int]  # line and column, both from 0


def _statement_texts(code: str, lines: list[str]) -> Iterator[tuple[_Place, _Place]]:
    """Yield begin and end of each text that is a statement by itself."""

    def place(row: int, byte: int) -> _Place:
        return row - 1, len(lines[row - 1].encode()[:byte].decode())

    for node in ast.walk(ast.parse(code)):
        if (
            isinstance(node, ast.Expr)
            and isinstance(node.value, ast.Constant)
            and isinstance(node.value.value, str)
        ):
            assert node.end_lineno is not None
            assert node.end_col_offset is not None
            yield (
                place(node.lineno, node.col_offset),
                place(node.end_lineno, node.end_col_offset),
            )


def _tokens(code: str) -> Iterator[tuple[str, _Place, _Place]]:
    """Yield begin and end of each comment and of each text.

    By an expression, which is eight times as fast as ``tokenize``: no text of Python 3.11 has its
    own quotes inside, and code that such a Python cannot read is refused before.
    """
    row = end = 0
    for found in _PYTHON.finditer(code):
        row += code.count("\n", end, found.start())
        begin = row, found.start() - code.rfind("\n", 0, found.start()) - 1
        row, end = row + found[0].count("\n"), found.end()
        yield found.lastgroup or "text", begin, (row, end - code.rfind("\n", 0, end) - 1)


def strip_c(text: str) -> str:
    """Return C, assembly or SystemVerilog without comments and blank lines."""
    code = _C.sub(lambda found: " " if found[0][0] == "/" else found[0], text)
    return "\n".join(line.rstrip() for line in code.split("\n") if line.strip())


_STRIP: dict[str, Callable[[str], str]] = {
    ".py": strip_python,
    **dict.fromkeys(_C_LIKE, strip_c),
}


def _read_meaning(path: str) -> str:
    try:
        return _meaning(path, read_input(path))
    except (OSError, SyntaxError, ValueError) as error:
        raise InputError(_describe(path, error)) from error


def _describe(path: str, error: Exception) -> str:
    shown = os.fsencode(path).decode(errors="backslashreplace").replace("\n", "\\n")
    if isinstance(error, OSError):
        return f"{shown}: cannot be read: {error.strerror}"
    line = f":{error.lineno}" if isinstance(error, SyntaxError) and error.lineno else ""
    reason = error.msg if isinstance(error, SyntaxError) else str(error).partition("\n")[0]
    return f"{shown}{line}: not Python: {reason}"


@cache
def _meaning(path: str, data: bytes) -> str:
    strip = _STRIP.get(Path(path).suffix)
    if strip is strip_python:
        encoding, _ = tokenize.detect_encoding(io.BytesIO(data).readline)
        data = strip_python(data.decode(encoding)).encode()
    elif strip is not None:
        data = strip(data.decode(errors="surrogateescape")).encode(errors="surrogateescape")
    return hashlib.sha256(data).hexdigest()


def read_input(path: str) -> bytes:
    """Return the bytes of a file of the checkout."""
    return (ROOT / path).read_bytes()


@cache
def _list_files(root: Path) -> tuple[str, ...]:
    try:
        listed = subprocess.run(
            ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
            cwd=root, check=True, capture_output=True,
        ).stdout  # fmt: skip
    except OSError as error:
        raise InputError(f"git: {error.strerror}: it lists the inputs") from error
    except subprocess.CalledProcessError as error:
        said = error.stderr.decode(errors="backslashreplace").partition("\n")[0]
        raise InputError(f"git lists no inputs: {said}") from error
    paths = {os.fsdecode(path) for path in listed.split(b"\0") if path}
    return tuple(sorted(path for path in paths if _counts(path) and (root / path).is_file()))


def _counts(path: str) -> bool:
    """Tell documents and records from inputs; a README in gnomon is a template."""
    is_document = Path(path).name == "README.md" and not path.startswith("gnomon/")
    return not is_document and not path.startswith(_RECORDS)


def forget_files() -> None:
    """List the files of the checkout again for the next digest."""
    _list_files.cache_clear()


def _third_party_imports() -> set[str]:
    """Return each imported name, and the dependencies that pyproject.toml asks for."""
    project = tomllib.loads(read_input("pyproject.toml").decode())["project"]
    found = {*project["dependencies"]}
    for extra in project["optional-dependencies"].values():
        found |= {*extra}
    for path in _list_files(ROOT):
        if path.startswith("gnomon/") and path.endswith(".py"):
            found |= _read_imports(path)
    return {each for each in found if not each.startswith("gnomon")}


def _read_imports(path: str) -> set[str]:
    try:
        return _imports(read_input(path))
    except (OSError, SyntaxError, ValueError) as error:
        raise InputError(_describe(path, error)) from error


@cache
def _imports(code: bytes) -> set[str]:
    found = imports_in(ast.walk(ast.parse(code)))
    return {f"{module} {name}".rstrip() for module, name in found}


def _digest(parts: Iterable[str]) -> str:
    whole = hashlib.sha256()
    for part in parts:
        whole.update(os.fsencode(part) + b"\n")
    return whole.hexdigest()[:8]
