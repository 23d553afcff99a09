"""The power table that a machine names: its path and kind."""

import re
from functools import cache
from pathlib import Path

from gnomon.base.content import roots
from gnomon.base.errors import GnomonError, did_you_mean
from gnomon.base.files import read_text

_GATE_LEVEL = "gate-level"
_KIND = re.compile(r"^kind:\s*[\"']?([\w-]+)", re.MULTILINE)


def power_table(name_or_path: str) -> Path:
    """Return the file of a power table: by its path, or by its name in ``models/power``.

    Raises:
        GnomonError: if no content has a table of this name.
    """
    if Path(name_or_path).suffix in (".yaml", ".yml") or "/" in name_or_path:
        return Path(name_or_path)
    for root in roots():
        path = root.folder / "models" / "power" / f"{name_or_path}.yaml"
        if path.is_file():
            return path
    names = power_table_names()
    raise GnomonError(
        f"no power table is called {name_or_path!r} (known: {', '.join(names)}"
        f"{did_you_mean(name_or_path, names)}; give a user-defined table by its path, or put it"
        " into models/power of your project)"
    )


def power_table_names() -> list[str]:
    """Return the names of all power tables of ``models/power``."""
    folders = (root.folder / "models" / "power" for root in roots())
    return sorted({path.stem for folder in folders for path in folder.glob("*.yaml")})


def is_gate_level(table: Path) -> bool:
    """Return whether a power table is of kind gate-level."""
    return power_kind(table) == _GATE_LEVEL


def power_kind(table: Path) -> str:
    """Return the kind of a power table, which decides how the rest is read; empty: none stated."""
    try:
        return _read_kind(table, table.stat().st_mtime_ns)
    except (OSError, GnomonError):
        return ""  # the reader of the table reports the error


@cache
def _read_kind(table: Path, _changed_ns: int) -> str:
    found = _KIND.search(read_text(table))
    return "" if found is None else found[1]
