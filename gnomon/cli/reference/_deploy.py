"""Every key of a deployment file, every quantity that can be required."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gnomon.base.schema import own_keys, section_at
from gnomon.cli.reference._markdown import code, page, table
from gnomon.deploy.file import NOT_OF_DEPLOYMENTS, OBJECTIVES, DeploymentFile
from gnomon.deploy.quantities import KINDS, QUANTITIES
from gnomon.deploy.streams import ARRIVALS, DELAYS, SERVICES

if TYPE_CHECKING:
    from collections.abc import Mapping

    from gnomon.base.schema import Section

_INTRODUCTION = """\
A deployment is one YAML file for `gnomon deploy`; [docs/exploring.md](../exploring.md) says what it
does.
A quantity is a number and its unit. A figure that no run of gnomon can give is written as
`{value: 100 us, source: where it is from}`, or as `not included`; then results say so."""
_LEARNER = (
    "And the [settings of a learner](sweep.md), except"
    f" {', '.join(f'`{name}`' for name in NOT_OF_DEPLOYMENTS)}; `case` is `random` by default."
)


def deployment_page() -> str:
    """The page as Markdown."""
    parts = [_INTRODUCTION]
    parts += ["## Keys", _keys(DeploymentFile)]
    for name in ("learner", "requests", "rewards", "device", "power", "sleep", "battery", "search"):
        section = section_at(DeploymentFile, [name])
        assert section is not None
        parts += [f"## {name}", _keys(section)]
        if name == "learner":
            parts.append(_LEARNER)
    words: dict[str, Mapping[str, str]] = {
        "requests.arrivals": {str(word): text for word, text in ARRIVALS.items()},
        "rewards.kind": {str(word): text for word, text in DELAYS.items()},
        "learner.service": SERVICES,
        "search.objective": OBJECTIVES,
    }
    parts.append("## Words")
    parts.append(
        table(
            ("key", "word", "meaning"),
            [
                (code(key), code(word), text)
                for key, of_key in words.items()
                for word, text in of_key.items()
            ],
        )
    )
    parts += ["## Quantities that can be required"]
    parts.append(
        table(
            ("quantity", "kind", "meaning"),
            [(code(name), kind, text) for name, (kind, text) in QUANTITIES.items()],
        )
    )
    parts += ["## Units", table(("kind", "units"), [(k, ", ".join(u)) for k, u in KINDS.items()])]
    return page("Keys of a deployment", *parts)


def _keys(kind: type[Section]) -> str:
    rows = [
        (code(each.path), "required" if each.required else code(each.shown_default), each.meaning)
        for each in own_keys(kind)
    ]
    return table(("key", "default", "meaning"), rows)
