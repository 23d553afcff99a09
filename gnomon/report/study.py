"""Studies: folders ``reports/<name>/`` whose ``study.py`` has a function ``main``.

``study.yaml`` gives the title and the command that runs the study: ``gnomon experiment`` or
``gnomon report``. ``main`` is a Typer command: its keyword arguments are the options; those
that most studies share are in :mod:`gnomon.cli.study`. ``main`` runs the study, writes tables,
figures and page, and calls :func:`finish` last.
"""

from __future__ import annotations

import json
import sys
from contextlib import closing, contextmanager, nullcontext
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from gnomon.base.cluster import Cluster
from gnomon.base.content import find
from gnomon.base.errors import Check, Interrupted, expect, require_known
from gnomon.base.files import Content, write_files
from gnomon.base.frames import csv_text, packed_csv
from gnomon.base.interrupt import interrupted
from gnomon.base.loading import import_content_module
from gnomon.base.progress import Steps as Steps  # noqa: PLC0414 - for studies
from gnomon.base.progress import steps_progress as steps_progress  # noqa: PLC0414 - for studies
from gnomon.base.result_cache import ResultCache
from gnomon.program import find_toolchain
from gnomon.report.canvas import render
from gnomon.report.page import render_markdown
from gnomon.report.study_file import read_study

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Mapping, Sequence

    import pandas as pd
    from matplotlib.figure import Figure

T = TypeVar("T")


def default_out(name: str) -> Path:
    """Return the default folder for the files of a study, which never holds committed results."""
    return Path("out") / find("reports", name).folder.name


class Keeps:
    """Caches of an experiment: for results of learners alone, and for results on machines."""

    def __init__(self, *, fresh: bool, cluster: Cluster | None = None) -> None:
        self.learning = ResultCache(fresh=fresh, cluster=cluster)
        self.fresh, self._cluster = fresh, cluster

    @cached_property
    def measuring(self) -> ResultCache:
        """Cache of results that depend on compilers."""
        return ResultCache(find_tools=_find_compilers, fresh=self.fresh, cluster=self._cluster)

    def print_reuse(self) -> None:
        """Print how many results were cached by an earlier run."""
        used = [self.learning, *([self.measuring] if "measuring" in vars(self) else [])]
        found = sum(cache.found for cache in used)
        if found:
            of = f"{found} of {found + sum(cache.computed for cache in used)} results"
            text = f"gnomon: {of} are of an earlier run (--fresh computes them again)"
            print(text, file=sys.stderr)


def _find_compilers() -> tuple[str, ...]:
    return tuple(find_toolchain(compiler).title for compiler in ("zig", None))


def size_of(name: str, sizes: Mapping[str, T]) -> T:
    """Return the settings of a size of a study, such as its numbers of rounds and seeds.

    Raises:
        GnomonError: if no size has this name.
    """
    return sizes[require_known("size", name, sizes)]


@contextmanager
def running(
    *, fresh: bool = False, title: str = "experimenting", cluster: str | None = None
) -> Iterator[tuple[Steps, Keeps]]:
    """Provide progress and caches for a run of a study, so that an interrupted run resumes.

    ``cluster`` is the address of a Dask scheduler, whose workers compute independent results.
    """
    try:
        with (
            closing(Cluster(cluster)) if cluster else nullcontext() as workers,
            steps_progress(title) as progress,
        ):
            keeps = Keeps(fresh=fresh, cluster=workers)
            yield progress, keeps
    except BaseException as error:
        if not interrupted(error):
            raise
        raise Interrupted(
            "interrupted; finished results are cached, rerun the same command to resume"
        ) from None
    keeps.print_reuse()


def study_page(folder: Path, **facts: Any) -> str:
    """Render the page of a study from its template ``page.md.j2``.

    :mod:`gnomon.report.page` describes the templates.

    Raises:
        GnomonError: if the template has an error or a name is missing, with ``file:line``.
    """
    return render_markdown(folder, "page.md.j2", facts)


@dataclass(frozen=True, slots=True)
class StudyReport:
    """The results of a study, ready to be written; the same results give the same bytes."""

    folder: Path  # of the study, with its template
    name: str  # name of the page
    # values of the template, which select its sentences
    facts: Mapping[str, Any] = field(repr=False)
    tables: Mapping[str, pd.DataFrame] = field(repr=False)  # its CSV files
    # functions that draw the pictures, from `results` if given
    figures: Mapping[str, Callable[..., Figure]] = field(repr=False, default_factory=dict)
    answer: Mapping[str, Any] = field(repr=False, default_factory=dict)  # output of `--json`
    prefix: str = ""  # prefix of the names of tables and pictures
    results: Any = field(repr=False, default=None)  # input of the pictures
    written: tuple[Path, ...] = ()  # existing files, to be listed with the others
    packed: Collection[str] = ()  # names of large tables, which xz compresses

    def page(self) -> str:
        """Render the page in Markdown."""
        return study_page(self.folder, **self.facts)

    def write(self, folder: Path) -> tuple[Path, ...]:
        """Write page, tables and pictures, and return the paths of all files.

        Raises:
            GnomonError: if a file cannot be written.
        """
        of = () if self.results is None else (self.results,)
        files: dict[str, Content] = {f"{self.name}.md": self.page()}
        files |= dict(self._table(name) for name in self.tables)
        for name, draw in self.figures.items():
            files[f"{self.prefix}{name}"] = render(draw, *of, with_values=True)
        return (*self.written, *write_files(folder, files))

    def _table(self, name: str) -> tuple[str, Content]:
        """Return the file of a table: its name and its content."""
        file, table = f"{self.prefix}{name}.csv", self.tables[name]
        return (f"{file}.xz", packed_csv(table)) if name in self.packed else (file, csv_text(table))


def finish(results: Mapping[str, Any], paths: Sequence[Path], *, as_json: bool) -> None:
    """Print the paths of the files; with ``--json`` also the results."""
    if as_json:
        print(json.dumps({**results, "files": [str(path) for path in paths]}))
        return
    for path in paths:
        print(path)


def study_checks(name: str) -> Iterator[Check]:
    """Yield the checks of a study: ``study.yaml`` is valid, ``study.py`` loads and has a ``main``.

    Raises:
        GnomonError: if there is no such study.
    """
    study = find("reports", name)

    def loads() -> None:
        read_study(study)
        main = getattr(import_content_module(study.folder, "study"), "main", None)
        expect(callable(main), f"{study.folder / 'study.py'}: function main is missing")

    yield Check(name, "loads", loads)
