"""Documents and code use standard terms: no dialect, verbs first, and a sorted glossary."""

from __future__ import annotations

import ast
import io
import re
import tokenize
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator

_ROOT = Path(__file__).resolve().parents[2]
_PAGES = sorted(
    page
    for pattern in ("*.md", "docs/*.md", "docs/guide/*.md", "docs/method/*.md", "docs/notes/*.md")
    for page in _ROOT.glob(pattern)
)
_CODE = re.compile(r"^ *```.*?^ *``` *$|^    .*$|`[^`]*`", re.MULTILINE | re.DOTALL)
_DIALECT = {
    "told": r"\btold\b",
    "behind": r"\bbehind\b",
    "nobody, somebody, whoever": r"\b(?:nobody|somebody|whoever)\b",
    "go on": r"\b(?:go|goes|going|went|gone|moves?) on\b",
    "anew, reckon": r"\banew\b|\breckon",
    "by itself": r"\bby (?:itself|themselves)\b",
    "says so": r"\b(?:says?|said) (?:so|it|otherwise|nothing)\b",
    "what it is": r"\bwhat (?:it|they) (?:is|are)\b",
    "Of as first word": r"(?:[.;:] |\n\n)(?-i:Of) (?:what|those|these|the|all|a|an|its) ",
    "What as subject": r"(?:[.;] |\n\n)(?-i:What) (?:is|was|are|has|have|comes|does) ",
}
_TABLE_OF_PACKAGES = re.compile(r"^\| folder \| does .*?\n\n", re.MULTILINE | re.DOTALL)


def dialect(text: str) -> list[str]:
    """Return the kinds of dialect in the prose of a page, without code and code spans."""
    prose = _CODE.sub("", text)
    return [kind for kind, words in _DIALECT.items() if re.search(words, prose, re.IGNORECASE)]


def test_documents_use_standard_terms() -> None:
    assert len(_PAGES) > 50
    found = {
        str(page.relative_to(_ROOT)): dialect(
            _TABLE_OF_PACKAGES.sub("", page.read_text(encoding="utf-8"))
        )
        for page in _PAGES
    }
    assert {page: kinds for page, kinds in found.items() if kinds} == {}


def prose_of(code: str) -> Iterator[str]:
    """Yield docstrings, comments and texts of several words of a module."""
    for node in ast.walk(ast.parse(code)):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and " " in node.value:
            yield node.value
    for token in tokenize.generate_tokens(io.StringIO(code).readline):
        if token.type == tokenize.COMMENT:
            yield token.string


def summaries(code: str) -> Iterator[str]:
    """Yield the first line of each docstring of a function that is no property."""
    for node in ast.walk(ast.parse(code)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            if any("property" in ast.unparse(each) for each in node.decorator_list):
                continue
            docstring = ast.get_docstring(node)
            if docstring:
                yield docstring.splitlines()[0]


_CODE_FILES = sorted(
    path for path in (_ROOT / "gnomon").rglob("*.py") if "templates" not in path.parts
)


def test_code_uses_standard_terms() -> None:
    assert len(_CODE_FILES) > 300
    found = {
        f"{path.relative_to(_ROOT)}: {text!r:.90}": kinds
        for path in _CODE_FILES
        for text in prose_of(path.read_text(encoding="utf-8"))
        if (kinds := dialect(text))
    }
    assert found == {}


def test_functions_begin_with_a_verb() -> None:
    found = [
        f"{path.relative_to(_ROOT)}: {line}"
        for path in _CODE_FILES
        for line in summaries(path.read_text(encoding="utf-8"))
        if re.match(r"(?:The|A|An|What|Whether|Of) ", line)
    ]
    assert found == []


@pytest.mark.parametrize("text", ["It waits\nbehind a load.", "Ends. What is left, is kept."])
def test_dialect_is_found(text: str) -> None:
    assert dialect(text)


def test_code_is_not_prose() -> None:
    assert dialect("`told`\n\n    nobody\n\n```\nbehind\n```\n") == []


def test_the_glossary_is_sorted() -> None:
    page = (_ROOT / "docs" / "glossary.md").read_text(encoding="utf-8")
    terms = re.findall(r"^\| ([^|]+) \| ", page, re.MULTILINE)[1:]
    letters = [re.sub(r"[^a-z]", "", term.lower()) for term in terms]
    assert len(letters) > 60
    assert letters == sorted(set(letters))
