"""Cost-model platforms: estimated cycles of the same program on other cores."""

from gnomon.cost.platforms._measure import (
    LIBRARY_OPTIMIZATION,
    PlatformRun,
    count_instructions,
    measure_platform,
)
from gnomon.cost.platforms._platform import (
    Platform,
    is_platform,
    list_platform_keys,
    list_platforms,
    load_platform,
)

__all__ = [
    "LIBRARY_OPTIMIZATION", "Platform", "PlatformRun", "count_instructions", "is_platform",
    "list_platform_keys", "list_platforms", "load_platform", "measure_platform",
]  # fmt: skip
