"""The digest of sources: an edit of anything that may decide a result changes it."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]

FILES = (
    "gnomon/sim/_run.py", "gnomon/sim/engine/loop.c", "gnomon/isa/table.csv",
    "arch/m.yaml", "kernels/common/fx.h", "kernels/dot/dot.c", "algorithms/ucb/learner.py",
    "models/power/a.yaml", "reports/study/study.py", "reports/study/results.csv",
    "mine/gnomon.yaml", "mine/arch/own.yaml", "mine/kernels/twice/twice.c",
    "mine/algorithms/new/learner.c", "mine/models/power/own.yaml", "mine/reports/s/study.py",
    "mine/reports/s/out.csv",
)  # fmt: skip
ALL = ("arch", "kernels", "algorithms", "models", "reports")
SCRIPT = """
import os, sys
from pathlib import Path
from gnomon.base.sources import source_digest

kinds, names = (each.split() for each in sys.argv[1:])


def digest():
    "In a copy of this process, which remembers no digest."
    reader, writer = os.pipe()
    if os.fork() == 0:
        os.write(writer, source_digest(*kinds).encode())
        os._exit(0)
    os.close(writer)
    os.wait()
    with open(reader) as pipe:
        return pipe.read()


print(digest())
for name in names:
    Path("..", name).write_text("# changed\\n")
    print(digest())
    Path("..", name).write_text("")
if names:
    print(digest())
"""
"""Prints the digest; then that of each file changed, and that of all as they were."""


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """A toolkit with content, and a user's project in it."""
    shutil.copytree(ROOT / "gnomon" / "base", tmp_path / "gnomon" / "base")
    shutil.copy(ROOT / "gnomon" / "_version.py", tmp_path / "gnomon")
    (tmp_path / "gnomon" / "__init__.py").write_text("")
    for name in FILES:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("")
    return tmp_path


def digests_of(tree: Path, kinds: tuple[str, ...], names: tuple[str, ...] = ()) -> list[str]:
    """What the script prints in a new process, which runs in the project."""
    return subprocess.run(
        [sys.executable, "-B", "-c", SCRIPT, " ".join(kinds), " ".join(names)],
        capture_output=True, text=True, check=True, cwd=tree / "mine",
        env=os.environ | {"PYTHONPATH": str(tree)},
    ).stdout.split()  # fmt: skip


def digest_of(tree: Path, *kinds: str) -> str:
    (digest,) = digests_of(tree, kinds)
    return digest


@pytest.mark.parametrize(
    ("kinds", "free"),
    [
        (ALL, {"reports/study/results.csv", "mine/reports/s/out.csv", "mine/gnomon.yaml"}),
        ((), {name for name in FILES if name.startswith(("reports", "mine"))}),
        (("kernels",), {n for n in FILES if n.startswith(("reports", "mine"))}
         - {"mine/kernels/twice/twice.c"}),
    ],
)  # fmt: skip
def test_an_edit_changes_the_digest(tree: Path, kinds: tuple[str, ...], free: set[str]) -> None:
    before, *changed, after = digests_of(tree, kinds, FILES)
    assert {name for name, each in zip(FILES, changed, strict=True) if each == before} == free
    assert after == before


def test_new_removed_and_renamed_files_change_the_digest(tree: Path) -> None:
    before = digest_of(tree, *ALL)
    new = tree / "mine" / "kernels" / "twice" / "more.h"
    new.write_text("")
    found = {before, digest_of(tree, *ALL)}
    new.rename(new.with_name("other.h"))
    found.add(digest_of(tree, *ALL))
    (tree / "kernels" / "dot" / "dot.c").unlink()
    found.add(digest_of(tree, *ALL))
    assert len(found) == 4


def test_the_same_sources_elsewhere_have_the_same_digest(tree: Path) -> None:
    """So that workers of a cluster compare; bytecode and hidden files do not count."""
    before = digest_of(tree, *ALL)
    other = tree.with_name("other")
    shutil.copytree(tree, other)
    (other / "gnomon" / "sim" / "__pycache__").mkdir()
    (other / "gnomon" / "sim" / "__pycache__" / "a.pyc").write_text("x")
    (other / "kernels" / ".swp").write_text("x")
    assert digest_of(other, *ALL) == before
