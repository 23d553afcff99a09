"""The command line as a whole: one message per mistake, and the exit code."""

from __future__ import annotations

import inspect
import subprocess
import sys

import pytest
import typer

from gnomon.cli._late import COMMANDS
from gnomon.cli.app import load_command

_MISTAKES = {
    ("runn",): "gnomon: No such command 'runn'. Did you mean 'run'? (see `gnomon --help`)\n",
    ("run",): "gnomon: Missing argument 'FILE'. (see `gnomon --help`)\n",
    ("run", "--bogus"): "gnomon: No such option: --bogus (see `gnomon --help`)\n",
    ("run", "nowhere.elf", "--arch", "t13"): "gnomon: nowhere.elf: no such file\n",
}


def _gnomon(*arguments: str) -> subprocess.CompletedProcess[str]:
    code = "from gnomon.cli import main; main()"
    return subprocess.run(
        [sys.executable, "-c", code, *arguments], capture_output=True, text=True, check=False
    )


@pytest.mark.parametrize("arguments", _MISTAKES)
def test_a_mistake_is_one_line(arguments: tuple[str, ...]) -> None:
    done = _gnomon(*arguments)
    assert (done.returncode, done.stdout, done.stderr) == (2, "", _MISTAKES[arguments])


def test_a_number_that_is_none() -> None:
    done = _gnomon("run", "x.elf", "--max-cycles", "abc")
    assert done.returncode == 2
    assert done.stderr.startswith("gnomon: Invalid value for '--max-cycles': ")
    assert done.stderr.count("\n") == 1


@pytest.mark.parametrize("arguments", [(), ("--help",)])
def test_help(arguments: tuple[str, ...]) -> None:
    done = _gnomon(*arguments)
    assert (done.returncode, done.stderr) == (0, "")
    assert "validate" in done.stdout


def test_the_list_says_of_each_command_what_it_says_itself() -> None:
    for name, listed in COMMANDS.items():
        command = load_command(name)
        text = command.info.help if isinstance(command, typer.Typer) else inspect.getdoc(command)
        assert " ".join(text.split("\n\n")[0].split()) == listed


def test_help_imports_no_more_than_it_needs() -> None:
    code = (
        "import sys\nfrom gnomon.cli import main\n"
        "try:\n    main()\nfinally:\n"
        "    print([m for m in sys.modules if m.split('.')[0] in"
        " ('pydantic', 'numpy', 'rich', 'gnomon') or m.startswith('importlib.metadata')],"
        " file=sys.stderr)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, "--help"], capture_output=True, text=True, check=True
    )
    for heavy in ("pydantic", "numpy", "rich", "metadata", "gnomon.report"):
        assert heavy not in done.stderr


def test_no_command_needs_arrays_to_say_its_options() -> None:
    code = (
        "import sys\nfrom gnomon.cli.app import load_command\n"
        f"for name in {sorted(COMMANDS)}: load_command(name)\n"
        "print({'numpy', 'pandas', 'scipy', 'matplotlib'} & set(sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "set()\n"
