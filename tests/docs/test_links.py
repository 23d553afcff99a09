"""No link of a page leads nowhere: files and anchors of every Markdown file of the repository."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

_ROOT = Path(__file__).resolve().parents[2]
_FENCE = re.compile(r"^ *(```|~~~).*?^ *\1 *$", re.MULTILINE | re.DOTALL)
_CODE = re.compile(r"`[^`\n]*`")
_LINK = re.compile(r"!?\[(?:[^\[\]]|\[[^\]]*\])*\]\(\s*<?([^)\s>]+)>?(?:\s+\"[^\"]*\")?\s*\)")
_TARGET = re.compile(
    r"^ *\[[^\]]+\]: +(\S+)|<(?:img|a)\b[^>]*?\b(?:src|href)=\"([^\"]+)\"", re.MULTILINE
)
_HEADING = re.compile(r"^#{1,6} +(.+?) *#*$", re.MULTILINE)
_MOST_LINES = 150
_ID = re.compile(r"<a (?:id|name)=\"([^\"]+)\"")


def _pages() -> list[Path]:
    listed = subprocess.run(
        ["git", "ls-files", "-co", "--exclude-standard", "*.md"],
        cwd=_ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    names = listed.stdout.split() if listed.returncode == 0 else []
    # Pages that tests compare with lie away from the pictures they show.
    outside = [name for name in names if not name.startswith("tests/report/")]
    pages = [_ROOT / name for name in outside if (_ROOT / name).is_file()]
    return pages or [path for path in _ROOT.rglob("*.md") if ".venv" not in path.parts]


def anchors(text: str) -> set[str]:
    """What ``#...`` may name on a page, as forges make it of headings."""
    found: set[str] = set(_ID.findall(text))
    for heading in _HEADING.findall(_FENCE.sub("", text)):
        plain = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).replace("`", "")
        slug = re.sub(r"[^\w\- ]", "", plain.strip().lower()).replace(" ", "-")
        number = 0
        while (name := f"{slug}-{number}" if number else slug) in found:
            number += 1
        found.add(name)
    return found


def dead_links(page: Path) -> list[str]:
    """The links of a page that lead nowhere in the repository."""
    text = page.read_text(encoding="utf-8")
    plain = _CODE.sub("", _FENCE.sub("", text))
    targets = _LINK.findall(plain) + [a or b for a, b in _TARGET.findall(plain)]
    dead = []
    for target in targets:
        if re.match(r"[a-z][a-z+.-]*:", target):
            continue
        name, _, anchor = target.partition("#")
        file = (page.parent / name).resolve() if name else page
        inside = file.is_relative_to(_ROOT) if page.is_relative_to(_ROOT) else True
        if (
            not file.exists()
            or not inside
            or (anchor and file.suffix == ".md" and anchor not in anchors(file.read_text("utf-8")))
        ):
            dead.append(target)
    return dead


def test_no_dead_links() -> None:
    dead = {str(page.relative_to(_ROOT)): dead_links(page) for page in _pages()}
    assert {page: links for page, links in dead.items() if links} == {}


def test_a_dead_link_is_found(tmp_path: Path) -> None:
    (tmp_path / "other.md").write_text("# Two `words`, here\n\n## Again\n\n## Again\n")
    page = tmp_path / "page.md"
    page.write_text(
        "[a](other.md) [b](other.md#two-words-here) [c](other.md#again-1) [d](#top)\n# Top\n"
        "[e](missing.md) ![f [g]](missing.png) [h](other.md#again-2) [i](https://example.org)\n"
        "`[j](code.md)`\n\n```\n[k](fenced.md)\n```\n\n[l]: gone.md\n"
        '<img src="gone.svg"> [m](other.md "title")\n'
    )
    found = ["missing.md", "missing.png", "other.md#again-2", "gone.md", "gone.svg"]
    assert dead_links(page) == found


def _linked(page: Path) -> set[Path]:
    """Return the files that a page links to."""
    targets = _LINK.findall(page.read_text(encoding="utf-8"))
    return {(page.parent / target.partition("#")[0]).resolve() for target in targets}


def test_docs_readme_links_every_page_of_docs() -> None:
    index = _ROOT / "docs" / "README.md"
    pages = {
        page for folder in ("", "guide", "method") for page in (index.parent / folder).glob("*.md")
    }
    readmes = {index.parent / name / "README.md" for name in ("reference", "notes")}
    assert (pages | readmes) - {index} <= _linked(index)
    assert index in _linked(_ROOT / "README.md")


def test_pages_of_guide_and_method_are_short() -> None:
    pages = [
        page for folder in ("guide", "method") for page in (_ROOT / "docs" / folder).glob("*.md")
    ]
    lines = {page.name: page.read_text(encoding="utf-8").count("\n") for page in pages}
    assert {name: count for name, count in lines.items() if count > _MOST_LINES} == {}


def test_the_site_builds_and_asks_nothing_of_other_hosts(tmp_path: Path) -> None:
    if not (_ROOT / ".git").exists():
        pytest.skip("not a checkout")
    command = [sys.executable, "-m", "mkdocs", "build", "--quiet", "--site-dir", str(tmp_path)]
    built = subprocess.run(command, cwd=_ROOT, capture_output=True, text=True, check=False)
    assert built.returncode == 0, built.stdout + built.stderr
    for name in ("index.html", "docs/tutorial.html", "docs/reference/commands.html"):
        text = (tmp_path / name).read_text(encoding="utf-8")
        assert re.findall(r"<(?:script|link|img)[^>]*(?:src|href)=\"?(?:https?:)?//", text) == []
        assert "```" not in text  # a fence that was not understood
