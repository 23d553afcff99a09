"""``gnomon check``: contract checks of kernels, learners, units, devices, machines, studies."""

from collections.abc import Iterator
from functools import partial
from pathlib import Path

from gnomon.base.content import MARKERS, found, found_machines, shipped_machines
from gnomon.base.errors import Check, CheckFailed, GnomonError, did_you_mean, visible
from gnomon.base.loading import user_content_error
from gnomon.cli._answer import CommandOutput, with_json_output
from gnomon.cli._check_file import check_file
from gnomon.cli._options import Json, argument, option
from gnomon.cli._points import parse_points
from gnomon.cost.estimators import GROUPS, Quantity
from gnomon.cost.estimators import names as estimators


@with_json_output()
def check(
    names: list[str] | None = argument(
        "NAME",
        "Kernels, learners, units, devices, machines, studies or estimators; YAML files, of which"
        " only keys and values are checked; with one unit also points, such as stages=1,2.",
        None,
        shown="everything that is not shipped",
    ),
    *,
    arch: str = option("--arch", "Machine with a vector unit that runs kernels.", "t13-simd4"),
    as_json: Json = False,
) -> CommandOutput:
    """Run the contract checks of user-defined content; exit code 1 if one fails.

    A YAML file of a sweep, pipeline, deployment, budget or machine is read, and nothing runs; other
    YAML files are left out.

    A unit is checked with the defaults of its parameters and both ends of each range, or at the
    points PARAMETER=VALUE[,VALUE]... in all combinations. gnomon sweep and gnomon rtl unit name the
    points that were not checked.
    """
    texts = [each for each in names or () if "=" in each]
    given = [each for each in names or () if "=" not in each]
    files = [each for each in given if each.endswith((".yaml", ".yml"))]
    others = [each for each in given if each not in files]
    chosen = [] if files and not others else _choose_content(others, points=bool(texts))
    chosen = [("file", file) for file in files] + chosen
    points = parse_points(texts) if texts else None
    if not chosen:
        raise GnomonError("no user-defined content found (a project has a file gnomon.yaml)")
    from gnomon.arch import load_architecture

    load_architecture(arch)  # rejected before any check runs, even if no kernel is checked
    rows, last = [], ""
    for kind, name in chosen:
        for each in _list_checks(kind, name, arch, points):
            verdict, reason, found = _run_check(each, shipped=(kind, name) in _list_shipped())
            rows.append(
                {"kind": kind, "of": each.of, "check": each.name, "verdict": verdict,
                 "reason": reason, "compared": found}
            )  # fmt: skip
            if not as_json:
                said = "as above" if verdict == "failed" and reason == last else reason
                more = f": {said}" if reason else f" ({found})" if found else ""
                print(f"{verdict:<6} {kind} {each.of}: {each.name}{more}", flush=True)
            last = reason if verdict == "failed" else last
    failed = [row for row in rows if row["verdict"] == "failed"]
    yield {"checks": rows, "failed": len(failed)}, ()
    if failed:
        raise CheckFailed(f"{len(failed)} of {len(rows)} checks failed")


def _choose_content(names: list[str], *, points: bool) -> list[tuple[str, str]]:
    """Return kind and name of everything to check.

    Raises:
        GnomonError: if a name is unknown, or ``points`` are given without one unit.
    """
    own = [("machine", name) for name in found_machines()]
    own += [(kind, name) for kind in MARKERS for name in found(kind)]
    own += [(kind, name) for kind in GROUPS for name in estimators(kind)]
    if names:
        for name in names:
            known = [each for _, each in own]
            if name not in known:
                raise GnomonError(
                    "there is no kernel, learner, unit, device, machine, study or estimator"
                    f" {name!r}{did_you_mean(name, known)} (gnomon list shows all)"
                )
    chosen = [each for each in own if each[1] in names]
    if points and [kind for kind, _ in chosen] != ["units"]:
        raise GnomonError("PARAMETER=VALUE needs one unit: gnomon check UNIT stages=1,2")
    if names:
        return chosen
    return [each for each in own if each not in _list_shipped()]


def _list_shipped() -> set[tuple[str, str]]:
    """Return kind and name of all shipped content."""
    shipped = {("machine", name) for name in shipped_machines()}
    return shipped | {
        (kind, name) for kind in MARKERS for name, each in found(kind).items() if each.shipped
    }


def _run_check(each: Check, *, shipped: bool) -> tuple[str, str, str]:
    """Return the verdict, the reason if it is not ok, and what was compared if it is known."""
    if each.waived:
        return "waived", each.waived, ""
    try:
        found = each.run()
    except GnomonError as error:
        return "failed", visible(str(error)), ""
    except (Exception, SystemExit) as error:
        mistake = user_content_error(error)
        if mistake is None and shipped:
            raise
        # A value that a user's class returns can make gnomon's own code fail.
        text = mistake or f"{type(error).__name__}: {error}, from a value that its code returns"
        return "failed", visible(str(text)), ""
    return "ok", "", found if isinstance(found, str) else ""


def _list_checks(
    kind: str, name: str, arch: str, points: list[dict[str, int]] | None
) -> Iterator[Check]:
    if kind == "file":
        yield check_file(Path(name))
    elif kind == "machine":
        from gnomon.arch import load_architecture

        yield Check(name, "loads", partial(load_architecture, name))
    elif kind == "kernels":
        from gnomon.measure.kernels import check_kernel, find_kernel

        yield from check_kernel(find_kernel(name), arch)
    elif kind == "algorithms":
        from gnomon.measure.learners import check_learner

        yield from check_learner(name)
    elif kind == "units":
        from gnomon.rtl.unit_checks import list_unit_checks

        yield from list_unit_checks(name, points)
    elif kind == "devices":
        from gnomon.measure.devices import list_device_checks

        yield from list_device_checks(name)
    elif kind in GROUPS:
        yield from _estimator_checks("area" if kind == "area" else "energy", name)
    else:
        from gnomon.report.study import study_checks

        yield from study_checks(name)


def _estimator_checks(quantity: Quantity, name: str) -> Iterator[Check]:
    """Yield the checks of an estimator, on all found machines and the work of one short run."""
    from gnomon.arch import load_architecture
    from gnomon.cost.estimators import list_package_checks
    from gnomon.sim import Work

    machines = {each: load_architecture(each) for each in found_machines()}
    work = Work(1000, {"add": 100, "lw": 20, "sw": 10}, {}, 0, (0, 300, 300), 0)
    yield from list_package_checks(quantity, name, machines, work)
