"""Power tables of every kind by name or path."""

from functools import cache
from pathlib import Path

from gnomon.arch import power_kind, power_table
from gnomon.base.errors import GnomonError, allowed_hint
from gnomon.base.tables import check_table, read_yaml_table
from gnomon.cost.energy._gate_table import GATE_LEVEL, GateTable, load_gate_table
from gnomon.cost.energy._power_table import FPGA_CALIBRATED, PowerTable
from gnomon.cost.energy._stated_table import STATED, StatedTable

KINDS = (FPGA_CALIBRATED, GATE_LEVEL, STATED)


def load_table(name_or_path: str) -> PowerTable | GateTable | StatedTable:
    """Load a table of any kind, see :meth:`PowerTable.load`.

    Raises:
        GnomonError: see :meth:`PowerTable.load`; or no table is of this kind.
    """
    path = power_table(name_or_path)
    _forget_changed(path)
    kind = power_kind(path)
    if kind == STATED:
        return _load_stated_table(path)
    if kind and kind not in KINDS:
        origin = read_yaml_table(path, "power table").origin("kind")
        raise GnomonError(f"{origin}: kind: must not be {kind!r} {allowed_hint(kind, KINDS)}")
    return load_gate_table(path) or PowerTable.load(str(path))


_stamps = dict[Path, tuple[int, int, int]]()  # of the files that were read


def _forget_changed(path: Path) -> None:
    """Forget the tables in memory if a file was written again since it was read."""
    status = path.stat()
    stamp = (status.st_mtime_ns, status.st_size, status.st_ino)
    if _stamps.setdefault(path, stamp) != stamp:
        _stamps[path] = stamp
        for read in (_load_stated_table, load_gate_table, PowerTable.load):
            read.cache_clear()


@cache
def _load_stated_table(path: Path) -> StatedTable:
    return check_table(read_yaml_table(path, "power table"), StatedTable)
