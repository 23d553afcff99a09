"""A cache folder of its own for these tests, and small programs to build."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from gnomon.arch import Architecture, load_architecture
from gnomon.base.cache import cache_folder

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@pytest.fixture(scope="session")
def compiler_cache() -> Path:
    """Where zig keeps its own library, which takes seconds to build: shared with other runs."""
    return cache_folder("zig")


@pytest.fixture(autouse=True)
def cache(
    tmp_path_factory: pytest.TempPathFactory,
    compiler_cache: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> Iterator[Path]:
    """An empty cache of builds."""
    folder = tmp_path_factory.mktemp("cache")
    (folder / "zig").symlink_to(compiler_cache)
    monkeypatch.setenv("GNOMON_CACHE", str(folder))
    yield folder
    assert not list(folder.rglob(".aside*"))


@pytest.fixture(scope="session")
def t13() -> Architecture:
    return load_architecture("t13-simd4")


@pytest.fixture(scope="session")
def rv32im() -> Architecture:
    return load_architecture("rv32im")


@pytest.fixture
def source(tmp_path: Path) -> Path:
    """A program with code, constants, data and zeroed data, and a call into compiler libraries."""
    folder = tmp_path / "src"
    folder.mkdir()
    path = folder / "sum.c"
    path.write_text(
        '#include "gnomon.h"\n'
        "static const int weights[4] = {2, 3, 5, 7};\n"
        "int values[4] = {1, 2, 3, 4};\n"
        "int64_t result;\n"
        "GNOMON_REGION int64_t divide(int64_t a, int64_t b) { return a / b; }\n"
        "int main(int hart)\n"
        "{\n"
        "    int64_t sum = 0;\n"
        "    GNOMON_MARK(begin);\n"
        "    for (int i = 0; i < 4; i++)\n"
        "        sum += (int64_t)weights[(i + hart) & 3] * values[(i + hart) & 3];\n"
        "    GNOMON_MARK(end);\n"
        "    result = divide(sum, hart + 2);\n"
        "    gnomon_print((uint32_t)result);\n"
        "    return (int)result;\n"
        "}\n"
    )
    return path
