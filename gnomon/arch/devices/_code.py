"""The C of devices as a library: what a device may call, its functions, and their table."""

from typing import Final

from gnomon.arch.devices._device import DeviceCode
from gnomon.base import stateless

HOST_BYTES: Final = 64
"""Before the state of a device: what its calls need."""

FUNCTIONS: Final = ("read", "write", "next", "level", "step")
"""In the order of the table of a library; 0: the device does not have it."""

_PRELUDE: Final = """\
#define DEVICE_NEVER UINT64_MAX
/* What the calls of a device need: before its state. */
typedef struct DeviceHost {
    void *machine;
    int64_t number;
    void (*print)(void *machine, int64_t number, uint32_t byte);
    uint32_t (*load)(void *machine, int64_t number, uint32_t address);
    void (*store)(void *machine, int64_t number, uint32_t address, uint32_t value, uint32_t lanes);
    int64_t (*waits)(void *machine, int64_t number, uint32_t address);
    uint64_t unused[2];
} DeviceHost;
#define DEVICE_HOST const DeviceHost *const host = (const DeviceHost *)(const void *)device - 1
#define DEVICE_CALL static inline __attribute__((unused))
/* Add a byte to the text that the run prints. */
DEVICE_CALL void device_print(const void *device, uint8_t byte) {
    DEVICE_HOST;
    host->print(host->machine, host->number, byte);
}
/* Of a master, within device_step: a word of the memory, or some bytes of it. */
DEVICE_CALL uint32_t device_load(const void *device, uint32_t address) {
    DEVICE_HOST;
    return host->load(host->machine, host->number, address);
}
DEVICE_CALL void device_store(const void *device, uint32_t address, uint32_t value,
                              uint32_t lanes) {
    DEVICE_HOST;
    host->store(host->machine, host->number, address, value, lanes);
}
/* Wait states of the memory at an address. */
DEVICE_CALL uint32_t device_waits(const void *device, uint32_t address) {
    DEVICE_HOST;
    return (uint32_t)host->waits(host->machine, host->number, address);
}
"""

_TYPES: Final = {
    "read": ("uint32_t", "uint32_t offset, uint32_t lanes, uint64_t cycle", "offset, lanes, cycle"),
    "write": (
        "void", "uint32_t offset, uint32_t value, uint32_t lanes, uint64_t cycle",
        "offset, value, lanes, cycle",
    ),
    "next": ("uint64_t", "uint64_t cycle", "cycle"),
    "level": ("uint32_t", "uint64_t cycle", "cycle"),
    "step": ("void", "uint64_t cycle", "cycle"),
}  # fmt: skip
"""By function: its result, its parameters after the state, and their names."""


def library_text(code: DeviceCode) -> str:
    """Return the text of a library with the functions of a device."""
    macros = [f"#define DEVICE_{name.upper()} ({value})" for name, value in code.parameters]
    runners = [_define_runner(name) for name in code.functions]
    table = [f"(DeviceFunction)run_{n}" if n in code.functions else "0" for n in FUNCTIONS]
    return "\n".join([
        '#include "native.h"', '_Static_assert(sizeof(void *) == 8, "64 bits");', _PRELUDE,
        f'_Static_assert(sizeof(DeviceHost) == {HOST_BYTES}, "host");', *macros,
        stateless.BEGIN, f'#line 1 "{code.file}"', code.text, '#line 1 "device.h"', stateless.END,
        *runners, "typedef void (*DeviceFunction)(void);",
        f"EXPORT extern const DeviceFunction device_table[{len(FUNCTIONS)}];",
        f"const DeviceFunction device_table[{len(FUNCTIONS)}] = {{{', '.join(table)}}};",
        "EXPORT extern const int64_t device_bytes;",
        "const int64_t device_bytes = sizeof(Device);", "",
    ])  # fmt: skip


def _define_runner(name: str) -> str:
    result, parameters, names = _TYPES[name]
    back = "" if result == "void" else "return "
    return (
        f"static {result} run_{name}(void *device, {parameters})"
        f" {{ {back}device_{name}((Device *)device, {names}); }}"
    )
