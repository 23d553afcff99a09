"""C of users that must keep no data of its own: runs would depend on earlier ones."""

import ctypes
from typing import Final

BEGIN: Final = """\
#if defined(__clang__) && defined(__ELF__)
#pragma clang section bss="own_bss" data="own_data"
#endif
"""
"""Text before the C of users."""

END: Final = """\
#if defined(__clang__) && defined(__ELF__)
#pragma clang section bss="" data=""
#define WEAK __attribute__((weak))
extern const char __start_own_bss[] WEAK, __stop_own_bss[] WEAK;
extern const char __start_own_data[] WEAK, __stop_own_data[] WEAK;
#define OWN_DATA (__stop_own_bss - __start_own_bss + __stop_own_data - __start_own_data)
#else
#define OWN_DATA 0
#endif
/* Bytes besides their state that the C of users can change: results would depend on past runs. */
EXPORT int64_t own_data_bytes(void);
EXPORT int64_t own_data_bytes(void) { return OWN_DATA; }
"""
"""Text after it."""


def describe_own_data(library: ctypes.CDLL) -> str:
    """Return which data of its own the C of a library can change; empty: none."""
    count = library.own_data_bytes()
    if not count:
        return ""
    return (
        f"has {count} bytes of static or global variables that are not const: runs would depend on"
        " earlier ones; declare them const, or use state"
    )
