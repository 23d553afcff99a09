"""Digests of values. For the digest of sources see :mod:`gnomon.base.sources`."""

import hashlib
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from enum import Enum
from functools import lru_cache
from typing import Protocol

from gnomon.base.schema import Section


class _Hash(Protocol):
    def update(self, data: bytes, /) -> None: ...


def digest(value: object) -> str:
    """Return the SHA-256 (hexadecimal) of a value; equal only for equal values of equal types.

    Values are None, truth values, numbers, text, bytes, NumPy arrays, members of enumerations, and
    sequences, mappings, dataclasses and sections of these. The order of a mapping does not count.

    Raises:
        TypeError: if the value has another type.
    """
    whole = hashlib.sha256()
    _feed(whole, value)
    return whole.hexdigest()


def inside_of(value: object) -> dict[str, object] | None:
    """Return the fields of a dataclass or a section, by name; None for any other value."""
    if isinstance(value, Section):
        return dict(value)
    if is_dataclass(value) and not isinstance(value, type):
        return {each.name: getattr(value, each.name) for each in fields(value)}
    return None


def _feed(whole: _Hash, value: object) -> None:
    if value is None or isinstance(value, bool | int):
        _feed_part(whole, type(value).__name__, str(value).encode())
    elif isinstance(value, float):
        _feed_part(whole, "float", value.hex().encode())
    elif isinstance(value, str) and not isinstance(value, Enum):
        _feed_part(whole, "str", value.encode("utf-8", "surrogatepass"))
    elif isinstance(value, Enum):
        _feed_part(whole, "enum", f"{_get_type_name(value)}.{value.name}".encode())
    elif isinstance(value, tuple | list | range):
        _feed_part(whole, "sequence", str(len(value)).encode())
        for each in value:
            _feed(whole, each)
    elif isinstance(value, Mapping):
        _feed_part(whole, "mapping", str(len(value)).encode())
        for key in sorted(value, key=_order):
            _feed(whole, (key, value[key]))
    elif (inside := inside_of(value)) is not None:
        _feed_part(whole, "dataclass", _get_type_name(value).encode())
        for each in inside.items():
            _feed(whole, each)
    else:
        try:
            view = memoryview(value)  # type: ignore[arg-type]
        except TypeError:
            raise TypeError(f"no digest of {type(value).__name__}: {value!r}") from None
        _feed_part(whole, f"{view.format} {view.shape}", view.tobytes())


def _order(key: object) -> str:
    """Return the text by which the keys of a mapping are sorted."""
    return _order_of_text(key) if type(key) is str else digest(key)


@lru_cache(maxsize=4096)
def _order_of_text(key: str) -> str:
    return digest(key)


def _feed_part(whole: _Hash, kind: str, data: bytes) -> None:
    """Feed one part with its length, so that boundaries of parts count."""
    whole.update(f"{kind} {len(data)}\0".encode() + data)


def _get_type_name(value: object) -> str:
    return f"{type(value).__module__}.{type(value).__qualname__}"
