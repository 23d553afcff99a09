/*
 * Copies words on a port of its own: the core and the copy never wait for each other.
 *
 *   0x0  source: address of the next word to read
 *   0x4  target: address of the next word to write
 *   0x8  write: number of words, which starts a copy; read: words that are left
 *   0xC  write: clear the request; read: bit 0: a copy runs, bit 1: the request
 *
 * A copy that starts in cycle g moves its first word in cycle g + 2 + W(source) + W(target), and
 * each further word so many cycles after the one before; W are the wait states of the memory. After
 * the last one it requests its interrupt. Writes to source, target and words while a copy runs have
 * no effect.
 */
#define SOURCE 0x0u
#define TARGET 0x4u
#define WORDS 0x8u
#define STATUS 0xCu
#define WHOLE_WORD 15u

typedef struct {
    uint32_t source, target, left;
    bool requests;
    uint64_t due; /* cycle in which the next word moves */
} Device;

static uint64_t cycles_of_word(const Device *device) {
    return 2u + device_waits(device, device->source) + device_waits(device, device->target);
}

static uint32_t device_read(Device *device, uint32_t offset, uint32_t lanes, uint64_t cycle) {
    (void)lanes, (void)cycle;
    switch (offset) {
    case SOURCE: return device->source;
    case TARGET: return device->target;
    case WORDS: return device->left;
    default: return (device->left ? 1u : 0u) | (device->requests ? 2u : 0u);
    }
}

static void device_write(Device *device, uint32_t offset, uint32_t value, uint32_t lanes,
                         uint64_t cycle) {
    (void)lanes;
    if (offset == STATUS) device->requests = false;
    if (device->left) return;
    switch (offset) {
    case SOURCE: device->source = value & ~3u; return;
    case TARGET: device->target = value & ~3u; return;
    case WORDS:
        device->left = value;
        device->due = cycle + cycles_of_word(device);
        return;
    }
}

static void device_step(Device *device, uint64_t cycle) {
    device_store(device, device->target, device_load(device, device->source), WHOLE_WORD);
    device->source += 4;
    device->target += 4;
    if (--device->left) device->due = cycle + cycles_of_word(device);
    else device->requests = true;
}

static uint32_t device_level(const Device *device, uint64_t cycle) {
    (void)cycle;
    return device->requests;
}

static uint64_t device_next(const Device *device, uint64_t cycle) {
    return device->left && device->due > cycle ? device->due : DEVICE_NEVER;
}
