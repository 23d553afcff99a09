"""Studies: folders ``reports/<name>/`` whose ``study.py`` has a function ``main``.

``study.yaml`` gives the title and the command that runs the study: ``gnomon experiment`` or
``gnomon report``. ``main`` is a Typer command: its keyword arguments are the options. This module
has the options that most studies share. ``main`` runs the study, writes tables, figures and page,
and calls :func:`finish` last.
"""

from __future__ import annotations

import inspect
import json
import sys
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeVar

from pydantic import Field

from gnomon.base.content import Found, find
from gnomon.base.errors import Check, Interrupted, expect, known
from gnomon.base.files import Content, write_files
from gnomon.base.frames import csv_text
from gnomon.base.interrupt import interrupted
from gnomon.base.loading import load
from gnomon.base.options import Json as Json  # noqa: PLC0414 - for studies
from gnomon.base.options import option
from gnomon.base.progress import Steps as Steps  # noqa: PLC0414 - for studies
from gnomon.base.progress import steps_progress as steps_progress  # noqa: PLC0414 - for studies
from gnomon.base.result_cache import ResultCache
from gnomon.base.tables import Entry, check_table, read_yaml_table
from gnomon.program import find_toolchain
from gnomon.report.canvas import render
from gnomon.report.page import render_markdown

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    import pandas as pd
    from matplotlib.figure import Figure

T = TypeVar("T")

Size = Annotated[str, option("--size", "small: in seconds; full: as long as published.")]
Out = Annotated[Path | None, option("--out FOLDER", "Where the files go.", shown="out/NAME")]
Pages = Annotated[
    bool,
    option("--pages", "Measure nothing: make pages and pictures of the tables that are there."),
]
Fresh = Annotated[
    bool,
    option(
        "--fresh",
        "Compute everything; else results that an earlier run of the same code finished are"
        " taken from the cache folder.",
    ),
]


class Description(Entry):
    """``study.yaml``."""

    schema_version: Literal[1] = Field(alias="schema")
    title: str
    command: Literal["experiment", "report", "study"] = "experiment"


def describe(study: Found) -> Description:
    """Read ``study.yaml``.

    Raises:
        GnomonError: if it has an error.
    """
    return check_table(read_yaml_table(study.folder / "study.yaml"), Description)


def default_out(name: str) -> Path:
    """Return the default folder for the files of a study, which never holds committed results."""
    return Path("out") / find("reports", name).folder.name


class Keeps:
    """The caches of an experiment: for results of learners alone, and for results of machines."""

    def __init__(self, *, fresh: bool) -> None:
        self.learning = ResultCache(fresh=fresh)
        self.fresh = fresh

    @cached_property
    def measuring(self) -> ResultCache:
        """The cache of results that compilers take part in."""
        tools = tuple(find_toolchain(compiler).title for compiler in ("zig", None))
        return ResultCache(tools=tools, fresh=self.fresh)

    def tell(self) -> None:
        """Print how many results were cached by an earlier run."""
        used = [self.learning, *([self.measuring] if "measuring" in vars(self) else [])]
        found = sum(kept.found for kept in used)
        if found:
            of = f"{found} of {found + sum(kept.computed for kept in used)} results"
            said = f"gnomon: {of} are of an earlier run (--fresh computes them anew)"
            print(said, file=sys.stderr)


def size_of(name: str, sizes: Mapping[str, T]) -> T:
    """Return the settings of a size of a study, such as its numbers of rounds and seeds.

    Raises:
        GnomonError: if no size has this name.
    """
    return sizes[known("size", name, sizes)]


@contextmanager
def running(*, fresh: bool = False, title: str = "experimenting") -> Iterator[tuple[Steps, Keeps]]:
    """Provide progress and caches for a run of a study, so that an interrupted run resumes."""
    keeps = Keeps(fresh=fresh)
    try:
        with steps_progress(title) as progress:
            yield progress, keeps
    except BaseException as error:
        if not interrupted(error):
            raise
        raise Interrupted(
            "interrupted; what is finished is kept, the same command goes on from there"
        ) from None
    keeps.tell()


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
    name: str  # of the page
    # what the template shows and chooses its sentences by
    facts: Mapping[str, Any] = field(repr=False)
    tables: Mapping[str, pd.DataFrame] = field(repr=False)  # its CSV files
    # what draws each picture, of `results` where these are given
    figures: Mapping[str, Callable[..., Figure]] = field(repr=False, default_factory=dict)
    answer: Mapping[str, Any] = field(repr=False, default_factory=dict)  # what `--json` prints
    prefix: str = ""  # of the names of tables and pictures
    results: Any = field(repr=False, default=None)  # what the pictures are drawn of
    written: tuple[Path, ...] = ()  # files that are there already, to be named with the others

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
        files |= {f"{self.prefix}{name}.csv": csv_text(each) for name, each in self.tables.items()}
        for name, draw in self.figures.items():
            files[f"{self.prefix}{name}"] = render(draw, *of, told=True)
        return (*self.written, *write_files(folder, files))


def study_command(
    run: Callable[..., StudyReport],
    sizes: Mapping[str, Any] | None = None,
    *,
    title: str = "experimenting",
    watched: Callable[[], AbstractContextManager[Any]] | None = None,
) -> Callable[..., None]:
    """Return the ``main`` of a study: with common options, and keyword-only parameters of ``run``.

    Args:
        run: measures and reports. It takes ``progress`` and, if it names them, ``keeps``, with
            which an interrupted run resumes, and ``size``, the settings of the chosen size.
        sizes: the settings of each size, by name.
        title: of the progress.
        watched: gives another kind of progress than steps.
    """
    given = inspect.signature(run, eval_str=True).parameters
    keeps_results, kind = "keeps" in given, inspect.Parameter.KEYWORD_ONLY

    def common(name: str, annotation: Any, default: object) -> inspect.Parameter:
        return inspect.Parameter(name, kind, default=default, annotation=annotation)

    options = [
        *([common("size", Size, "small")] if sizes else []),
        *(each for each in given.values() if each.kind is kind and each.name != "progress"),
        common("out", Out, None),
        *([common("fresh", Fresh, default=False)] if keeps_results else []),
        common("as_json", Json, default=False),
    ]

    def main(*, out: Path | None, as_json: bool, fresh: bool = False, **more: Any) -> None:
        if sizes:
            more["size"] = size_of(more["size"], sizes)
        if keeps_results:
            with running(fresh=fresh, title=title) as (progress, keeps):
                report = run(progress=progress, keeps=keeps, **more)
        else:
            with watched() if watched else steps_progress(title) as progress:
                report = run(progress=progress, **more)
        finish(
            report.answer, report.write(out or Path("out") / report.folder.name), as_json=as_json
        )

    vars(main)["__signature__"] = inspect.Signature(options)
    main.__annotations__ = {}
    return main


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
        describe(study)
        main = getattr(load(study.folder, "study"), "main", None)
        expect(callable(main), f"{study.folder / 'study.py'}: there is no function main")

    yield Check(name, "loads", loads)
