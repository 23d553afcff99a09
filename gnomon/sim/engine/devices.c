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

static void write_clint(Timer *t, u32 offset, u32 value, u32 enables, i64 cycle) {
    const bool again = t->since == cycle + 1; /* the second word of one store */
    const u64 time = time_in(t, again ? cycle + 1 : cycle);
    t->due = is_due(t, cycle + 1);
    t->since = cycle + 1;
    if (offset == SOFTWARE && enables & 1) t->software = value & 1;
    if ((offset & ~4u) == COMPARE)
        t->compare = (i64)merged((u64)t->compare, offset, value, enables);
    if ((offset & ~4u) == TIME)
        t->offset = (i64)(merged(time, offset, value, enables) - counts(t, cycle + 1));
}

/* ---- of a user: its code is in functions of its own ---- */

typedef u32 (*OwnRead)(void *state, u32 offset, u32 lanes, u64 cycle);
typedef void (*OwnWrite)(void *state, u32 offset, u32 value, u32 lanes, u64 cycle);
typedef u64 (*OwnNext)(void *state, u64 cycle);
typedef u32 (*OwnLevel)(void *state, u64 cycle);
typedef void (*OwnStep)(void *state, u64 cycle);

/* A device has made a mistake: the run ends. */
static void device_fault(const Machine *m, i64 number, i64 reason, u32 address) {
    State *const st = m->st;
    st->look = 1;
    if (st->fault) return;
    st->fault = reason;
    st->fault_address = address;
    st->fault_device = number;
}

static i64 own_next(const Machine *m, const Device *d, i64 cycle) {
    const u64 found = ((OwnNext)d->next)(d->state, (u64)cycle);
    if (found > (u64)cycle) return found < (u64)NEVER ? (i64)found : NEVER;
    device_fault(m, d - m->devices, FAULT_DEVICE_PAST, (u32)cycle);
    return NEVER;
}

/* ---- masters: devices that access the memory, on a port of their own ---- */

static void plan_steps(Machine *m) {
    i64 due = NEVER;
    for (i64 k = 0; k < m->device_count; k++)
        if (m->devices[k].step) due = least(due, m->devices[k].due);
    if ((due < NEVER) != (m->st->due < NEVER)) m->st->look = 1; /* loads and stores look, or not */
    m->st->due = due;
}

void start_masters(Machine *m) {
    bool any = false;
    for (i64 k = 0; k < m->device_count; k++) {
        Device *const d = &m->devices[k];
        if (!d->step || d->due >= 0) continue;
        any = true;
        d->due = own_next(m, d, 0);
    }
    if (any) plan_steps(m);
}

void run_masters(Machine *m, i64 cycle) {
    State *const st = m->st;
    while (st->due <= cycle && !st->fault) {
        for (i64 k = 0; k < m->device_count; k++) {
            Device *const d = &m->devices[k];
            if (!d->step || d->due != st->due) continue;
            ((OwnStep)d->step)(d->state, (u64)d->due);
            d->due = own_next(m, d, d->due);
        }
        plan_steps(m);
    }
}

/* Index of the word that a master accesses; negative: it may not. */
static i64 word_of_master(Machine *m, i64 number, u32 address, bool writes) {
    const i64 index = ram_word(m, address);
    for (i64 k = 0; m->dcache && k < m->dcache->spans; k++)
        if (address - (u32)m->cached[k].base < m->cached[k].size) {
            device_fault(m, number, FAULT_DEVICE_CACHED, address);
            return -1;
        }
    const Window *const w = m->window_count ? window_at(m, address) : NULL;
    const bool fixed = writes && (index < m->cfg->data_word0 || (w && w->kind != WINDOW_DATA));
    if (index >= 0 && !fixed) return index;
    device_fault(m, number, index < 0 ? FAULT_DEVICE_NO_MEMORY : FAULT_DEVICE_CODE, address);
    return -1;
}

u32 engine_device_load(Machine *m, i64 number, u32 address) {
    const i64 index = word_of_master(m, number, address, false);
    return index < 0 ? 0 : (u32)m->ram[index];
}

void engine_device_store(Machine *m, i64 number, u32 address, u32 value, u32 lanes) {
    const i64 index = word_of_master(m, number, address, true);
    if (index < 0) return;
    u32 mask = 0;
    for (u32 lane = 0; lane < 4; lane++)
        if (lanes >> lane & 1) mask |= 0xFFu << 8 * lane;
    m->ram[index] = (s32)(((u32)m->ram[index] & ~mask) | (value & mask));
}

i64 engine_device_waits(Machine *m, i64 number, u32 address) {
    (void)number;
    return m->cfg->data_waits + more_waits(m, address);
}

void engine_device_print(Machine *m, i64 number, u32 byte) {
    if (m->st->printed >= m->printed_rows) device_fault(m, number, FAULT_DEVICE_TEXT, 0);
    print_character(m, byte);
}

void engine_device_fail(Machine *m, i64 number) { device_fault(m, number, FAULT_DEVICE_ERROR, 0); }

/* ---- each kind as four functions; offset: of a word ---- */

typedef struct Kind {
    u32 (*read)(Machine *m, Device *d, u32 offset, u32 lanes, i64 cycle);
    void (*write)(Machine *m, Device *d, u32 offset, u32 value, u32 lanes, i64 cycle);
    /* Interrupts that it requests in a cycle, as bits of mip; and from this cycle on, the first one
       in which it may request one. */
    u32 (*level)(const Machine *m, const Device *d, i64 cycle);
    i64 (*from)(const Machine *m, const Device *d, i64 cycle);
} Kind;

static u32 read_ns16550(Machine *m, Device *d, u32 offset, u32 lanes, i64 cycle) {
    u32 word = 0;
    bool shown = false;
    (void)m, (void)cycle;
    for (u32 lane = 0; lane < 4; lane++) {
        const i64 number = register_at(d, offset + lane);
        if (number >= 0) word |= read_uart(d, number) << 8 * lane;
        if (number == FIFO && lanes >> lane & 1 && requests(d)) shown = true;
    }
    if (shown) d->emptied = 0;
    return word;
}

static void write_ns16550(Machine *m, Device *d, u32 offset, u32 value, u32 lanes, i64 cycle) {
    (void)cycle;
    for (u32 lane = 0; lane < 4; lane++) {
        const i64 number = lanes >> lane & 1 ? register_at(d, offset + lane) : -1;
        if (number >= 0) write_uart(m, d, number, value >> 8 * lane & 0xFF);
    }
}

static u32 level_of_ns16550(const Machine *m, const Device *d, i64 cycle) {
    (void)m, (void)cycle;
    return d->external && requests(d) ? INTERRUPT_EXTERNAL : 0;
}

static i64 from_of_ns16550(const Machine *m, const Device *d, i64 cycle) {
    return level_of_ns16550(m, d, cycle) & (u32)m->hs[0].mie_register ? cycle : NEVER;
}

static u32 read_timer(Machine *m, Device *d, u32 offset, u32 lanes, i64 cycle) {
    (void)d, (void)lanes;
    return read_clint(m->timer, offset, cycle);
}

static void write_timer(Machine *m, Device *d, u32 offset, u32 value, u32 lanes, i64 cycle) {
    (void)d;
    write_clint(m->timer, offset, value, lanes, cycle);
}

static u32 level_of_timer(const Machine *m, const Device *d, i64 cycle) {
    (void)d;
    return (m->timer->software ? INTERRUPT_SOFTWARE : 0) |
           (is_due(m->timer, cycle) ? INTERRUPT_TIMER : 0);
}

static i64 from_of_timer(const Machine *m, const Device *d, i64 cycle) {
    const Timer *const t = m->timer;
    const u32 enabled = (u32)m->hs[0].mie_register;
    const i64 from = most(cycle, t->since);
    (void)d;
    if (enabled & INTERRUPT_SOFTWARE && t->software) return from;
    return enabled & INTERRUPT_TIMER ? due_from(t, from) : NEVER;
}

static u32 read_own(Machine *m, Device *d, u32 offset, u32 lanes, i64 cycle) {
    (void)m;
    return ((OwnRead)d->read)(d->state, offset, lanes, (u64)cycle);
}

static void write_own(Machine *m, Device *d, u32 offset, u32 value, u32 lanes, i64 cycle) {
    (void)m;
    ((OwnWrite)d->write)(d->state, offset, value, lanes, (u64)cycle);
}

static u32 level_of_own(const Machine *m, const Device *d, i64 cycle) {
    (void)m;
    if (!d->external) return 0;
    return ((OwnLevel)d->level)(d->state, (u64)most(cycle, d->since)) ? INTERRUPT_EXTERNAL : 0;
}

/* A lower bound: the code knows when its level may change, not how. */
static i64 from_of_own(const Machine *m, const Device *d, i64 cycle) {
    if (!d->external || !((u32)m->hs[0].mie_register & INTERRUPT_EXTERNAL)) return NEVER;
    const i64 from = most(cycle, d->since);
    return level_of_own(m, d, from) ? from : own_next(m, d, from);
}

static const Kind KINDS[] = {
    [DEVICE_NS16550] = {read_ns16550, write_ns16550, level_of_ns16550, from_of_ns16550},
    [DEVICE_CLINT] = {read_timer, write_timer, level_of_timer, from_of_timer},
    [DEVICE_OWN] = {read_own, write_own, level_of_own, from_of_own},
};

/* ---- requests for interrupts ---- */

u32 pending_interrupts(Machine *m, i64 cycle) {
    u32 found = 0;
    if (m->st->due <= cycle) run_masters(m, cycle);
    for (i64 k = 0; k < m->device_count; k++)
        found |= KINDS[m->devices[k].kind].level(m, &m->devices[k], cycle);
    return found;
}

i64 next_interrupt(Machine *m, i64 from) {
    i64 found = NEVER;
    if (m->st->due <= from) run_masters(m, from);
    for (i64 k = 0; k < m->device_count; k++)
        found = least(found, KINDS[m->devices[k].kind].from(m, &m->devices[k], from));
    return found;
}

u32 engine_device_level(Machine *m, i64 number) {
    return KINDS[m->devices[number].kind].level(m, &m->devices[number], m->st->cycle);
}

i64 wake_cycle(Machine *m, i64 from) {
    i64 wake = next_interrupt(m, from);
    /* A level that may have changed need not request anything. */
    while (wake <= m->cfg->hard_limit && !m->st->fault &&
           !(pending_interrupts(m, wake) & (u32)m->hs[0].mie_register))
        wake = next_interrupt(m, wake);
    return wake;
}

void plan_interrupt(Machine *m) {
    State *const st = m->st;
    st->event = m->cfg->interrupts && m->hs[0].mie ? next_interrupt(m, st->cycle) : NEVER;
}

void plan_after_access(Machine *m) {
    State *const st = m->st;
    const i64 event = st->event;
    bool levels = false, steps = false;
    st->touched = 0;
    for (i64 k = 0; k < m->device_count; k++) {
        Device *const d = &m->devices[k];
        if (!d->touched) continue;
        d->touched = 0;
        levels = levels || d->external || d->kind == DEVICE_CLINT;
        if (!d->step) continue;
        d->due = own_next(m, d, d->since - 1);
        steps = true;
    }
    if (steps) plan_steps(m);
    if (levels) plan_interrupt(m);
    if (st->event != event) st->look = 1;
}

/* From the next cycle on the level may be another one; an instruction may access a second word. */
static void note_access(Machine *m, Device *d, i64 cycle) {
    d->since = cycle + 1;
    d->touched = m->st->touched = 1;
}

/* ---- of any kind ---- */

Device *device_at(const Machine *m, u32 address) {
    for (i64 k = 0; k < m->device_count; k++)
        if (address - (u32)m->devices[k].base < m->devices[k].size) return &m->devices[k];
    return NULL;
}

static bool has_wrong_width(Machine *m, const Device *d, u32 address, u32 lanes) {
    if (!d->whole_words || lanes == 15) return false;
    device_fault(m, d - m->devices, FAULT_DEVICE_WIDTH, address);
    return true;
}

u32 read_device(Machine *m, Device *d, u32 address, u32 lanes, i64 cycle) {
    if (has_wrong_width(m, d, address, lanes)) return 0;
    const u32 word = KINDS[d->kind].read(m, d, (address & ~3u) - (u32)d->base, lanes, cycle);
    d->reads++;
    note_access(m, d, cycle);
    return word;
}

void write_device(Machine *m, Device *d, u32 address, u32 value, u32 lanes, i64 cycle) {
    if (has_wrong_width(m, d, address, lanes)) return;
    KINDS[d->kind].write(m, d, (address & ~3u) - (u32)d->base, value, lanes, cycle);
    d->writes++;
    note_access(m, d, cycle);
}
