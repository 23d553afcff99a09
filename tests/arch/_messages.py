"""The messages that a machine file causes."""

from __future__ import annotations

from pathlib import Path

import pytest

from gnomon.arch import list_architectures, load_architecture
from gnomon.arch.dividers import Divider
from gnomon.base.errors import GnomonError
from gnomon.base.yaml import FileError

DIVIDERS = ", ".join(Divider.by_name())
SHIPPED = ", ".join(list_architectures())


def errors_of(text: str | bytes, name: str = "m.yaml") -> list[str]:
    Path(name).write_bytes(text.encode() if isinstance(text, str) else text)
    with pytest.raises(GnomonError) as caught:
        load_architecture(name)
    return str(caught.value).splitlines()


def errors_with(machine: str, *overrides: str) -> list[str]:
    with pytest.raises(FileError) as caught:
        load_architecture(machine, overrides)
    return str(caught.value).splitlines()


def child(body: str, base: str = "t13-simd4") -> str:
    return f"extends: {base}\nname: mine\ntitle: Mine\n{body}"
