"""Command-line pieces for the ``study.py`` of a study: shared options, and its ``main``."""

import inspect
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Annotated, Any

from gnomon.base.progress import steps_progress
from gnomon.cli._options import Cluster, Json, Overrides, option
from gnomon.report.study import StudyReport, finish, running, size_of

__all__ = ["Fresh", "Json", "Out", "Overrides", "Pages", "Size", "option", "study_command"]

Size = Annotated[str, option("--size", "small: takes seconds; full: as long as published.")]
Out = Annotated[Path | None, option("--out FOLDER", "Output folder.", shown="out/NAME")]
Pages = Annotated[
    bool,
    option("--pages", "Measure nothing; regenerate pages and figures from existing tables."),
]
Fresh = Annotated[
    bool,
    option(
        "--fresh",
        "Recompute all results; by default, cached results of an earlier run of the same code are"
        " reused.",
    ),
]


def study_command(
    run: Callable[..., StudyReport],
    sizes: Mapping[str, Any] | None = None,
    *,
    title: str = "experimenting",
    independent: bool = False,
    watched: Callable[[], AbstractContextManager[Any]] | None = None,
) -> Callable[..., None]:
    """Return the ``main`` of a study: shared options and the keyword-only parameters of ``run``.

    Args:
        run: function that measures and reports. It takes ``progress`` and, if it names them,
            ``keeps`` (the results of a stopped run) and ``size`` (the value of the chosen size).
        sizes: value of each size, by name.
        title: title of the progress display.
        independent: whether ``run`` takes its results from ``keeps.each``, so that a cluster can
            compute them.
        watched: factory of another kind of progress display than steps.
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
        *([common("cluster", Cluster, None)] if independent else []),
        common("as_json", Json, default=False),
    ]

    def main(
        *,
        out: Path | None,
        as_json: bool,
        fresh: bool = False,
        cluster: str | None = None,
        **more: Any,
    ) -> None:
        if sizes:
            more["size"] = size_of(more["size"], sizes)
        if keeps_results:
            with running(fresh=fresh, title=title, cluster=cluster) as (progress, keeps):
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
