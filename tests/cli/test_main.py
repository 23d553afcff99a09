"""The command line as a whole: one message per mistake, and the exit code."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
import typer
from typer.core import TyperGroup

from gnomon.cli.app import app
from tests.commands import gnomon

if TYPE_CHECKING:
    from pathlib import Path

_MISTAKES = {
    ("runn",): "gnomon: No such command 'runn'. Did you mean 'run'? (see `gnomon --help`)\n",
    ("run",): "gnomon: Missing argument 'FILE'. (see `gnomon run --help`)\n",
    ("run", "--bogus"): "gnomon: No such option: --bogus (see `gnomon run --help`)\n",
    ("run", "x.c"): "gnomon: Missing option '--arch'. (see `gnomon run --help`)\n",
    ("run", "nowhere.elf", "--arch", "t13"): "gnomon: nowhere.elf: no such file\n",
}


@pytest.mark.parametrize("arguments", _MISTAKES)
def test_a_mistake_is_one_line(arguments: tuple[str, ...]) -> None:
    done = gnomon(*arguments)
    assert (done.returncode, done.stdout, done.stderr) == (2, "", _MISTAKES[arguments])


def test_a_number_that_is_none() -> None:
    done = gnomon("run", "x.elf", "--max-cycles", "abc")
    assert done.returncode == 2
    assert done.stderr.startswith("gnomon: Invalid value for '--max-cycles': ")
    assert done.stderr.count("\n") == 1


@pytest.mark.parametrize("arguments", [(), ("--help",)])
def test_help(arguments: tuple[str, ...]) -> None:
    done = gnomon(*arguments)
    assert (done.returncode, done.stderr) == (0, "")
    assert "validate" in done.stdout


def test_the_list_says_of_each_command_what_it_says_itself() -> None:
    made = typer.main.get_command(app)
    assert isinstance(made, TyperGroup)
    for command in made.commands.values():
        text = (command.help or "").split("\n\n")[0]
        assert " ".join(text.split()) == command.short_help


def test_more_harts_than_the_machine_has_names_the_option(tmp_path: Path) -> None:
    source = tmp_path / "a.c"
    source.write_text("int main(void) { return 0; }\n")
    for harts in ("0", "9"):
        done = gnomon("run", str(source), "--arch", "t13", "--harts", harts)
        assert (done.returncode, done.stdout) == (2, "")
        assert done.stderr == f"gnomon: --harts is {harts}, but t13 has 3 harts\n"


def test_a_cost_model_is_no_machine() -> None:
    done = gnomon("run", "x.elf", "--arch", "cortex-m4")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith(
        "gnomon: cortex-m4 is a cost model, for `gnomon learner` only: it runs no program;"
    )
