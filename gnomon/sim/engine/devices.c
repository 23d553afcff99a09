/* Devices in the memory map: docs/method/devices.md has their registers. */
#include "rare.h"

/* ---- ns16550: a UART that transmits, and receives nothing ---- */

enum { DATA, INTERRUPTS, FIFO, LINE, MODEM, LINE_STATUS, MODEM_STATUS, SCRATCH, UART_REGISTERS };

#define DIVISOR_LATCH 0x80 /* in LINE: the first two registers hold the divisor */
#define NO_INTERRUPT 0x01
#define TRANSMITTER_INTERRUPT 0x02 /* in INTERRUPTS, and in FIFO as read */
#define FIFOS_ON 0xC0
#define TRANSMITTER_EMPTY 0x60
#define PEER_READY 0xB0 /* carrier detect, data set ready, clear to send */

/* The transmitter requests an interrupt. */
static bool requests(const Device *d) {
    return d->emptied && d->interrupts & TRANSMITTER_INTERRUPT;
}

static u32 read_uart(const Device *d, i64 number) {
    const bool latch = d->line & DIVISOR_LATCH;
    switch (number) {
    case DATA: return latch ? d->divisor & 0xFF : 0;
    case INTERRUPTS: return latch ? d->divisor >> 8 : (u32)d->interrupts;
    case FIFO:
        return (requests(d) ? TRANSMITTER_INTERRUPT : NO_INTERRUPT) | (d->fifo ? FIFOS_ON : 0);
    case LINE: return (u32)d->line;
    case MODEM: return (u32)d->modem;
    case LINE_STATUS: return TRANSMITTER_EMPTY;
    case MODEM_STATUS: return PEER_READY;
    }
    return (u32)d->scratch;
}

static void write_uart(Machine *m, Device *d, i64 number, u32 value) {
    const bool latch = d->line & DIVISOR_LATCH;
    switch (number) {
    case DATA:
        if (latch) d->divisor = (d->divisor & 0xFF00) | value;
        else print_character(m, value);
        d->emptied = d->emptied || !latch;
        return;
    case INTERRUPTS:
        if (latch) d->divisor = (d->divisor & 0xFF) | value << 8;
        else d->interrupts = value & 0x0F;
        if (!latch && value & TRANSMITTER_INTERRUPT) d->emptied = 1;
        return;
    case FIFO: d->fifo = value & 1; return;
    case LINE: d->line = value; return;
    case MODEM: d->modem = value & 0x0F; return;
    case SCRATCH: d->scratch = value; return;
    }
}

/* The register in a byte; -1: none. */
static i64 register_at(const Device *d, u32 offset) {
    const i64 number = offset / d->stride;
    return offset % d->stride || number >= UART_REGISTERS ? -1 : number;
}

/* ---- clint: a write in cycle g is in its register from g + 1 on ---- */

#define SOFTWARE 0x0000u
#define COMPARE 0x4000u
#define TIME 0xBFF8u

/* Counts of mtime from reset up to a cycle, if nothing is written. */
static u64 counts(const Timer *t, i64 cycle) { return (u64)(cycle / t->every); }

static u64 time_in(const Timer *t, i64 cycle) { return (u64)t->offset + counts(t, cycle); }

/* The comparison is registered: a cycle shows that of the one before. */
static bool is_due(const Timer *t, i64 cycle) {
    return cycle <= t->since ? t->due : time_in(t, cycle - 1) >= (u64)t->compare;
}

/* First cycle from `from` on in which the timer interrupt is pending; NEVER: none. */
static i64 due_from(const Timer *t, i64 from) {
    if (from <= t->since) {
        if (t->due) return from;
        from = t->since + 1;
    }
    const u64 time = time_in(t, from - 1), missing = (u64)t->compare - time;
    if (time >= (u64)t->compare) return from;
    const u64 most_counts = (u64)(NEVER / t->every) - counts(t, from - 1);
    if (missing >= most_counts) return NEVER;
    return (i64)(counts(t, from - 1) + missing) * t->every + 1;
}

static u32 half_of(u64 value, u32 offset) { return (u32)(offset & 4 ? value >> 32 : value); }

static u32 read_clint(const Timer *t, u32 offset, i64 cycle) {
    if (offset == SOFTWARE) return (u32)t->software;
    if ((offset & ~4u) == COMPARE) return half_of((u64)t->compare, offset);
    if ((offset & ~4u) == TIME) return half_of(time_in(t, cycle), offset);
    return 0;
}

/* The written bytes of one half, and the others of a register. */
static u64 merged(u64 old, u32 offset, u32 value, u32 enables) {
    const u32 shift = offset & 4 ? 32 : 0;
    for (u32 lane = 0; lane < 4; lane++) {
        if (!(enables >> lane & 1)) continue;
        const u64 byte = (u64)0xFF << (shift + 8 * lane);
        old = (old & ~byte) | ((u64)value << shift & byte);
    }
    return old;
}

static void write_clint(Machine *m, u32 offset, u32 value, u32 enables, i64 cycle) {
    Timer *const t = m->timer;
    const bool again = t->since == cycle + 1; /* the second word of one store */
    const u64 time = time_in(t, again ? cycle + 1 : cycle);
    t->due = is_due(t, cycle + 1);
    t->since = cycle + 1;
    if (offset == SOFTWARE && enables & 1) t->software = value & 1;
    if ((offset & ~4u) == COMPARE)
        t->compare = (i64)merged((u64)t->compare, offset, value, enables);
    if ((offset & ~4u) == TIME)
        t->offset = (i64)(merged(time, offset, value, enables) - counts(t, cycle + 1));
    plan_interrupt(m);
    m->st->look = 1;
}

/* ---- requests for interrupts ---- */

/* The registers of a UART have changed: from the next cycle on it requests, or does not. */
static void request_external(Machine *m) {
    i64 external = 0;
    for (i64 k = 0; k < m->device_count; k++)
        external |= m->devices[k].external && requests(&m->devices[k]);
    if (external == m->st->external) return;
    m->st->external = external;
    plan_interrupt(m);
    m->st->look = 1;
}

u32 pending_interrupts(const Machine *m, i64 cycle) {
    const Timer *const t = m->timer;
    const u32 external = m->st->external ? INTERRUPT_EXTERNAL : 0;
    if (!t) return external;
    return external | (t->software ? INTERRUPT_SOFTWARE : 0) |
           (is_due(t, cycle) ? INTERRUPT_TIMER : 0);
}

i64 next_interrupt(const Machine *m, i64 from) {
    const Timer *const t = m->timer;
    const u32 enabled = (u32)m->hs[0].mie_register;
    if (enabled & INTERRUPT_EXTERNAL && m->st->external) return from;
    if (!t) return NEVER;
    from = most(from, t->since);
    if (enabled & INTERRUPT_SOFTWARE && t->software) return from;
    return enabled & INTERRUPT_TIMER ? due_from(t, from) : NEVER;
}

void plan_interrupt(Machine *m) {
    State *const st = m->st;
    st->event = m->cfg->interrupts && m->hs[0].mie ? next_interrupt(m, st->cycle) : NEVER;
}

/* ---- of any kind ---- */

Device *device_at(const Machine *m, u32 address) {
    for (i64 k = 0; k < m->device_count; k++)
        if (address - (u32)m->devices[k].base < m->devices[k].size) return &m->devices[k];
    return NULL;
}

u32 read_device(Machine *m, Device *d, u32 address, u32 enables, i64 cycle) {
    const u32 offset = (address & ~3u) - (u32)d->base;
    u32 word = 0;
    bool shown = false;
    if (d->kind == DEVICE_CLINT) return read_clint(m->timer, offset, cycle);
    for (u32 lane = 0; lane < 4; lane++) {
        const i64 number = register_at(d, offset + lane);
        if (number >= 0) word |= read_uart(d, number) << 8 * lane;
        if (number == FIFO && enables >> lane & 1 && requests(d)) shown = true;
    }
    if (shown) d->emptied = 0;
    request_external(m);
    return word;
}

void write_device(Machine *m, Device *d, u32 address, u32 value, u32 enables, i64 cycle) {
    const u32 offset = (address & ~3u) - (u32)d->base;
    if (d->kind == DEVICE_CLINT) {
        write_clint(m, offset, value, enables, cycle);
        return;
    }
    for (u32 lane = 0; lane < 4; lane++) {
        const i64 number = enables >> lane & 1 ? register_at(d, offset + lane) : -1;
        if (number >= 0) write_uart(m, d, number, value >> 8 * lane & 0xFF);
    }
    request_external(m);
}
