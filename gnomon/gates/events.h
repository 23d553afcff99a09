/* Events of nets: each has a rise and a fall delay, inertial as in Verilog, in picoseconds. */
#ifndef EVENTS_H
#define EVENTS_H

#include "gates_state.h"

#define NONE (-1)
#define PREFETCH(address) __builtin_prefetch(address)

static inline int64_t price_of(const Gates *g, const Net *net) {
    int64_t price = net->energy_at + net->cause * (net->states + 1);
    return net->states ? price + g->cells[net->driver].index : price;
}

/* Two edges of a net in a cycle leave its value as it was: their energy is that of a glitch. */
static inline void see_edge(Gates *g, int64_t number, int64_t unit, double pj) {
    Edge *last = &g->last[number];
    if (last->cycle == g->cycle) {
        (g->glitch_pj + (g->row - g->energy_pj))[unit] += last->pj + pj;
        last->cycle = NONE;
    } else {
        last->cycle = g->cycle;
        last->pj = pj;
    }
}

static inline void flip(Gates *g, int64_t number) {
    Net *net = &g->nets[number];
    bool now = g->value[number] ^= 1;
    int64_t price = price_of(g, net);
    double pj = now ? g->rise_pj[price] : g->fall_pj[price];
    (net->of_clock ? g->clock_row : g->row)[net->unit] += pj;
    if (!net->of_clock)
        see_edge(g, number, net->unit, pj);
    net->toggles++;
    for (int64_t k = net->first; k < net->last; k++) {
        int32_t sink = g->sinks[k], place = sink >> 3;
        Cell *cell = &g->cells[place];
        cell->index ^= (uint8_t)(1 << (sink & 7));
        cell->latest = sink & 7;
        if (!cell->marked) {
            cell->marked = 1;
            PREFETCH(&g->nets[cell->output]);
            g->touched[g->touched_count++] = place;
        }
    }
    if (net->watch_first < net->watch_last)
        g->edges[g->edge_count++] = (int32_t)number;
}

/* A net has one event at most, and that is for the other value. Its energy is that of the input
   that causes it, the last of several. What the event needs is fetched when it is planned: a
   netlist is larger than the caches. */
static inline void drive(Gates *g, int64_t number, bool value, uint8_t cause) {
    Net *net = &g->nets[number];
    if (net->place != NONE) {
        if (value != g->value[number])
            return;
        int32_t before = net->before, behind = net->behind;
        if (before == NONE)
            g->wheel[net->place] = behind;
        else
            g->nets[before].behind = behind;
        if (behind != NONE)
            g->nets[behind].before = before;
        net->place = NONE;
        g->events--;
    } else if (value != g->value[number]) {
        int64_t at = g->now + (value ? net->rise_ps : net->fall_ps);
        int32_t place = (int32_t)(at & (WHEEL - 1)), behind = g->wheel[place];
        net->before = NONE;
        net->behind = behind;
        if (behind != NONE)
            g->nets[behind].before = (int32_t)number;
        g->wheel[place] = (int32_t)number;
        net->place = place;
        net->cause = cause;
        g->events++;
        PREFETCH((value ? g->rise_pj : g->fall_pj) + price_of(g, net));
        for (int64_t k = net->first; k < net->last; k++)
            PREFETCH(&g->cells[g->sinks[k] >> 3]);
    }
}

static inline void evaluate(Gates *g) {
    for (int64_t k = 0; k < g->touched_count; k++) {
        Cell *cell = &g->cells[g->touched[k]];
        cell->marked = 0;
        drive(g, cell->output, cell->truth >> cell->index & 1, cell->latest);
    }
    g->touched_count = 0;
}

/* Flip the nets that have an event now; false if there are none. */
static inline bool happen(Gates *g) {
    int64_t place = g->now & (WHEEL - 1);
    if (g->wheel[place] == NONE)
        return false;
    for (int32_t net = g->wheel[place]; net != NONE; net = g->nets[net].behind) {
        g->nets[net].place = NONE;
        g->events--;
        flip(g, net);
    }
    g->wheel[place] = NONE;
    return true;
}

static inline void settle(Gates *g) {
    while (g->events)
        if (happen(g))
            evaluate(g);
        else
            g->now++;
}

/* Nets without a driving cell change immediately; net 0 replaces missing nets. */
static inline void put(Gates *g, const int32_t *nets, int width, uint32_t value) {
    for (int k = 0; k < width; k++)
        if (nets[k] > 1 && g->value[nets[k]] != (value >> k & 1))
            flip(g, nets[k]);
}

static inline void forget_toggles(Gates *g) {
    for (int64_t k = 0; k < g->net_count; k++)
        g->nets[k].toggles = 0;
}

#endif
