/*
 * Registers, each a word:
 *   0  write: start, or start again; read: cycles since the start
 *   4  write: clear the alarm; read: 1 while it rings
 *   8  scratch
 *
 * The state is 0 at reset and is the only memory of the device. Cycles count from reset and never
 * decrease. `lanes` has a bit for each byte of the word that the program accesses.
 */
typedef struct {
    bool started;
    uint64_t since;
    uint32_t scratch;
} Device;

static bool rings(const Device *device, uint64_t cycle) {
    return device->started && cycle >= device->since + DEVICE_CYCLES;
}

static uint32_t device_read(Device *device, uint32_t offset, uint32_t lanes, uint64_t cycle) {
    (void)lanes;
    switch (offset) {
    case 0: return device->started ? (uint32_t)(cycle - device->since) : 0;
    case 4: return rings(device, cycle);
    case 8: return device->scratch;
    }
    return 0;
}

static void device_write(Device *device, uint32_t offset, uint32_t value, uint32_t lanes,
                         uint64_t cycle) {
    switch (offset) {
    case 0:
        device->started = true;
        device->since = cycle;
        return;
    case 4: device->started = device->started && !rings(device, cycle); return;
    case 8:
        for (unsigned k = 0; k < 4; k++)
            if (lanes >> k & 1)
                device->scratch = (device->scratch & ~(0xFFu << 8 * k)) | (value & 0xFFu << 8 * k);
        return;
    }
}

/* Whether it requests its interrupt in a cycle; it changes nothing. */
static uint32_t device_level(const Device *device, uint64_t cycle) { return rings(device, cycle); }

/* First later cycle in which the level may change without an access; it changes nothing. */
static uint64_t device_next(const Device *device, uint64_t cycle) {
    const uint64_t due = device->since + DEVICE_CYCLES;
    return device->started && due > cycle ? due : DEVICE_NEVER;
}
