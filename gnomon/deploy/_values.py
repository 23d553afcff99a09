"""Values of a deployment file: words, numbers, quantities, figures with their source."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, TypeVar, cast

from gnomon.base.errors import GnomonError, did_you_mean
from gnomon.base.yaml import shown
from gnomon.deploy._keys import SECTIONS
from gnomon.deploy._quantities import NOT_INCLUDED, Sourced, parse_quantity

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping
    from fractions import Fraction
    from pathlib import Path

    from gnomon.explore._checker import Checker

_Word = TypeVar("_Word", bound=str)
_LONGEST_PS = 2**61


class ValueReader:
    """Reads values; a problem is noted at its line and a harmless value goes on."""

    def __init__(self, checker: Checker, folder: Path) -> None:
        """``folder`` is where relative paths start."""
        self.checker, self.folder = checker, folder

    def part(self, name: str) -> Mapping[str, Any]:
        """A section whose keys are known, and whose required ones are there."""
        section = self.checker.section(name)
        self.checker.keys(section, tuple(SECTIONS[name]), name)
        if self.checker.raw.get(name) is not None:
            for key, about in SECTIONS[name].items():
                if about.required and section.get(key) is None:
                    self.checker.wrong(f"{key} is missing: {about.meaning}", name)
        return section

    def placed(self, arch: str) -> str:
        is_path = "/" in arch or arch.endswith((".yaml", ".yml"))
        return os.path.normpath(self.folder / arch) if is_path else arch

    def word(
        self,
        section: Mapping[str, Any],
        where: str,
        key: str,
        allowed: Collection[_Word],
        default: _Word,
    ) -> _Word:
        value = section.get(key, default)
        if value not in allowed:
            near = did_you_mean(value, allowed) if isinstance(value, str) else ""
            self.checker.wrong(f"must not be {shown(value)} (allowed: {', '.join(allowed)}{near})",
                               where, key)  # fmt: skip
            return default
        return cast("_Word", value)

    def whole(
        self,
        section: Mapping[str, Any],
        where: str,
        key: str,
        *,
        limits: tuple[int, int],
        default: int,
        or_word: str = "",
    ) -> int:
        least, most = limits
        value = section.get(key, default)
        if key in section and (type(value) is not int or not least <= value <= most):
            other = f", or {or_word}" if or_word else ""
            self.checker.wrong(f"must be a whole number from {least} to {most:,}{other}, not"
                               f" {shown(value)}", where, key)  # fmt: skip
            return default
        return cast("int", value)

    def amount(self, value: Any, kinds: tuple[str, ...], *path: str) -> Fraction | None:
        try:
            return parse_quantity(value, *kinds)[0]
        except GnomonError as error:
            self.checker.wrong(str(error), *path)
            return None

    def ps(self, value: Any, *path: str, none: bool = False, least: int = 0) -> int | None:
        if value is None and none:
            return None
        amount = self.amount(value, ("time",), *path)
        if amount is None:
            return None
        if not least <= amount <= _LONGEST_PS:
            self.checker.wrong(f"must be from {least} ps to 26 days, not {shown(value)}", *path)
            return None
        return round(amount)

    def figure(
        self,
        section: Mapping[str, Any],
        where: str,
        key: str,
        *kinds: str,
        needed: bool = False,
        also: tuple[str, ...] = (),
    ) -> Sourced:
        """A value with its source; ``not included`` counts as nothing, and is shown as that."""
        given = section.get(key)
        nothing = Sourced(None)
        if given is None or (given == NOT_INCLUDED and not needed):
            return nothing
        words = [f"'{word}'" for word in (*also, *(() if needed else (NOT_INCLUDED,)))]
        if not isinstance(given, dict):
            others = f", or {', '.join(words)}" if words else ""
            self.checker.wrong(
                f"must be {{value: ..., source: ...}}{others}, not {shown(given)}: gnomon invents"
                " no such figure",
                where,
                key,
            )
            return nothing
        self.checker.keys(given, ("value", "source"), where, key)
        source = given.get("source")
        if not isinstance(source, str) or not source.strip():
            self.checker.wrong("source is missing: where this figure is from", where, key)
        if given.get("value") is None:
            self.checker.wrong("value is missing", where, key)
            return nothing
        amount = self.amount(given["value"], kinds, where, key, "value")
        if amount is None:
            return nothing
        if kinds == ("time",) and amount > _LONGEST_PS:
            self.checker.wrong("must not be longer than 26 days", where, key, "value")
            return nothing
        if kinds == ("share",) and amount > 1:
            self.checker.wrong("must not be more than 100 %", where, key, "value")
        return Sourced(float(amount), " ".join(str(source).split()), str(given["value"]).strip())
