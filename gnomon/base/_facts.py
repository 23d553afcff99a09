"""What a Python file imports and names, kept by its text: reading it again takes no parser.

Facts about the toolkit's own files are asked for by every process that keeps results, and parsing
them takes longer than most of what is kept.
"""

import ast
import hashlib
import json
import sys
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import TypedDict

from gnomon.base.cache import cache_folder
from gnomon.base.errors import GnomonError
from gnomon.base.files import write_aside

_LONGEST_NAME = 200  # a text that is longer names nothing


class Facts(TypedDict):
    """What one file says."""

    imports: list[tuple[str, str]]  # modules, and the name taken from each (empty: all of it)
    bound: dict[str, tuple[str, str]]  # by name at its top level, what an import put there
    strings: list[str]  # its texts, as far as they may be names
    content: list[list[str]]  # the constant first arguments of each call of `content`


_new: set[str] = set()


def facts(path: Path, package: str) -> Facts:
    text = path.read_bytes()
    key = f"{hashlib.sha256(text).hexdigest()} {package}"
    known = _known()
    if key not in known:
        known[key] = _find(text, package)
        _new.add(key)
    return known[key]


def keep_facts() -> None:
    """Keep what was found since the last time; where nothing can be kept, nothing is."""
    if not _new:
        return
    data = json.dumps(_known(), sort_keys=True).encode()
    with suppress(GnomonError, OSError):
        write_aside(_place(), hashlib.sha256(data).hexdigest().encode() + data, mode=0o600)
        _new.clear()


def _place() -> Path:
    """The file for this version of the rules."""
    rules = hashlib.sha256(Path(__file__).read_bytes() + sys.version.encode()).hexdigest()
    return cache_folder("sources") / f"{rules[:16]}.json"


@cache
def _known() -> dict[str, Facts]:
    known: dict[str, Facts] = {}
    with suppress(GnomonError, OSError, ValueError):
        sealed = _place().read_bytes()
        if sealed[:64] == hashlib.sha256(sealed[64:]).hexdigest().encode():
            known = json.loads(sealed[64:])
    return known


def _find(text: bytes, package: str) -> Facts:
    imports: set[tuple[str, str]] = set()
    bound: dict[str, tuple[str, str]] = {}
    strings: set[str] = set()
    content: list[list[str]] = []
    for node in ast.parse(text).body:
        guarded = isinstance(node, ast.If) and getattr(node.test, "id", "") == "TYPE_CHECKING"
        for each in node.body if isinstance(node, ast.If) else [node]:
            bound |= _imports(each, package)
        for part in () if guarded else ast.walk(node):
            if isinstance(part, ast.Constant):
                if isinstance(part.value, str) and len(part.value) <= _LONGEST_NAME:
                    strings.add(part.value)
            elif isinstance(part, ast.Import | ast.ImportFrom):
                imports |= set(_imports(part, package).values())
            elif isinstance(part, ast.Call) and getattr(part.func, "id", "") == "content":
                content += filter(None, [_constants(part)])
    return Facts(imports=sorted(imports), bound=bound, strings=sorted(strings), content=content)


def _constants(call: ast.Call) -> list[str]:
    """The constant start of the arguments of a call."""
    parts = []
    for each in call.args:
        if not (isinstance(each, ast.Constant) and isinstance(each.value, str)):
            break
        parts.append(each.value)
    return parts


def _imports(node: ast.AST, package: str) -> dict[str, tuple[str, str]]:
    """The names that an import binds, and what each stands for: a module, a name in it."""
    if isinstance(node, ast.Import):
        taken = {each.asname or each.name: (each.name, "") for each in node.names}
    elif isinstance(node, ast.ImportFrom):
        module = node.module or ""
        if node.level:
            above = package.split(".")[: len(package.split(".")) - node.level + 1]
            module = ".".join([*above, *filter(None, [module])])
        taken = {
            each.asname or each.name: (module, "" if each.name == "*" else each.name)
            for each in node.names
        }
    else:
        return {}
    return {name: each for name, each in taken.items() if each[0].startswith("gnomon")}
