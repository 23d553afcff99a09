/*
 * Columns of b for the product in multiply/harts.c: harts 1 and 2 gather and load them, a group
 * at a time. Included by harts.c alone.
 */
#ifndef MULTIPLY_COLUMNS_H
#define MULTIPLY_COLUMNS_H
#include "fx_vector.h"
#include "gnomon.h"

#define GROUP 4u
#define GATHERERS (GNOMON_ACTIVE_HARTS > 2 ? 3u : 2u)
#define GROUP_WORDS 256u /* so up to 64 rows of b */

/* Memory may be read by another hart, or by a transfer, from here on. */
#define PUBLISH() __asm__ volatile("" ::: "memory")

static struct {
    volatile uint32_t posted[3]; /* by hart 0 for each hart, which takes it back */
    volatile uint32_t half;      /* of the first group is in memory: that of hart 2 */
    volatile uint32_t loaded;    /* groups in scratchpads; written by hart 1 */
    volatile uint32_t begun;     /* groups that hart 0 processes or has finished */
    const fx_t *b;
    uint32_t rows, inner, columns;
} job;

/* A group of columns of b, one after the other. */
static fx_t group[GROUP_WORDS];

/*
 * Place of columns: the first one in scratchpad 1, then groups of them in 2 and 1 in turn.
 * From the end of one group to the start of the next it is `jump` bytes.
 */
struct columns {
    uint32_t at, jump;
};

static inline struct columns first_column(uint32_t column_bytes)
{
    const struct columns columns = {VCU_SPM(1) + column_bytes,
                                    VCU_SPM(2) - VCU_SPM(1) - column_bytes};
    return columns;
}

/* Call after each jump, with the size of the group at its target. */
static inline uint32_t next_jump(uint32_t jump, uint32_t group_bytes)
{
    return 0u - group_bytes - jump;
}

/* Groups after column 0 have four columns, but the first group is small, as hart 0 waits for it. */
static inline uint32_t first_width(uint32_t columns)
{
    return (columns + GROUP - 2u) % GROUP + 1u;
}

/* Two rows of three or four columns, loads first; `at` is the place in the columns. */
static inline __attribute__((always_inline)) void gather_rows(const char *row[2],
                                                              uint32_t step_bytes,
                                                              volatile fx_t *into[GROUP],
                                                              uint32_t at, const uint32_t width)
{
    fx_t of[2][GROUP];
    for (uint32_t k = 0; k < 2u; ++k) {
        for (uint32_t j = 0; j < width; ++j) {
            of[k][j] = ((const volatile fx_t *)row[k])[j];
        }
        FX_ADD_HERE(row[k], step_bytes);
    }
    for (uint32_t j = 0; j < width; ++j) {
        into[j][at] = of[0][j];
        into[j][at + 1u] = of[1][j];
    }
}

static inline __attribute__((always_inline)) void gather_wide(const fx_t *from, uint32_t stride,
                                                              const uint32_t width,
                                                              uint32_t inner, uint32_t first,
                                                              uint32_t count)
{
    const char *row[2] = {(const char *)from, (const char *)(from + stride)};
    volatile fx_t *into[GROUP];
    for (uint32_t j = 0; j < width; ++j) {
        into[j] = &group[first + j * inner];
    }
    const volatile fx_t *const end = into[0] + count;
    do { /* four rows share one loop */
        gather_rows(row, 8u * stride, into, 0, width);
        gather_rows(row, 8u * stride, into, 2, width);
        for (uint32_t j = 0; j < width; ++j) {
            FX_ADD_HERE(into[j], 16);
        }
    } while (into[0] != end);
}

/* Rows first .. end - 1 of `width` columns of b. */
static inline __attribute__((always_inline)) void gather(const fx_t *from, uint32_t stride,
                                                         uint32_t width, uint32_t inner,
                                                         uint32_t first, uint32_t end)
{
    const uint32_t by_fours = (end - first) & ~3u;
    from += first * stride;
    if (width >= 3u && by_fours != 0) {
        if (width == 3u) {
            gather_wide(from, stride, 3u, inner, first, by_fours);
        } else {
            gather_wide(from, stride, 4u, inner, first, by_fours);
        }
        from += by_fours * stride;
        first += by_fours;
    }
    for (; first < end; ++first, from += stride) {
        for (uint32_t j = 0; j < width; ++j) {
            group[j * inner + first] = from[j];
        }
    }
}

/* Two instructions of 3 cycles per iteration: as long as the transfer of six words. */
static inline uint32_t rounds_of(uint32_t words)
{
    return words / 6u + 1u;
}

/* Without loads, which would stop all harts during a transfer. */
static inline void stand_aside(uint32_t rounds)
{
    do {
        --rounds;
        FX_HERE(rounds);
    } while (rounds != 0);
}

/* The rows of b from which hart 1 gathers the first group; hart 2, if any, does the others. */
static inline uint32_t half_of(uint32_t inner)
{
    return GATHERERS > 2u ? inner / 2u & ~3u : inner;
}

/* Hart 1: all columns of b from the second, one group ahead of hart 0. */
static inline void load_groups(const fx_t *b, uint32_t inner, uint32_t columns)
{
    struct columns place = first_column(4u * inner);
    const fx_t *const end = b + columns;
    uint32_t width = first_width(columns), number = 0;
    ++b;
    for (;;) {
        const uint32_t words = width * inner;
        place.at += place.jump;
        gather(b, columns, width, inner, 0, number == 0 ? half_of(inner) : inner);
        while (GATHERERS > 2u && job.half == 0) {
        }
        while (job.begun < number) { /* the scratchpad is in use until then */
            stand_aside(40u);
        }
        uint32_t bytes = 4u * words, rounds = rounds_of(words);
        ++number;
        FX_HERE(number);
        FX_HERE(bytes);
        FX_HERE(rounds);
        FX_HERE(place.at);
        PUBLISH();
        /* The transfer starts one instruction of this hart later. Hart 0 has at least three between
         * this load and its next vector instruction, which then waits for the transfer's end. */
        job.loaded = number;
        kmemld(place.at, group, bytes);
        stand_aside(rounds);
        place.at += bytes;
        place.jump = next_jump(place.jump, bytes);
        b += width;
        if (b == end) {
            return;
        }
        width = GROUP;
    }
}

/* Hart 2: its part of the first group. */
static inline void share_group(const fx_t *b, uint32_t inner, uint32_t columns)
{
    const uint32_t width = first_width(columns);
    gather(b + 1, columns, width, inner, half_of(inner), inner);
    PUBLISH();
    job.half = 1u;
    /* Hart 1 starts the transfer now, and this hart's next load must not overlap it, not even a load
     * of registers saved on its stack. */
    stand_aside(rounds_of(2u * width * inner));
}

#endif
