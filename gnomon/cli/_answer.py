"""Commands that answer: for people, or with ``--json`` as one JSON value; and groups of options."""

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
from gnomon.cli._written import check_written

Answer: TypeAlias = Iterator[tuple[Any, Callable[[], object] | Iterable[object]]]
"""What a command yields: the value that ``--json`` prints or a function that gives it, then what
prints it for people or its lines. What is behind the ``yield`` says whether a check has failed."""

_NAMED = Parameter.KEYWORD_ONLY


def answers(indent: int | None = None) -> Callable[[Callable[..., Answer]], Callable[..., None]]:
    """Give a command ``--json``, and for each dataclass that it takes an option for each field."""

    def made(command: Callable[..., Answer]) -> Callable[..., None]:
        own = inspect.signature(command, eval_str=True).parameters
        kinds = {name: each.annotation for name, each in own.items()}
        groups = {name: kind for name, kind in kinds.items() if _is_group(kind)}
        flat = [one for name, each in own.items()
                for one in (_options(groups[name]) if name in groups else [each])]  # fmt: skip
        if "as_json" not in own:
            flat.append(Parameter("as_json", _NAMED, default=False, annotation=Json))

        outputs = [each.name for each in flat if writes(each) is not None]

        @wraps(command)
        def run(*words: Any, as_json: bool = False, **given: Any) -> None:
            given |= dict(zip(own, words, strict=False))
            if any(given.get(name) for name in outputs):
                check_written(flat, given)
            given |= {name: _filled(kind, given) for name, kind in groups.items()}
            given |= {"as_json": as_json} if "as_json" in own else {}
            for told, text in command(**given):
                if as_json:
                    print(_valid(json.dumps(told() if callable(told) else told, indent=indent)))
                elif callable(text):
                    text()
                else:
                    for line in text:
                        print(line)

        flat = [each.replace(kind=_NAMED) for each in flat]
        run.__signature__ = inspect.Signature(flat)  # type: ignore[attr-defined]
        run.__annotations__ = {each.name: each.annotation for each in flat}
        return run

    return made


# Of a file name that is no UTF-8: a low surrogate on its own, which JSON readers refuse.
_NO_TEXT = re.compile(
    r"(?<!\\)((?:\\\\)*)(?<!\\ud[89ab][0-9a-f]{2})\\udc([89a-f][0-9a-f])", re.ASCII
)


def _valid(text: str) -> str:
    r"""Return JSON whose texts are Unicode: bytes of names that are none as ``\xff``."""
    return _NO_TEXT.sub(r"\1\\\\x\2", text) if "\\udc" in text else text


def as_typed(options: Mapping[str, Any], usual: Mapping[str, str] | None = None) -> list[str]:
    """Options as they are typed; None, False and what is usual are left out."""
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


def _options(group: Any) -> Iterator[Parameter]:
    hints = get_type_hints(group, include_extras=True)
    for name, each in inspect.signature(group).parameters.items():
        if _is_group(hints[name]):
            yield from _options(hints[name])
        else:
            yield each.replace(annotation=hints[name])


def _filled(group: Any, given: dict[str, Any]) -> Any:
    """An object of a group, whose options are taken from those given."""
    hints = get_type_hints(group)
    names = [each.name for each in fields(group)]
    return group(
        **{n: _filled(hints[n], given) if _is_group(hints[n]) else given.pop(n) for n in names}
    )
