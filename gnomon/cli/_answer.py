"""Output of commands, human-readable or (``--json``) as one JSON value; and groups of options."""

import inspect
import json
import re
import shlex
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import fields, is_dataclass
from functools import wraps
from inspect import Parameter
from typing import Any, TypeAlias, get_type_hints

from gnomon.cli._options import Json, writes
from gnomon.cli._written import check_output_files

CommandOutput: TypeAlias = Iterator[tuple[Any, Callable[[], object] | Iterable[object]]]
"""A pair that a command yields: the JSON value (or a function that returns it), then the
human-readable lines (or a function that prints them). The code after ``yield`` raises if a check
has failed."""

_NAMED = Parameter.KEYWORD_ONLY


def with_json_output(
    indent: int | None = None,
) -> Callable[[Callable[..., CommandOutput]], Callable[..., None]]:
    """Add ``--json`` to a command, and an option for each field of its dataclass parameters."""

    def decorate(command: Callable[..., CommandOutput]) -> Callable[..., None]:
        own = inspect.signature(command, eval_str=True).parameters
        kinds = {name: each.annotation for name, each in own.items()}
        groups = {name: kind for name, kind in kinds.items() if _is_group(kind)}
        flat: list[Parameter] = []
        for name, each in own.items():
            flat += _group_options(groups[name]) if name in groups else [each]
        if "as_json" not in own:
            flat.append(Parameter("as_json", _NAMED, default=False, annotation=Json))

        outputs = [each.name for each in flat if writes(each) is not None]

        @wraps(command)
        def run(*words: Any, as_json: bool = False, **given: Any) -> None:
            given |= dict(zip(own, words, strict=False))
            if any(given.get(name) for name in outputs):
                check_output_files(flat, given)
            given |= {name: _fill_group(kind, given) for name, kind in groups.items()}
            given |= {"as_json": as_json} if "as_json" in own else {}
            for value, text in command(**given):
                if as_json:
                    data = value() if callable(value) else value
                    print(_escape_bytes(json.dumps(data, indent=indent)))
                elif callable(text):
                    text()
                else:
                    for line in text:
                        print(line)

        flat = [each.replace(kind=_NAMED) for each in flat]
        run.__signature__ = inspect.Signature(flat)  # type: ignore[attr-defined]
        run.__annotations__ = {each.name: each.annotation for each in flat}
        return run

    return decorate


# An unpaired low surrogate, from a file name that is not UTF-8; JSON readers reject it.
_NO_TEXT = re.compile(
    r"(?<!\\)((?:\\\\)*)(?<!\\ud[89ab][0-9a-f]{2})\\udc([89a-f][0-9a-f])", re.ASCII
)


def _escape_bytes(text: str) -> str:
    r"""Return JSON in which each byte of a name that is not UTF-8 is written as ``\xff``."""
    return _NO_TEXT.sub(r"\1\\\\x\2", text) if "\\udc" in text else text


def as_typed(options: Mapping[str, Any], usual: Mapping[str, str] | None = None) -> list[str]:
    """Return options as a user types them, without None, False and the values in ``usual``."""
    words = []
    for name, value in options.items():
        for each in value if isinstance(value, list | tuple) else [value]:
            if each is True:
                words.append(name)
            elif each is not None and each is not False and each != (usual or {}).get(name):
                words.append(f"{name} {shlex.quote(str(each))}")
    return words


def _is_group(kind: Any) -> bool:
    return isinstance(kind, type) and is_dataclass(kind)


def _group_options(group: Any) -> Iterator[Parameter]:
    hints = get_type_hints(group, include_extras=True)
    for name, each in inspect.signature(group).parameters.items():
        if _is_group(hints[name]):
            yield from _group_options(hints[name])
        else:
            yield each.replace(annotation=hints[name])


def _fill_group(group: Any, given: dict[str, Any]) -> Any:
    """Return an object of the class ``group``; its options are removed from ``given``."""
    hints = get_type_hints(group)
    names = [each.name for each in fields(group)]
    return group(
        **{n: _fill_group(hints[n], given) if _is_group(hints[n]) else given.pop(n) for n in names}
    )
