"""The tutorial is carried out: its files written, its commands run, their output compared.

``python -m tests.docs.test_tutorial`` writes what the commands print now into the page.
"""

from __future__ import annotations

import re
import shlex
import subprocess
import tempfile
from pathlib import Path

from gnomon.base.cache import cache_folder
from gnomon.sim import load_engine
from tests.commands import gnomon

_ROOT = Path(__file__).resolve().parents[2]
_PAGE = _ROOT / "docs" / "tutorial.md"
_BLOCK = re.compile(r"^```(\w+)(?: file=(\S+))?\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_REFUSED = re.compile(r"gnomon: |\S+:\d+: |--set ")


def carry_out(page: str, folder: Path) -> str:
    """Do what a page tells its reader, and return it with what its commands printed."""
    variables = _variables(folder)
    place = folder / "here"
    place.mkdir()

    def block(found: re.Match[str]) -> str:
        language, file, body = found.groups()
        if file:
            (place / file).write_text(body, encoding="utf-8")
        if file or language != "console":
            return found[0]
        commands = re.findall(r"^\$ (.*)$", body, flags=re.MULTILINE)
        printed = (f"$ {each}\n{_printed(each, place, variables)}" for each in commands)
        return f"```console\n{''.join(printed)}```"

    return _BLOCK.sub(block, page)


def _variables(folder: Path) -> dict[str, str]:
    """Builds are kept, outcomes of sweeps are not known."""
    cache = folder / "cache"
    cache.mkdir()
    for kind in ("program", "object", "host", "native", "zig"):
        (cache / kind).symlink_to(cache_folder(kind).absolute())
    load_engine()  # or the first command would say that it is compiled
    # A pipe has no width: what other tests or the shell say of it must not wrap the lines again.
    return {"COLUMNS": "100", "GNOMON_CACHE": str(cache)}


def _printed(command: str, place: Path, variables: dict[str, str]) -> str:
    """``gnomon`` runs in this process; what its output is piped to and the rest run in a shell."""
    code, output, shell = 0, "", command
    if command.startswith("gnomon "):
        command, _, shell = command.partition(" | ")
        done = gnomon(*shlex.split(command)[1:], folder=place, **variables)
        code, output = done.returncode, done.stderr + done.stdout
    if shell:
        piped = subprocess.run(
            ["/bin/sh", "-c", shell], cwd=place, input=output, stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT, text=True, check=True, timeout=300,
        )  # fmt: skip
        output = piped.stdout
    expected = 2 if _REFUSED.match(output) else 0
    assert code == expected, f"{command}\n{output}"
    lines = [line.rstrip() for line in output.rstrip().splitlines()]
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
