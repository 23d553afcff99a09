"""Names of a package that are imported when they are first used."""

import sys
from collections.abc import Callable, Mapping
from importlib import import_module
from operator import attrgetter
from typing import Any


def late(package: str, names: Mapping[str, str]) -> Callable[[str], Any]:
    """The ``__getattr__`` of a package whose names take longer to import than a short run takes.

    Checkers of types see the same names imported under ``TYPE_CHECKING``; set the result where
    they do not look, or they would take every name for known.

    Args:
        package: its ``__name__``.
        names: by name, the module of the package that has it; ``module:own`` if as ``own`` there,
            which may be a method, ``Class.name``.
    """

    def get(name: str) -> Any:
        if name not in names:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        module, _, own = names[name].partition(":")
        value = attrgetter(own or name)(import_module(f"{package}.{module}"))
        setattr(sys.modules[package], name, value)
        return value

    return get
