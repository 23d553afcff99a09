"""``gnomon check``: the contract of kernels, learners, machines, studies and estimators."""

from collections.abc import Iterator
from functools import partial

from gnomon.base.content import MARKERS, found, found_machines, shipped_machines
from gnomon.base.errors import Check, CheckFailed, GnomonError, require_known
from gnomon.base.loading import user_content_error
from gnomon.cli._answer import Answer, answers
from gnomon.cli._options import Json, argument, option
from gnomon.cost.estimators import GROUPS, Quantity
from gnomon.cost.estimators import names as estimators


@answers()
def check(
    names: list[str] | None = argument(
        "NAME",
        "Kernels, learners, machines, studies, estimators.",
        None,
        shown="everything that is not shipped",
    ),
    *,
    arch: str = option("--arch", "The machine with a vector unit that runs kernels.", "t13-simd4"),
    as_json: Json = False,
) -> Answer:
    """Run the contract checks of kernels, learners and others; exit code 1: one fails."""
    chosen = _chosen(names)
    if not chosen:
        raise GnomonError("nothing of yours is found here (a project has a file gnomon.yaml)")
    from gnomon.arch import load_architecture

    load_architecture(arch)  # refused before anything runs, also where no kernel is asked for
    rows = []
    for kind, name in chosen:
        for each in _checks(kind, name, arch):
            verdict, reason = _verdict(each, shipped=(kind, name) in _shipped())
            rows.append(
                {"kind": kind, "of": each.of, "check": each.name, "verdict": verdict,
                 "reason": reason}
            )  # fmt: skip
            if not as_json:
                more = f": {reason}" if reason else ""
                print(f"{verdict:<6} {kind} {each.of}: {each.name}{more}", flush=True)
    failed = [row for row in rows if row["verdict"] == "failed"]
    yield {"checks": rows, "failed": len(failed)}, ()
    if failed:
        raise CheckFailed(f"{len(failed)} of {len(rows)} checks failed")


def _chosen(names: list[str] | None) -> list[tuple[str, str]]:
    """What is asked for: kind and name."""
    own = [("machine", name) for name in found_machines()]
    own += [(kind, name) for kind in MARKERS for name in found(kind)]
    own += [(kind, name) for kind in GROUPS for name in estimators(kind)]
    if names:
        for name in names:
            require_known(
                "kernel, learner, machine, study or estimator", name, [each for _, each in own]
            )
        return [each for each in own if each[1] in names]
    return [each for each in own if each not in _shipped()]


def _shipped() -> set[tuple[str, str]]:
    """Kind and name of all that gnomon ships."""
    shipped = {("machine", name) for name in shipped_machines()}
    return shipped | {
        (kind, name) for kind in MARKERS for name, each in found(kind).items() if each.shipped
    }


def _verdict(each: Check, *, shipped: bool) -> tuple[str, str]:
    if each.waived:
        return "waived", each.waived
    try:
        each.run()
    except GnomonError as error:
        return "failed", str(error)
    except (Exception, SystemExit) as error:
        mistake = user_content_error(error)
        if mistake is None and shipped:
            raise
        # What a user's class gives back can make gnomon's own code fail.
        told = mistake or f"{type(error).__name__}: {error}, from what its code gives"
        return "failed", str(told)
    return "ok", ""


def _checks(kind: str, name: str, arch: str) -> Iterator[Check]:
    if kind == "machine":
        from gnomon.arch import load_architecture

        yield Check(name, "loads", partial(load_architecture, name))
    elif kind == "kernels":
        from gnomon.measure.kernels import check_kernel, find_kernel

        yield from check_kernel(find_kernel(name), arch)
    elif kind == "algorithms":
        from gnomon.measure.learners import check_learner

        yield from check_learner(name)
    elif kind in GROUPS:
        yield from _estimator_checks("area" if kind == "area" else "energy", name)
    else:
        from gnomon.report.study import study_checks

        yield from study_checks(name)


def _estimator_checks(quantity: Quantity, name: str) -> Iterator[Check]:
    """On all machines that are found, with the work of an idle thousand cycles and some sums."""
    from gnomon.arch import load_architecture
    from gnomon.cost.estimators import list_package_checks
    from gnomon.sim import Work

    machines = {each: load_architecture(each) for each in found_machines()}
    work = Work(1000, {"add": 100, "lw": 20, "sw": 10}, {}, 0, (0, 300, 300), 0)
    yield from list_package_checks(quantity, name, machines, work)
