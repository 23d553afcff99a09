"""Experiments that go on after a stop: where their results are kept, and what Ctrl-C leaves."""

from __future__ import annotations

import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING

from gnomon.base.errors import Interrupted
from gnomon.cli._interrupt import interrupted

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gnomon.base.kept import Kept


@contextmanager
def going_on() -> Iterator[None]:
    """Say what Ctrl-C leaves."""
    try:
        yield
    except BaseException as error:
        if not interrupted(error):
            raise
        raise Interrupted(
            "interrupted; what is finished is kept, the same command goes on from there"
        ) from None


class Keeps:
    """Where the results of an experiment are kept: of learners alone, and of machines."""

    def __init__(self, *, fresh: bool) -> None:
        from gnomon.base.kept import Kept

        self.learning = Kept(("learn",), fresh=fresh)
        self._fresh = fresh
        self._measuring: Kept | None = None

    @property
    def measuring(self) -> Kept:
        """Of what is compiled, too."""
        from gnomon.base.digest import MEASURED, MEASURING
        from gnomon.base.kept import Kept
        from gnomon.program import find_host_toolchain, find_toolchain

        if self._measuring is None:
            self._measuring = Kept(
                (*MEASURING, "report/embedded", "report/learners"),
                (*MEASURED, "arch"),
                tools=(find_toolchain("zig").title, find_host_toolchain().title),
                fresh=self._fresh,
            )
        return self._measuring

    def tell(self) -> None:
        """Say what was there before."""
        each = [self.learning, *([self._measuring] if self._measuring else [])]
        found = sum(kept.found for kept in each)
        if found:
            total = found + sum(kept.computed for kept in each)
            print(
                f"gnomon: {found} of {total} results are of an earlier run (--fresh computes them"
                " anew)",
                file=sys.stderr,
            )
