"""Results as plain data, as JSON has them."""

from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from typing import Any


def plain(value: Any) -> Any:
    """By its own ``to_json``, or by its fields; numbers and texts as they are."""
    if hasattr(value, "to_json"):
        return value.to_json()
    if is_dataclass(value):
        return {each.name: plain(getattr(value, each.name)) for each in fields(value)}
    if isinstance(value, Mapping):
        return {name: plain(each) for name, each in value.items()}
    return [plain(each) for each in value] if isinstance(value, list | tuple) else value


def attributes(of: object, names: str) -> dict[str, Any]:
    """Those of these names, which stand with blanks between, each as plain data."""
    return {name: plain(getattr(of, name)) for name in names.split()}
