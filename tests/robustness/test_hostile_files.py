"""What files and the computer around may be: pipes, no end, odd names, narrow rights."""

from __future__ import annotations

import json
import os
import re
import stat
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from gnomon.base.errors import GnomonError
from gnomon.base.files import decompress, open_regular, read_bytes, read_text, write_file, writing
from gnomon.learn import find_learner, load_learner, save_learner
from gnomon.learn.checks import build_learner
from tests.commands import gnomon

ROOT = Path(__file__).parents[2]
ELF = ROOT / "tests" / "reference" / "t13x" / "programs" / "p05.elf"
BUDGET = """\
schema: 1
name: it
arch: t13
baseline: {baseline}
checks: {{it: {{program: {program}, limits: [wall_cycles <= baseline]}}}}
"""


def process(*words: str, folder: Path, **variables: str) -> subprocess.CompletedProcess[bytes]:
    """A command in a process of its own, ended where it waits."""
    command = [str(Path(sys.executable).with_name("gnomon")), *words]
    environment = {**os.environ, **variables}
    return subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, check=False, timeout=300
    )


READERS = {
    "power activity": ["power", "activity", "FILE"],
    "diff": ["diff", "FILE", "FILE", "--arch", "t13"],
    "click log": ["experiment", "logged", "--format", "yahoo-r6a", "--learner", "uniform",
                  "--data", "FILE"],
    "sweep": ["sweep", "FILE"],
    "machine": ["arch", "check", "FILE.yaml"],
    "elf": ["run", "FILE", "--arch", "t13"],
    "source": ["build", "FILE.c", "--arch", "t13", "--output", "it.elf"],
    "trace": ["replay", "FILE", "--arch", "t13"],
    "points": ["power", "fit", "FILE", "FILE"],
    "liberty": ["gates", "t13-simd1", "--liberty", "FILE"],
    "budget": ["budget", "FILE"],
    "deploy": ["deploy", "FILE"],
    "core": ["calibrate", "FILE", "--out", "it.yaml"],
    "power table": ["run", str(ELF), "--arch", "t13", "--set", "power=FILE.yaml", "--energy"],
}  # fmt: skip


@pytest.mark.parametrize("name", READERS)
def test_a_pipe_is_refused(name: str, tmp_path: Path) -> None:
    """Its reader would wait for ever."""
    words = READERS[name]
    for ending in ("", ".c", ".yaml"):
        os.mkfifo(tmp_path / f"pipe{ending}")
    done = gnomon(*(word.replace("FILE", "pipe") for word in words), folder=tmp_path)
    assert done.returncode == 2, done.stderr
    assert "pipe" in done.stderr


def test_what_has_no_end_is_refused(tmp_path: Path) -> None:
    for word in ("/dev/zero", "/dev/urandom", "/dev/null"):
        with pytest.raises(GnomonError, match="not a regular file but a pipe or device"):
            open_regular(Path(word))
    path = tmp_path / "long"
    path.write_bytes(b"x" * (3 << 20))
    with pytest.raises(GnomonError, match="is longer than 2 MiB"):
        read_bytes(path, 2 << 20)
    import gzip

    with pytest.raises(GnomonError, match="decompressed it is longer than 1 MiB"):
        decompress("a.gz", gzip.compress(bytes(2 << 20)), 1 << 20)
    for name in (tmp_path, tmp_path / "none", Path("a\0b")):
        with pytest.raises(GnomonError):
            read_text(name)


@pytest.mark.parametrize("mask", [0o077, 0o027, 0o022, 0o000])
def test_the_umask_holds(mask: int, tmp_path: Path) -> None:
    """New files have what it leaves; one that is replaced keeps its rights."""
    old = os.umask(mask)
    try:
        new = write_file(tmp_path / "deep" / "new", b"1")
        private, shared = tmp_path / "private", tmp_path / "shared"
        for path, mode in ((private, 0o600), (shared, 0o664)):
            path.write_bytes(b"0")
            path.chmod(mode)
        write_file(private, "1")
        with writing(shared) as file:
            file.write(b"1")
        with writing(tmp_path / "piece") as file:
            file.write(b"1")
    finally:
        os.umask(old)
    modes = [stat.S_IMODE(path.stat().st_mode) for path in (new, private, shared)]
    assert modes == [0o666 & ~mask, 0o600, 0o664]
    assert stat.S_IMODE((tmp_path / "piece").stat().st_mode) == 0o666 & ~mask
    assert private.read_bytes() == shared.read_bytes() == b"1"
    assert not list(tmp_path.rglob(".aside*"))


@pytest.mark.parametrize("baseline", ["../outside.json", "/tmp/outside.json", "link/it.json"])
def test_update_writes_no_path_outside_the_project(baseline: str, tmp_path: Path) -> None:
    project = tmp_path / "project"
    project.mkdir()
    (tmp_path / "elsewhere").mkdir()
    (project / "link").symlink_to(tmp_path / "elsewhere")
    (project / "it.yaml").write_text(BUDGET.format(baseline=baseline, program=ELF))
    done = gnomon("budget", "project/it.yaml", "--update", folder=tmp_path)
    assert done.returncode == 2
    assert "is outside of" in done.stderr
    assert not [*tmp_path.rglob("*.json"), *Path("/tmp").glob("outside.json")]


def test_update_writes_beside_the_budget_and_in_its_project(tmp_path: Path) -> None:
    (tmp_path / "gnomon.yaml").write_text("schema: 1\n")
    folder = tmp_path / "budgets"
    folder.mkdir()
    for baseline in ("it.json", "../data/it.json"):
        (folder / "it.yaml").write_text(BUDGET.format(baseline=baseline, program=ELF))
        done = gnomon("budget", "budgets/it.yaml", "--update", folder=tmp_path)
        assert done.returncode == 0, done.stderr
        assert (folder / baseline).is_file()


@pytest.mark.parametrize("encoding", ["ascii", "latin-1", "utf-8", "cp437"])
def test_stdout_of_any_encoding(encoding: str, tmp_path: Path) -> None:
    words = ("run", str(ELF), "--arch", "t13-simd4", "--energy")
    done = process(*words, folder=tmp_path, PYTHONIOENCODING=encoding)
    assert done.returncode in (0, 1), done.stderr
    assert ("µJ" if encoding in ("utf-8", "latin-1", "cp437") else "uJ") in done.stdout.decode(
        encoding
    )


def test_a_file_name_that_is_no_text(tmp_path: Path) -> None:
    name = os.fsdecode(b"p\xff.elf")
    (tmp_path / name).write_bytes(ELF.read_bytes())
    done = process("run", name, "--arch", "t13", "--json", "--html", "it.html", folder=tmp_path)
    assert done.returncode in (0, 1), done.stderr
    answer = json.loads(done.stdout)
    assert answer["program"].encode() == b"p\\xff"  # valid Unicode, and the byte written out
    done = process("run", name, "--arch", "t13", folder=tmp_path)
    assert done.returncode in (0, 1), done.stderr
    done.stdout.decode()
    if (tmp_path / "it.html").exists():
        (tmp_path / "it.html").read_text(encoding="utf-8")


def test_a_missing_folder_for_temporary_files_is_named(tmp_path: Path) -> None:
    (tmp_path / "it.c").write_text("int main(int hart) { return hart + 41; }\n")
    words = ("build", "it.c", "--arch", "t13", "--output", "it.elf", "-D", f"N={os.getpid()}")
    done = gnomon(*words, folder=tmp_path, TMPDIR="/no/such/folder")
    assert done.returncode == 2
    assert "TMPDIR names '/no/such/folder', which is not a folder" in done.stderr


DAMAGED = {
    "steps": "1e400", "steps-negative": "-1", "clamped_variances": "1e400",
    "settings-arms": "1e400", "settings-dimensions": "1e400", "settings-alpha": '"x"',
}  # fmt: skip


@pytest.mark.parametrize("name", DAMAGED)
def test_a_saved_learner_with_numbers_that_are_none(name: str, tmp_path: Path) -> None:
    path = save_learner(build_learner(find_learner("linucb-disjoint")), tmp_path / "it.npz")
    key = name.removesuffix("-negative").removeprefix("settings-")
    with zipfile.ZipFile(path) as old:
        members = {each: old.read(each) for each in old.namelist()}
    text = members["learner.json"].decode()
    changed = re.sub(rf'"{key}": [^,\n]+', f'"{key}": {DAMAGED[name]}', text)
    assert changed != text
    members["learner.json"] = changed.encode()
    with zipfile.ZipFile(path, "w") as new:
        for member, data in members.items():
            new.writestr(member, data)
    with pytest.raises(GnomonError, match=r"it\.npz"):
        load_learner(path)


def test_replay_lists_for_a_trace_that_can_be_read(tmp_path: Path) -> None:
    (tmp_path / "it.csv").write_text("kernel,shape\ndot,4\n")
    for words, code in ((["--list"], 0), (["it.csv", "--list"], 0), (["none.csv", "--list"], 2),
                        ([], 2), (["it.csv"], 2)):  # fmt: skip
        done = gnomon("replay", *words, folder=tmp_path)
        assert done.returncode == code, (words, done.stderr)


EMBED = """
#include "gnomon.h"
__asm__(".section .rodata\\n.globl secret\\nsecret: .incbin \\"{file}\\"\\n.byte 0\\n.text");
extern const char secret[];
int main(int hart) {{ for (int i = 0; secret[i]; i++) putchar(secret[i]); return 0; }}
"""


@pytest.mark.parametrize("how", ["absolute", "above", "link", "included", "inside"])
def test_no_page_holds_a_file_from_outside(how: str, tmp_path: Path) -> None:
    project = tmp_path / "project"
    project.mkdir()
    (tmp_path / "private").write_text("hidden words")
    (project / "own").write_text("open words")
    if how == "link":
        (project / "link").symlink_to(tmp_path / "private")
    files = {"absolute": str(tmp_path / "private"), "above": "../private", "link": "link",
             "inside": "own"}  # fmt: skip
    text = EMBED.format(file=files.get(how, "own")).replace("gnomon.h", "stdio.h")
    if how == "included":
        text = f'#include "{tmp_path / "private"}"\n' + text
    (project / "it.c").write_text(text)
    done = gnomon("run", "it.c", "-I", ".", "--arch", "t13", "--html", "it.html", folder=project)
    page = project / "it.html"
    if how == "inside":
        assert done.returncode == 0, done.stderr
        assert "open words" in page.read_text()
    else:
        assert done.returncode == 2
        assert not page.exists()
