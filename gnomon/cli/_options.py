"""Options that several commands share, declared once with one meaning."""

from inspect import Parameter
from typing import Annotated, Any

import typer


def option(words: str, meaning: str, *value: Any, shown: str | bool = True, **more: Any) -> Any:
    """Return an option of a command.

    Args:
        words: names of the option, then a word for its value, such as ``-o --output FILE``.
        meaning: help text.
        value: default; absent for an option in ``Annotated``, whose parameter has the default.
        shown: text of the default in ``--help``, if it is not the value itself.
        more: further arguments of :func:`typer.Option`.
    """
    names = [word for word in words.split() if word.startswith("-")]
    kind = " ".join(words.split()[len(names) :]) or None
    return typer.Option(*value, *names, metavar=kind, help=meaning, show_default=shown, **more)


def output_file(words: str, meaning: str, *value: Any, shown: str | bool = True) -> Any:
    """Return an option that names output files, as FILE or FORMAT=FILE.

    The arguments are those of :func:`option`. The command line rejects an output file that the
    command also reads.
    """
    file_option = option(words, meaning, *value, shown=shown)
    file_option.writes = next(word for word in words.split() if word.startswith("--"))
    return file_option


def writes(parameter: Parameter) -> str | None:
    """Return the option name of a parameter that names output files; None for others."""
    declared = (parameter.default, *getattr(parameter.annotation, "__metadata__", ()))
    return next((each.writes for each in declared if hasattr(each, "writes")), None)


def argument(name: str, meaning: str, *value: Any, shown: str | bool = True) -> Any:
    """Return an argument of a command; ``name`` is its word in help texts."""
    return typer.Argument(*value, metavar=name, help=meaning, show_default=shown)


_MACHINE = "Machine: a name or the path of a YAML file."
Machine = Annotated[str, option("--arch", _MACHINE)]
AnyMachine = Annotated[str | None, option("--arch", _MACHINE)]
MachineArgument = Annotated[str, argument("MACHINE", _MACHINE)]
Overrides = Annotated[
    list[str] | None, option("--set KEY=VALUE", "Machine key to change, such as vcu.simd=8.")
]
Cluster = Annotated[
    str | None, option("--cluster ADDRESS", "Address of a Dask scheduler, tcp://host:8786.")
]
Operands = Annotated[
    str | None,
    option(
        "--operands NAME",
        "Operand values that the energy assumes: zeros, small8, q15, rand32, sparse, dense"
        " or hamming-N.",
    ),
]
FractionBits = Annotated[int, option("--fraction-bits", "Fractional bits (Q format).")]
OperandSeed = Annotated[int, option("--seed", "Seed for random operands.")]
Json = Annotated[bool, option("--json", "Print one JSON value and nothing else.")]
