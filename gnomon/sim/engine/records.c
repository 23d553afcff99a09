/* Records in addition to the trace of a run: requests on the data bus, busy intervals of units. */
#include "engine.h"

void record_span(Machine *m, i64 unit, i64 first, i64 last, u32 rd, u32 rs1, u32 rs2, i64 bytes) {
    m->spans[m->st->spans++] = (SpanRow){.unit = unit, .start = first, .last = last, .rd = rd,
                                         .rs1 = rs1, .rs2 = rs2, .size_bytes = bytes};
}

/* enables is 0 for a read, and for a write of no byte. */
void record_request(Machine *m, i64 cycle, bool write, u32 address, u32 enables, u32 data) {
    if (m->cfg->bus)
        m->bus[m->st->bus_rows++] = (BusRow){.cycle = cycle, .enables = enables,
                                         .address = address & ~3u, .data = data};
    if (m->st->counting) count_request(m, write);
}
