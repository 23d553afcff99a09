"""The page of the public Python names, read from their signatures and docstrings."""

import inspect
import re

import gnomon
from gnomon.cli.reference._markdown import page

_HIDDEN = re.compile(r"= <.*>$")  # a default without a text of its own
_INTRODUCTION = """\
Results have `frame()`, which returns a pandas DataFrame with units in the column names, and are
tables in a notebook. All errors that a user can cause are `GnomonError`."""


def python_page() -> str:
    parts = [_INTRODUCTION]
    for name in gnomon.__all__:
        if name == "__version__":
            continue
        value = getattr(gnomon, name)
        parts += [f"## gnomon.{name}", _format_signature(name, value), _format_docstring(value)]
    return page("Python", *parts)


def _format_signature(name: str, value: object) -> str:
    if inspect.isclass(value):
        own = [each for each in value.__mro__ if each.__module__.startswith("gnomon")]
        public = sorted({n for each in own for n in vars(each) if not n.startswith("_")})
        return f"    class {name}: {', '.join(public)}" if public else f"    class {name}"
    assert callable(value)
    signature = inspect.signature(value)
    words = [_HIDDEN.sub("= ...", str(each)) for each in signature.parameters.values()]
    star = [at for at, each in enumerate(signature.parameters.values())
            if each.kind is inspect.Parameter.KEYWORD_ONLY]  # fmt: skip
    if star:
        words.insert(star[0], "*")
    lines = [f"    {name}(", *(f"        {word}," for word in words), "    )"]
    return "\n".join(lines) + f" -> {signature.return_annotation}"


def _format_docstring(value: object) -> str:
    """Return the docstring with its sections as lists."""
    lines: list[str] = []
    inside = ""
    for line in (inspect.getdoc(value) or "").splitlines():
        if line in {"Args:", "Raises:", "Attributes:"}:
            inside = line
            lines.append(f"**{line[:-1]}**\n")
        elif inside and line.startswith("    ") and not line.startswith("     "):
            word, _, rest = line.strip().partition(": ")
            lines.append(f"* `{word}`: {rest}" if rest else f"* {word}")
        else:
            lines.append(line.strip() if inside else line)
    return "\n".join(lines)
