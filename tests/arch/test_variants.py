"""Variants that are derived from checked parts are the machines that the loader gives."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gnomon.arch import Architecture, load_architecture, variants
from gnomon.base.errors import GnomonError

# Values that fit, that break a rule between sections, and that no machine can have.
VALUES = {
    "clock": ["50 MHz", "1 GHz", "0 Hz"],
    "power": ["none", "t13", "a b"],
    "area": ["none", "t13-xc7"],
    "core.harts": ["3", "4", "0"],
    "core.divider": ["restoring_r4", "none", "nothing"],
    "core.superscalar": ["true", "false"],
    "vcu": ["none"],
    "vcu.simd": ["1", "8", "3"],
    "vcu.sharing": ["shared", "multithreaded"],
    "vcu.scratchpads.base": ["0x00100000", "0x00200000", "0x80000000"],
    "memory.data.size": ["64 KiB", "4 MiB"],
    "memory.data.base": ["0x00100000", "0x80000000"],
    "memory.data.waits": ["0", "2"],
    "title": ["Another"],
}
OVERRIDES = st.lists(
    st.sampled_from([f"{name}={value}" for name, values in VALUES.items() for value in values]),
    max_size=5,
)
DERIVED = {name: variants(name) for name in ("t13-simd4", "t13", "rv32im")}


def machine_or_error(load: object, *given: object) -> Architecture | str:
    try:
        return load(*given)  # type: ignore[operator, no-any-return]
    except GnomonError as error:
        return str(error)


@given(st.sampled_from(sorted(DERIVED)), OVERRIDES)
def test_a_derived_machine_is_the_loaded_one(name: str, overrides: list[str]) -> None:
    loaded = machine_or_error(load_architecture, name, overrides)
    for _ in range(2):  # from its parts as they are checked, then from known ones
        derived = machine_or_error(DERIVED[name], overrides)
        assert derived == loaded
        if not isinstance(loaded, str) and not isinstance(derived, str):
            assert derived.fingerprint == loaded.fingerprint


def test_parts_that_fit_alone_may_not_fit_together() -> None:
    derived = variants("t13-simd4")
    base, size = "vcu.scratchpads.base=0x00140000", "memory.data.size=4 MiB"
    assert {derived([base]).name, derived([size]).name} == {"t13-simd4"}
    with pytest.raises(GnomonError, match=r"vcu\.scratchpads\.base"):
        derived([base, size])
