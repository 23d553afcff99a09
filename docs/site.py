"""Hook of mkdocs: the site has the folders of the repository, so that links between them hold."""

import re
import subprocess
from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files

_ROOT = Path(__file__).parents[1]
# What pages link to: other pages, tables, figures, files to start from.
_SHOWN = {
    ".md",
    ".svg",
    ".csv",
    ".html",
    ".yaml",
    ".yml",
    ".json",
    ".ipynb",
    ".cff",
    ".c",
    ".css",
    ".h",
    "",
}


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Tracked files of the repository, where mkdocs would take those of docs/ alone."""
    theirs = [file for file in files if file.src_dir != config.docs_dir]
    tracked = subprocess.run(["git", "ls-files"], cwd=_ROOT, check=True, capture_output=True)
    for name in tracked.stdout.decode().splitlines():
        path = Path(name)
        inner = path.parts[0] in {"tests", "gnomon"} and path.name != "README.md"
        if path.suffix in _SHOWN and not inner and not name.startswith("."):
            theirs.append(File(name, str(_ROOT), config.site_dir, use_directory_urls=False))
    return Files(theirs)


def on_page_markdown(markdown: str, **_: object) -> str:
    """Return the page with titles for its files, fences of the form ```yaml file=NAME."""
    return re.sub(r"^(```\w+) file=(\S+)$", r'\1 title="\2"', markdown, flags=re.MULTILINE)
