"""``gnomon deploy``: simulate a device that serves a stream of decision requests."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from gnomon.base.errors import CheckFailed, GnomonError, allowed_hint
from gnomon.cli._answer import CommandOutput, with_json_output
from gnomon.cli._options import argument, option
from gnomon.cli._view import Html

if TYPE_CHECKING:
    from gnomon.deploy import Engine


@with_json_output()
def deploy(
    spec: Path = argument(
        "SPEC.yaml", "Deployment file: requests and a learner, or stages; machine, battery."
    ),
    *,
    report: Path | None = option("--report FOLDER", "Folder for page, table and figures.", None),
    html: Html = None,
    engine: str = option(
        "--engine", "compiled: fast. simpy: slow, the same model in readable Python.", "compiled"
    ),
    check: bool = option(
        "--check", "Exit code 1 if the described deployment misses a requirement.", False
    ),
) -> CommandOutput:
    """Simulate a deployment and search for the configurations that meet its limits.

    The results are latency, missed deadlines, power and battery life. A file with stages runs
    programs, kernels and learners as a pipeline.
    """
    from gnomon.deploy import (
        ENGINES,
        is_pipeline,
        measure_service,
        read_deployment,
        search_deployment,
        simulate_deployment,
    )

    if engine not in ENGINES:
        raise GnomonError(f"--engine must not be {engine!r} {allowed_hint(engine, ENGINES)}")
    if is_pipeline(spec):
        yield from _deploy_pipeline(spec, [each for each in (report, html) if each], engine, check)
        return
    deployment = read_deployment(spec)
    service = measure_service(deployment)
    result = simulate_deployment(deployment, service, engine=engine)
    found = search_deployment(deployment, service, engine=engine)
    files: list[str] = []
    for target in filter(None, (report, html)):
        from gnomon.base.files import read_text
        from gnomon.report.deploy import DeploymentReport

        files += map(str, DeploymentReport(result, found).write(target, read_text(spec)))

    def show() -> None:
        from gnomon.report.deploy import DeploymentReport

        DeploymentReport(result, found).print()
        for name in files:
            print(name)

    yield (
        {
            "name": deployment.name,
            "engine": engine,
            "run": result.to_json(),
            "search": None if found is None else found.to_json(),
            "files": files,
        },
        show,
    )
    if check and not result.keeps:
        missed = f"{deployment.name}: requirements not met: {', '.join(result.misses)}"
        raise CheckFailed(missed + ("" if found is None else f"; {found.kept_by}"))


def _deploy_pipeline(
    spec: Path, targets: Sequence[Path], engine: "Engine", check: bool
) -> CommandOutput:
    from gnomon.base.files import read_text
    from gnomon.deploy import measure_stages, read_pipeline, simulate_pipeline
    from gnomon.report.deploy import PipelineReport

    pipeline = read_pipeline(spec)
    services = measure_stages(pipeline)
    result = simulate_pipeline(pipeline, services, engine=engine)
    longest = simulate_pipeline(pipeline, services, engine=engine, longest=True)
    found = PipelineReport(result, longest)
    files = [str(file) for target in targets for file in found.write(target, read_text(spec))]

    def show() -> None:
        found.print()
        for name in files:
            print(name)

    yield (
        {
            "name": pipeline.name,
            "engine": engine,
            "run": result.to_json(),
            "longest": longest.to_json(),
            "files": files,
        },
        show,
    )
    if check and not result.keeps:
        raise CheckFailed(f"{pipeline.name}: requirements not met: {', '.join(result.misses)}")
