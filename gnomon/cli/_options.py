"""Options that several commands share, declared once so that they mean the same everywhere."""

from inspect import Parameter
from typing import Annotated, Any

import typer


def option(words: str, meaning: str, *value: Any, shown: str | bool = True, **more: Any) -> Any:
    """An option of a command.

    Args:
        words: its names, then what its value is called, such as ``-o --output FILE``.
        meaning: for ``--help``.
        value: where it is left out; none of an option in ``Annotated``, whose parameter has it.
        shown: the value in the words of ``--help``, if it does not say it itself.
        more: of :func:`typer.Option`.
    """
    names = [word for word in words.split() if word.startswith("-")]
    kind = " ".join(words.split()[len(names) :]) or None
    return typer.Option(*value, *names, metavar=kind, help=meaning, show_default=shown, **more)


def output_file(words: str, meaning: str, *value: Any, shown: str | bool = True) -> Any:
    """An option that names files to write, as FILE or FORMAT=FILE; arguments as for `option`.

    None may be a file that the command reads.
    """
    made = option(words, meaning, *value, shown=shown)
    made.writes = next(word for word in words.split() if word.startswith("--"))
    return made


def writes(parameter: Parameter) -> str | None:
    """The name of the option that a parameter stands for, if it names files to write."""
    told = (parameter.default, *getattr(parameter.annotation, "__metadata__", ()))
    return next((each.writes for each in told if hasattr(each, "writes")), None)


def argument(name: str, meaning: str, *value: Any, shown: str | bool = True) -> Any:
    """An argument of a command, as ``--help`` shows it."""
    return typer.Argument(*value, metavar=name, help=meaning, show_default=shown)


_MACHINE = "A machine by its name, or the path of a YAML file."
Machine = Annotated[str, option("--arch", _MACHINE)]
AnyMachine = Annotated[str | None, option("--arch", _MACHINE)]
MachineArgument = Annotated[str, argument("MACHINE", _MACHINE)]
Overrides = Annotated[
    list[str] | None, option("--set KEY=VALUE", "Change one key, such as vcu.simd=8.")
]
Operands = Annotated[
    str | None,
    option(
        "--operands NAME",
        "Operand values that its energy assumes: zeros, small8, q15, rand32, sparse, dense,"
        " or hamming-N.",
    ),
]
FractionBits = Annotated[int, option("--fraction-bits", "Fractional bits (Q format).")]
OperandSeed = Annotated[int, option("--seed", "Of the random operands.")]
Json = Annotated[bool, option("--json", "Print JSON and nothing else.")]
