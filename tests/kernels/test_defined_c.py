"""The C of the kernels hangs on no compiler's flags, as ``fx.h`` promises."""

from __future__ import annotations

import pytest

from tests.program.undefined import check_defined


@pytest.mark.heavy("sanitize")  # a build for each variant
def test_kernels() -> None:
    check_defined("tests.kernels.defined_c")
