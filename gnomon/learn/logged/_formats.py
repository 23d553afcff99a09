"""Log formats by name: the files of a log in a folder, and their reader."""

import re
from pathlib import Path

from gnomon.base.errors import GnomonError, require_known
from gnomon.learn.logged._log import ClickLog
from gnomon.learn.logged._open_bandit_log import ITEMS, OpenBanditLog
from gnomon.learn.logged._yahoo import Version, YahooLog

FORMATS = {
    "yahoo-r6a": "Yahoo! Front Page Today Module 1.0 (2009): users and articles have features",
    "yahoo-r6b": "Yahoo! Front Page Today Module 2.0 (2011): users have features",
    "open-bandit": f"Open Bandit Dataset (ZOZOTOWN): CAMPAIGN.csv next to {ITEMS}",
}
_VERSIONS: dict[str, tuple[Version, str]] = {
    "yahoo-r6a": ("r6a", r"ydata-fp-td-clicks-v1_0\.\d{8}(\.gz)?"),
    "yahoo-r6b": ("r6b", r"ydata-fp-td-clicks-v2_0\.\d{8}(\.gz)?"),
}


def open_log(path: Path, log_format: str, *, skip_malformed: bool = False) -> ClickLog:
    """Return a log, from its file or its folder.

    Args:
        path: for Yahoo one file, or a folder with the files of the days under their original names;
            for Open Bandit ``CAMPAIGN.csv``, or its folder.
        log_format: one of ``FORMATS``.
        skip_malformed: whether to skip and count malformed lines.

    Raises:
        GnomonError: if no such format or file exists, or the folder does not hold exactly one log.
    """
    require_known("format", log_format, FORMATS)
    if not path.exists():
        raise GnomonError(f"{path}: there is no such file or folder")
    if log_format in _VERSIONS:
        version, pattern = _VERSIONS[log_format]
        days = _days(path, pattern) if path.is_dir() else (path,)
        return YahooLog(days, version, skip_malformed=skip_malformed)
    return OpenBanditLog(_campaign(path) if path.is_dir() else path, skip_malformed=skip_malformed)


def _days(folder: Path, pattern: str) -> tuple[Path, ...]:
    days: dict[str, Path] = {}
    for path in sorted(folder.iterdir()):
        if not re.fullmatch(pattern, path.name):
            continue
        day = path.name.removesuffix(".gz")
        if day in days:
            raise GnomonError(f"{folder}: holds {day} twice, plain and compressed")
        days[day] = path
    if not days:
        raise GnomonError(
            f"{folder}: holds no file like"
            f" {pattern.replace(chr(92), '').replace('d{8}(.gz)?', 'YYYYMMDD.gz')}"
        )
    return tuple(days.values())


def _campaign(folder: Path) -> Path:
    logs = [
        path
        for items in sorted(folder.rglob(ITEMS))
        for path in sorted(items.parent.iterdir())
        if re.search(r"\.csv(\.gz)?$", path.name) and path.name != ITEMS
    ]
    if not logs:
        raise GnomonError(f"{folder}: holds no CSV file with {ITEMS} next to it")
    if len(logs) > 1:
        names = ", ".join(path.relative_to(folder).as_posix() for path in logs)
        raise GnomonError(f"{folder}: holds more than one log; give one of {names}")
    return logs[0]
