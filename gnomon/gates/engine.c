/* A machine as gates, and around it what rtl_tests/machine/platform.sv has: two memories and the
   protocol of programs. */

#include "events.h"

#define EXIT 0x1a10fff0u
#define CYCLE 0x1a10fff8u
#define ENABLE_EDGES 5 /* clock edges between the end of the reset and the enable */
#define MOST_WAITING 1000 /* largest number of edges before the first fetch, where cycle 0 is */

static uint32_t word(const Gates *g, const int32_t *nets, int width) {
    uint32_t value = 0;
    for (int k = 0; k < width; k++)
        value |= (uint32_t)g->value[nets[k]] << k;
    return value;
}

static bool one(const Gates *g, int port) {
    return g->value[g->ports[port]];
}

static void record(uint32_t *rows, int64_t *count, uint32_t a, uint32_t b, uint32_t c, uint32_t d) {
    uint32_t *row = rows + 4 * (*count)++;
    row[0] = a, row[1] = b, row[2] = c, row[3] = d;
}

static uint32_t *place_of(Gates *g, uint32_t address) {
    uint32_t in_data = address - (uint32_t)g->data_base;
    uint32_t in_code = address - (uint32_t)g->code_base;
    if (in_data < (uint64_t)g->data_bytes)
        return &g->data[in_data / 4];
    return in_code < (uint64_t)g->code_bytes ? &g->code[in_code / 4] : 0;
}

/* The words at the read ports of a memory after an edge depend on its inputs before the edge. */
static void sample_bank(Gates *g, Bank *b) {
    const int32_t *nets = b->nets;
    uint32_t row = word(g, nets + B_WRITE_ROW, 16), data = word(g, nets + B_WRITE_DATA, 32);
    uint32_t write = word(g, nets + B_WRITE, 2);
    uint32_t *words = g->bank_words + b->base;
    for (int port = 0; port <= b->second_port; port++) {
        int enable = port ? B_SECOND_READ : B_READ, from = port ? B_SECOND_ROW : B_READ_ROW;
        if (!word(g, nets + enable, 1))
            continue;
        uint32_t at = word(g, nets + from, 16);
        bool passes = b->write_through && word(g, nets + B_THROUGH, 1) && (write & 1) && at == row;
        b->shown[port] = passes ? data : words[at];
        g->bank_reads++;
    }
    if (!b->second_port)
        b->shown[1] = b->shown[0];
    if (write) {
        uint32_t mask = (write & 1 ? 0xffffu : 0) | (write & 2 ? 0xffff0000u : 0);
        words[row] = (words[row] & ~mask) | (data & mask);
        g->bank_writes++;
    }
}

/* The clock reaches all flip-flops; `idle_pj` is the energy of those with D = Q, by unit. */
static void count_clock(Gates *g, int64_t changed, bool running) {
    double *row = g->clock_pj + g->unit_count * (g->cycle / g->window);
    for (int64_t k = 0; running && k < g->unit_count; k++)
        row[k] += g->idle_pj[k];
    for (int64_t k = 0; k < changed; k++) {
        const int32_t it = g->changing[k], unit = g->nets[g->q[it]].unit;
        const double *pin = g->pin_pj + 4 * it;
        const int q = g->state[it], d = !q;
        if (running)
            row[unit] += pin[d | q << 1] - pin[q | q << 1];
        g->idle_pj[unit] += pin[d | d << 1] - pin[q | q << 1];
    }
}

/* Flip-flops that the next edge changes: chosen before anything does. Those with a reset wait for
   its end, at 0. */
static int64_t sample(Gates *g) {
    int64_t changed = 0;
    bool reset = g->reset_net > 1 && !g->value[g->reset_net];
    for (int64_t k = 0; k < g->flip_flop_count; k++)
        if (g->value[g->d[k]] != g->state[k] && !(reset && g->held[k]))
            g->changing[changed++] = (int32_t)k;
    return changed;
}

static void release(Gates *g, int64_t changed) {
    for (int64_t k = 0; k < changed; k++) {
        const int32_t it = g->changing[k];
        drive(g, g->q[it], g->state[it] ^= 1, 0);
    }
}

/* The PULPino interface: it waits for an enable after the reset, and writes also get an answer. */
static bool answers_writes(const Gates *g) {
    return g->ports[P_FETCH_ENABLE] != 0;
}

static bool edge(Gates *g, bool running) {
    const int32_t *p = g->ports;
    uint32_t cycle = (uint32_t)g->cycle;
    bool fetch = one(g, P_INSTR_REQ) && running, ends = false;
    bool request = one(g, P_DATA_REQ) && running, writes = one(g, P_DATA_WE);
    uint32_t fetched = 0, old = 0, address = word(g, p + P_DATA_ADDR, 32);
    if (running && one(g, P_ISSUE))
        record(g->issues, &g->issue_count, cycle, word(g, p + P_ISSUE_HART, 3),
               word(g, p + P_ISSUE_PC, 32), word(g, p + P_ISSUE_WORD, 32));
    if (fetch) {
        uint32_t offset = word(g, p + P_INSTR_ADDR, 32) - (uint32_t)g->code_base;
        fetched = g->code[offset % (uint32_t)g->code_bytes / 4];
    }
    if (request) {
        uint32_t bytes = word(g, p + P_DATA_BE, 4), data = word(g, p + P_DATA_WDATA, 32);
        record(g->bus, &g->bus_count, cycle, writes ? bytes : 0, address, writes ? data : 0);
        uint32_t *at = place_of(g, address);
        old = at ? *at : (address & ~3u) == CYCLE ? cycle : 0;
        if (writes && at && address >> 8 != 0xff)
            for (int k = 0; k < 4; k++)
                if (bytes >> k & 1)
                    *at = (*at & ~(0xffu << 8 * k)) | (data & 0xffu << 8 * k);
        ends = writes && (address & ~3u) == EXIT;
    }
    for (int64_t k = 0; k < g->bank_count; k++)
        sample_bank(g, &g->banks[k]);
    int64_t changed = sample(g);
    count_clock(g, changed, running);
    if (ends)
        return true;
    g->now++;
    if (running) {
        g->cycle++;
        g->row = g->energy_pj + g->unit_count * (1 + g->cycle / g->window);
    }
    for (int64_t k = 0; running && k < changed; k++) {
        const int32_t word = g->word_of[g->changing[k]];
        if (g->clocked[word] != g->cycle)
            g->gated_pj[0] += g->word_pj[word];
        g->clocked[word] = g->cycle;
    }
    release(g, changed);
    put(g, p + P_INSTR_RVALID, 1, fetch);
    if (fetch)
        put(g, p + P_INSTR_RDATA, 32, fetched);
    put(g, p + P_DATA_RVALID, 1, request && (!writes || answers_writes(g)));
    if (request && !writes)
        put(g, p + P_DATA_RDATA, 32, old);
    for (int64_t k = 0; k < g->bank_count; k++) {
        put(g, g->banks[k].nets + B_READ_DATA, 32, g->banks[k].shown[0]);
        put(g, g->banks[k].nets + B_SECOND_DATA, 32, g->banks[k].shown[1]);
    }
    evaluate(g);
    return false;
}

/* A grant, with its error, follows when the request is stable. */
static void answer(Gates *g) {
    int64_t start = g->now;
    for (;;) {
        settle(g);
        bool request = one(g, P_DATA_REQ);
        put(g, g->ports + P_INSTR_GNT, 1, one(g, P_INSTR_REQ));
        put(g, g->ports + P_DATA_GNT, 1, request);
        put(g, g->ports + P_DATA_ERR, 1, request && word(g, g->ports + P_DATA_ADDR + 16, 16) == 0xdead);
        if (!g->touched_count)
            break;
        evaluate(g);
    }
    if (g->now - start > g->longest_ps)
        g->longest_ps = g->now - start;
}

/* Run to the exit (returns 1) or for the given number of cycles. The first call resets. */
EXPORT int64_t gates_run(Gates *g, int64_t cycles) {
    if (!g->started) {
        for (int64_t k = 0; k < g->cell_count; k++)
            g->touched[g->touched_count++] = (int32_t)k;
        evaluate(g);
        for (int k = 0; k < 4; k++) {
            answer(g);
            edge(g, false);
        }
        answer(g);
        put(g, g->ports + P_RST_N, 1, 1);
        evaluate(g);
        g->started = 1;
        answer(g);
        if (answers_writes(g)) {
            for (int k = 0; k < ENABLE_EDGES; k++) {
                edge(g, false);
                answer(g);
            }
            put(g, g->ports + P_FETCH_ENABLE, 1, 1);
            evaluate(g);
            answer(g);
            for (int k = 0; k < MOST_WAITING && !one(g, P_INSTR_REQ); k++) {
                edge(g, false);
                answer(g);
            }
        }
        g->longest_ps = 0;
        forget_toggles(g);
        g->row = g->energy_pj + g->unit_count;
    }
    for (; cycles > 0; cycles--) {
        answer(g);
        if (edge(g, true))
            return 1;
    }
    return 0;
}

/* Run a netlist without memories: apply a row of input values after each clock edge. */
EXPORT void gates_apply(Gates *g, const uint8_t *values, int64_t count, int64_t width) {
    for (int64_t k = 0; k < g->cell_count; k++)
        g->touched[g->touched_count++] = (int32_t)k;
    evaluate(g);
    settle(g);
    for (int64_t k = 0; k < count; k++) {
        if (k == 1) /* the first row only sets the initial state */
            forget_toggles(g);
        g->cycle = k;
        g->row = g->energy_pj + g->unit_count * k;
        int64_t changed = sample(g), start = ++g->now;
        release(g, changed);
        for (int64_t i = 0; i < width; i++)
            if (g->value[g->ports[i]] != values[k * width + i])
                flip(g, g->ports[i]);
        evaluate(g);
        settle(g);
        if (g->now - start > g->longest_ps)
            g->longest_ps = g->now - start;
    }
}
