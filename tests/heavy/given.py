"""What a run of a heavy group is given: its inputs, the user's checkouts, the tools."""

from __future__ import annotations

import hashlib
import platform
import re
import subprocess
import tomllib
from dataclasses import dataclass
from importlib.metadata import version
from typing import TYPE_CHECKING

from tests.heavy.digests import ROOT, forget_files, stamp_input
from tests.heavy.record import input_digests

if TYPE_CHECKING:
    from pathlib import Path

    from tests.heavy.groups import Group

_NOT_RUN = "not-run"
_VERSION_OPTION = {"iverilog": "-V", "yosys": "-V"}


@dataclass(frozen=True)
class Given:
    """All that decides the results of a run; a journal holds for one of these."""

    inputs: str  # path=digest, separated by blanks
    checkouts: str  # name=repository@commit, or name=not-run
    tools: str
    stamps: dict[str, int]  # file -> time of its last change, ns: an edit that was undone shows

    @property
    def key(self) -> str:
        """Return the name of the folder of its journals."""
        parts = (self.inputs, self.checkouts, self.tools)
        return hashlib.sha256("\n".join(parts).encode()).hexdigest()[:8]

    def differences(self, other: Given) -> list[str]:
        """Return what differs, files by their paths."""
        files = {**self.stamps, **other.stamps}
        found = [name for name in files if self.stamps.get(name) != other.stamps.get(name)]
        if not found and self.inputs != other.inputs:
            found = ["an input"]
        kinds = (("a checkout", "checkouts"), ("a tool", "tools"))
        return found + [
            name for name, field in kinds if getattr(self, field) != getattr(other, field)
        ]


def look_up(group: Group, checkouts: dict[str, Path]) -> Given:
    """Read what a run of a group would be given now.

    Raises:
        InputError: an input cannot be read.
    """
    forget_files()
    named = " ".join(f"{name}={name_checkout(checkouts.get(name))}" for name in group.checkouts)
    stamps = {path: at for name in group.inputs for path, at in stamp_input(name)}
    return Given(input_digests(group), named, name_tools(group), stamps)


def name_checkout(folder: Path | None) -> str:
    """Return repository and commit of a checkout, with a digest of its files if they differ.

    A folder that is not a checkout itself has the digest alone.
    """
    if folder is None:
        return _NOT_RUN
    top = _ask_git(folder, "rev-parse", "--show-toplevel").decode(errors="replace").strip()
    if not top or folder.resolve() != type(folder)(top).resolve():
        return f"unnamed@{_digest_files(folder)}"
    origin, commit = (
        _ask_git(folder, *words).decode(errors="replace").strip() or "unnamed"
        for words in (("config", "remote.origin.url"), ("rev-parse", "HEAD"))
    )
    dirty = _ask_git(folder, "status", "--porcelain", "-z", "--untracked-files=all")
    return f"{origin}@{commit}" + (f"+{_digest_files(folder)}" if dirty else "")


def _ask_git(folder: Path, *words: str) -> bytes:
    return subprocess.run(
        ["git", *words], cwd=folder, capture_output=True, check=False
    ).stdout  # fmt: skip


def _digest_files(folder: Path) -> str:
    whole = hashlib.sha256()
    for path in sorted(folder.rglob("*")):
        below = path.relative_to(folder)
        if path.is_file() and below.parts[0] != ".git":
            data = path.read_bytes()
            whole.update(f"{below.as_posix()!r} {len(data)}\n".encode() + data)
    return whole.hexdigest()[:8]


def name_tools(group: Group) -> str:
    """Return the versions of Python, of the compiler and of the outside programs of a group."""
    found = [f"Python {platform.python_version()}", f"ziglang {version('ziglang')}"]
    for name in group.programs:
        said = subprocess.run(
            [name, _VERSION_OPTION.get(name, "--version")],
            capture_output=True, text=True, check=False,
        )  # fmt: skip
        first = (said.stdout or said.stderr or f"{name} of no version\n").splitlines()[0]
        found.append(re.sub(r" \([^)]*\)", "", first))  # a build: stable, a packager's own name
    return "; ".join(found)


def name_releases(group: Group) -> str:
    """Return the versions of Python and of gnomon's dependencies in each step's environment."""
    sets = [f"{step.name}: {_releases(step.python)}" for step in group.steps if step.python]
    return "; ".join(sets)


def _releases(python: str) -> str:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    names = [re.split(r"[^\w-]", each)[0] for each in project["dependencies"]]
    code = (
        "import platform, sys; from importlib.metadata import version;"
        " print('Python', platform.python_version(), *(f'{n} {version(n)}' for n in sys.argv[1:]))"
    )
    said = subprocess.run([python, "-c", code, *names], cwd=ROOT, capture_output=True, text=True,
                          check=True)  # fmt: skip
    return said.stdout.strip()
