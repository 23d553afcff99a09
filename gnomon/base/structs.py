"""Structs described once: as a NumPy dtype for Python and as a declaration for a C library."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, cast

import numpy as np
import numpy.typing as npt

_COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)
_DEFINE = re.compile(r"#define (\w+) (\d+)")
_MEMBERS = re.compile(r"(\w+) (\*?)(\w+(?:, \w+)*)(?:\[(\w+)\])?;")
_STRUCT = re.compile(rf"typedef struct (\w+) {{((?:\s*{_MEMBERS.pattern})*)\s*}} \1;")
_NUMPY = {
    "int64_t": "<i8",
    "int32_t": "<i4",
    "uint32_t": "<u4",
    "uint16_t": "<u2",
    "void": "V1",  # the target of a pointer to any data
    "uint64_t": "<u8",
    "double": "<f8",
    "bool": "?",
    "uint8_t": "u1",
}


@dataclass(frozen=True)
class Field:
    """One member."""

    name: str  # in C and in the dtype
    note: str = ""  # what it holds; a comment in the header
    kind: str | Struct = "int64_t"  # C type, or a struct held inside
    count: int = 0  # elements; 0 = a single value
    pointer: bool = False  # it points to values of `kind`; Python sees the address

    @property
    def _type_name(self) -> str:
        return self.kind.name if isinstance(self.kind, Struct) else self.kind

    @property
    def target(self) -> Any:
        """Type of the value or of the target of the pointer, for NumPy."""
        return self.kind.dtype if isinstance(self.kind, Struct) else _NUMPY[self.kind]

    def declaration(self) -> str:
        """Return the C declaration of the member."""
        star = "*" if self.pointer else ""
        many = f"[{self.count}]" if self.count else ""
        note = f" /* {self.note} */" if self.note else ""
        return f"    {self._type_name} {star}{self.name}{many};{note}"

    def describe(self) -> tuple[Any, ...]:
        """Return the member of a NumPy dtype."""
        inner = "<u8" if self.pointer else self.target
        return (self.name, inner, (self.count,)) if self.count else (self.name, inner)


def int64_fields(*names: str) -> tuple[Field, ...]:
    """Return 64-bit members whose names describe them."""
    return tuple(Field(name) for name in names)


@dataclass(frozen=True)
class Struct:
    """A C struct and the NumPy dtype of the same bytes."""

    name: str
    what: str
    fields: tuple[Field, ...]

    @cached_property
    def dtype(self) -> np.dtype[np.void]:
        """Members at the offsets that C gives them."""
        return np.dtype([field.describe() for field in self.fields], align=True)

    def make(self) -> npt.NDArray[np.void]:
        """Return one struct, all zero: an array of no dimension."""
        return np.zeros((), dtype=self.dtype)

    def zeros(self, name: str, shape: int | tuple[int, ...]) -> npt.NDArray[Any]:
        """Return zeros of the type that the member of this name points to."""
        return np.zeros(shape, dtype=self._target(name))

    def array(self, name: str, values: npt.ArrayLike) -> npt.NDArray[Any]:
        """Return values as an ordered array of the type that the member of this name points to."""
        return np.ascontiguousarray(values, dtype=self._target(name))

    def _target(self, name: str) -> Any:
        return next(each.target for each in self.fields if each.name == name)

    def point(self, record: npt.NDArray[np.void], arrays: Mapping[str, npt.NDArray[Any]]) -> None:
        """Set pointers to arrays, which must live as long as the record.

        Args:
            record: an instance of this struct.
            arrays: by member; C-contiguous, of the type that the member points to.
        """
        kinds = {field.name: field for field in self.fields if field.pointer}
        for name, array in arrays.items():
            assert array.dtype == np.dtype(kinds[name].target), name
            assert array.flags.c_contiguous, name
            record[name] = array.ctypes.data

    def declaration(self) -> str:
        """Return the C declaration; the compiler checks that its size is that of the dtype."""
        lines = [f"/* {self.what} */", f"typedef struct {self.name} {{"]
        lines += [field.declaration() for field in self.fields]
        lines += [f"}} {self.name};", self.size_check()]
        return "\n".join(lines)

    def size_check(self) -> str:
        """Return a C assertion that the struct has the size of the dtype."""
        return f'_Static_assert(sizeof({self.name}) == {self.dtype.itemsize}, "{self.name}");'


def read_header(path: Path, found: dict[str, Struct], numbers: dict[str, int]) -> None:
    """Read the structs of a C header; structs with members of other kinds are skipped.

    Args:
        path: of the header; members may be numbers, known structs, pointers and arrays.
        found: structs by name; those of the header are added.
        numbers: macros that give the lengths of arrays; those of the header are added.

    Raises:
        KeyError: if a member has an unknown type, or an array an unknown length.
    """
    text = _COMMENT.sub("", path.read_text(encoding="utf-8"))
    numbers |= {name: int(value) for name, value in _DEFINE.findall(text)}
    for name, members, *_ in _STRUCT.findall(text):
        found[name] = Struct(name, path.name, tuple(
            Field(each, kind=kind if kind in _NUMPY else found[kind], pointer=bool(star),
                  count=int(count) if count.isdigit() else numbers[count] if count else 0)
            for kind, star, names, count in _MEMBERS.findall(members)
            for each in names.split(", ")
        ))  # fmt: skip


def only(array: npt.NDArray[np.void]) -> np.void:
    """Return the record of an array of no dimension: a view whose members can be set."""
    return cast("np.void", array[()])


def constants(numbers: Mapping[str, int]) -> str:
    """Return numbers that Python and C share, as C macros."""
    return "\n".join(f"#define {name} {_format_literal(value)}" for name, value in numbers.items())


def _format_literal(value: int) -> str:
    if abs(value) >= 1 << 31:
        return f"INT64_C({value})"
    return f"({value})" if value < 0 else f"{value}"
