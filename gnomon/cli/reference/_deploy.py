"""Every key of a deployment file, every quantity that can be required."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gnomon.cli.reference._markdown import code, page, table
from gnomon.deploy._keys import LEARNER_KEYS, NOT_OF_DEPLOYMENTS, SECTIONS
from gnomon.deploy._quantities import KINDS
from gnomon.deploy._require import QUANTITIES
from gnomon.deploy._spec import OBJECTIVES
from gnomon.deploy._streams import ARRIVALS, DELAYS, SERVICES

if TYPE_CHECKING:
    from collections.abc import Mapping

    from gnomon.deploy._keys import Key

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
    for name, keys in SECTIONS.items():
        parts += [f"## {name or 'Keys'}", _keys(keys)]
        if not name:
            parts += ["## learner", _keys(LEARNER_KEYS), _LEARNER]
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


def _keys(keys: Mapping[str, Key]) -> str:
    rows = [
        (code(name), "required" if key.required else code(key.default), key.meaning)
        for name, key in keys.items()
    ]
    return table(("key", "default", "meaning"), rows)
