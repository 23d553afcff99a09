/* Devices in the memory map: docs/method/devices.md has their registers. */
#include "engine.h"

/* ---- ns16550: a UART that transmits, and receives nothing ---- */

enum { DATA, INTERRUPTS, FIFO, LINE, MODEM, LINE_STATUS, MODEM_STATUS, SCRATCH, UART_REGISTERS };

#define DIVISOR_LATCH 0x80 /* in LINE: the first two registers hold the divisor */
#define NO_INTERRUPT 0x01
#define FIFOS_ON 0xC0
#define TRANSMITTER_EMPTY 0x60
#define PEER_READY 0xB0 /* carrier detect, data set ready, clear to send */

static u32 read_uart(const Device *d, i64 number) {
    const bool latch = d->line & DIVISOR_LATCH;
    switch (number) {
    case DATA: return latch ? d->divisor & 0xFF : 0;
    case INTERRUPTS: return latch ? d->divisor >> 8 : (u32)d->interrupts;
    case FIFO: return NO_INTERRUPT | (d->fifo ? FIFOS_ON : 0);
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
        return;
    case INTERRUPTS:
        if (latch) d->divisor = (d->divisor & 0xFF) | value << 8;
        else d->interrupts = value & 0x0F;
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

/* ---- of any kind ---- */

Device *device_at(const Machine *m, u32 address) {
    for (i64 k = 0; k < m->device_count; k++)
        if (address - (u32)m->devices[k].base < m->devices[k].size) return &m->devices[k];
    return NULL;
}

u32 read_device(const Device *d, u32 address) {
    const u32 offset = (address & ~3u) - (u32)d->base;
    u32 word = 0;
    for (u32 lane = 0; lane < 4; lane++) {
        const i64 number = register_at(d, offset + lane);
        if (number >= 0) word |= read_uart(d, number) << 8 * lane;
    }
    return word;
}

void write_device(Machine *m, Device *d, u32 address, u32 value, u32 enables) {
    const u32 offset = (address & ~3u) - (u32)d->base;
    for (u32 lane = 0; lane < 4; lane++) {
        const i64 number = enables >> lane & 1 ? register_at(d, offset + lane) : -1;
        if (number >= 0) write_uart(m, d, number, value >> 8 * lane & 0xFF);
    }
}
