"""The tutorial is carried out: its files written, its commands run, their output compared.

``python tests/docs/test_tutorial.py`` writes what the commands print now into the page.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

from gnomon.base.cache import cache_folder

_ROOT = Path(__file__).resolve().parents[2]
_PAGE = _ROOT / "docs" / "tutorial.md"
_BLOCK = re.compile(r"^```(\w+)(?: file=(\S+))?\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_REFUSED = re.compile(r"gnomon: |\S+:\d+: |--set ")


def carry_out(page: str, folder: Path) -> str:
    """Do what a page tells its reader, and return it with what its commands printed."""
    environment = _environment(folder)
    place = folder / "here"
    place.mkdir()

    def block(found: re.Match[str]) -> str:
        language, file, body = found.groups()
        if file:
            (place / file).write_text(body, encoding="utf-8")
        if file or language != "console":
            return found[0]
        commands = re.findall(r"^\$ (.*)$", body, flags=re.MULTILINE)
        printed = (f"$ {each}\n{_printed(each, place, environment)}" for each in commands)
        return f"```console\n{''.join(printed)}```"

    return _BLOCK.sub(block, page)


def _environment(folder: Path) -> dict[str, str]:
    """``gnomon`` is that of this checkout; builds are kept, outcomes of sweeps are not known."""
    shim = folder / "bin" / "gnomon"
    shim.parent.mkdir()
    shim.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m gnomon "$@"\n')
    shim.chmod(0o755)
    cache = folder / "cache"
    cache.mkdir()
    for kind in ("program", "object", "host", "native", "zig"):
        (cache / kind).symlink_to(cache_folder(kind).absolute())
    # Compiled by now, or the first command would say that it is; here it may be of another cache.
    compile_it = "from gnomon.sim import load_engine; load_engine()"
    subprocess.run([sys.executable, "-c", compile_it], cwd=_ROOT, check=True)
    path = f"{shim.parent}:{os.environ.get('PATH', os.defpath)}"
    # A pipe has no width: what other tests or the shell say of it must not wrap the lines anew.
    width = {"COLUMNS": "100"}
    return {
        **os.environ,
        **width,
        "PATH": path,
        "PYTHONPATH": str(_ROOT),
        "GNOMON_CACHE": str(cache),
    }


def _printed(command: str, place: Path, environment: dict[str, str]) -> str:
    done = subprocess.run(
        ["/bin/sh", "-c", command],
        cwd=place,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
        timeout=300,
    )
    expected = 2 if _REFUSED.match(done.stdout) else 0
    assert done.returncode == expected, f"{command}\n{done.stdout}"
    lines = [line.rstrip() for line in done.stdout.rstrip().splitlines()]
    return "".join(f"{line}\n" for line in lines)


def test_the_tutorial_says_what_happens(tmp_path: Path) -> None:
    page = _PAGE.read_text(encoding="utf-8")
    assert len(re.findall(r"^\$ gnomon ", page, flags=re.MULTILINE)) >= 10
    assert carry_out(page, tmp_path) == page


def test_another_output_is_seen(tmp_path: Path) -> None:
    page = "```console\n$ cat a.txt\none\n$ echo two\n```\n\n```yaml file=a.txt\nthree\n```\n"
    first, second = page.split("\n\n")
    turned = f"{second}\n{first}\n"
    assert carry_out(turned, tmp_path) == turned.replace("one\n", "three\n").replace(
        "echo two\n", "echo two\ntwo\n"
    )


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as temporary:
        _PAGE.write_text(carry_out(_PAGE.read_text("utf-8"), Path(temporary)), encoding="utf-8")
