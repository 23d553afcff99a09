/* A netlist with clocks, resets and latches: rows of inputs, one a cycle, and the outputs that each
   must give. Cells of the clock network have no delay, as after the synthesis of a balanced tree;
   their energy and that of clock pins is in `clock_row`. */

#include "events.h"

enum { OF_CLOCK, OF_DATA, OF_RESET }; /* what a watched net is to an element */
enum { EQUAL, DIFFERENT, ENDLESS };
#define MOST_STEPS 1000 /* of the clock network, whose cells have no delay, after an edge */

static bool is_at(const Gates *g, int32_t net, uint8_t level) {
    return net && g->value[net] == level;
}

static void take(Gates *g, int64_t number, bool value) {
    const Element *it = &g->elements[number];
    if (g->state[number] == value)
        return;
    g->state[number] = value;
    drive(g, it->q, value ^ it->inverts, 0);
}

/* Return whether a set or reset decides the state, and obey it. */
static bool is_held(Gates *g, int64_t number) {
    const Element *it = &g->elements[number];
    bool clears = is_at(g, it->clear, it->clear_level);
    bool presets = is_at(g, it->preset, it->preset_level);
    if (clears || presets)
        take(g, number, presets && (!clears || it->preset_first));
    return clears || presets;
}

/* The clock of an element becomes active: its pin takes energy for the whole cycle. */
static void clock_element(Gates *g, int64_t number) {
    const Element *it = &g->elements[number];
    bool d = g->value[it->d], q = g->state[number] ^ it->inverts;
    g->clock_row[g->nets[it->q].unit] += g->pin_pj[4 * number + (d | q << 1)];
    if (is_held(g, number) || g->state[number] == d)
        return;
    int32_t word = g->word_of[number];
    if (g->clocked[word] != g->cycle + 1 && g->cycle >= g->lead)
        g->gated_pj[0] += g->word_pj[word];
    g->clocked[word] = g->cycle + 1;
    take(g, number, d);
}

static void follow(Gates *g, int64_t number) {
    const Element *it = &g->elements[number];
    if (!is_held(g, number) && it->latch && g->value[it->clock] == it->active)
        take(g, number, g->value[it->d]);
}

static void react(Gates *g) {
    evaluate(g);
    for (int64_t k = 0; k < g->edge_count; k++) {
        const Net *net = &g->nets[g->edges[k]];
        for (int64_t w = net->watch_first; w < net->watch_last; w++) {
            int64_t number = g->watchers[w] >> 2;
            if ((g->watchers[w] & 3) != OF_CLOCK || !g->started)
                follow(g, number); /* before the start there are no edges */
            else if (g->value[g->edges[k]] == g->elements[number].active)
                clock_element(g, number);
        }
    }
    g->edge_count = 0;
}

/* Run until nothing changes; false if that takes more than `limit_ps`. */
static bool calm(Gates *g) {
    int64_t start = g->now;
    react(g);
    while (g->events) {
        if (happen(g))
            react(g);
        else if (++g->now - start > g->limit_ps)
            return false;
    }
    if (g->now - start > g->longest_ps)
        g->longest_ps = g->now - start;
    return true;
}

static bool set_clocks(Gates *g, bool value) {
    for (int64_t k = 0; k < g->clock_count; k++)
        if (g->value[g->clocks[k]] != value)
            flip(g, g->clocks[k]);
    react(g);
    int64_t steps = 0;
    for (; steps < MOST_STEPS && happen(g); steps++)
        react(g);
    return steps < MOST_STEPS;
}

static void apply(Gates *g, const uint8_t *row, int64_t width) {
    for (int64_t i = 0; i < width; i++)
        if (g->value[g->ports[i]] != (row[i] & 1))
            flip(g, g->ports[i]);
}

/* The first row is there before the first clock edge, too: that of a core has its reset. */
static bool start(Gates *g, const uint8_t *row, int64_t width) {
    g->clock_row = g->clock_pj;
    for (int64_t k = 0; k < g->cell_count; k++)
        g->touched[g->touched_count++] = (int32_t)k;
    for (int64_t k = 0; k < g->flip_flop_count; k++) {
        if (g->state[k] ^ g->elements[k].inverts)
            drive(g, g->elements[k].q, true, 0);
        follow(g, k);
    }
    bool calms = calm(g);
    apply(g, row, width);
    calms = calms && calm(g);
    g->started = 1;
    return calms;
}

/* Replay rows. Return EQUAL after the last one; else the row is `cycle` and, if an output is
   DIFFERENT, its place `wrong_output`. Expected values above 1 are not compared. */
EXPORT int64_t gates_replay(Gates *g, const uint8_t *inputs, const uint8_t *expected, int64_t count,
                            int64_t width, int64_t outputs) {
    if (!g->started && count && !start(g, inputs, width))
        return ENDLESS;
    for (int64_t k = 0; k < count; k++, g->cycle++) {
        int64_t window = g->cycle < g->lead ? 0 : 1 + (g->cycle - g->lead) / g->window;
        if (g->cycle == g->lead) {
            forget_toggles(g);
            g->longest_ps = 0;
        }
        g->row = g->energy_pj + g->unit_count * window;
        g->clock_row = g->clock_pj + g->unit_count * window;
        g->now++;
        if (!set_clocks(g, true))
            return ENDLESS;
        apply(g, inputs + k * width, width);
        if (!calm(g))
            return ENDLESS;
        if (!set_clocks(g, false) || !calm(g))
            return ENDLESS;
        for (int64_t i = 0; i < outputs; i++)
            if (expected[k * outputs + i] < 2 &&
                g->value[g->outputs[i]] != expected[k * outputs + i]) {
                g->wrong_output = i;
                return DIFFERENT;
            }
    }
    return EQUAL;
}
