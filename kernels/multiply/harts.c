/*
 * Product of multiply/dots.c distributed over harts, so that the vector unit rarely
 * waits for the integer core:
 *   hart 0   loads a and the first column, issues all vector instructions, stores the result;
 *   hart 1   gathers the other columns of b, four at a time, and loads them;
 *   hart 2   if present, gathers part of the first group of columns.
 * One hart issues the dot products because more could not start them much sooner: two instructions
 * start at least busy + 1 cycles apart, from any hart. With 32 elements and four lanes this
 * is 15 cycles, as are five instructions of one hart.
 *
 * There is one transfer engine, and a load of a hart during a transfer stops all harts. So
 * only hart 1 loads and stores words while dot products run; it waits while its own
 * transfer is active; and hart 0 reads memory once per four columns.
 *
 * Scratchpad 0: a. 1 and 2: groups of columns of b, in turn; all stay. 3: the result of the
 * first rows. They are stored while the dot products of the last rows run, whose results go to
 * scratchpad 0, over rows of a that are no longer needed.
 */
#include "fx_vector.h"
#include "gnomon.h"
#include "multiply.h"

#if defined(GNOMON_ACTIVE_HARTS) && GNOMON_ACTIVE_HARTS > 1

#include "columns.h"

/* One hart alone processes this many words of a, or fewer: there is not enough time to hide. */
#define SMALL 64u
/* The last rows are one in this many: so few that their store is short, and so many that the store
 * before, of 2 cycles per word, overlaps their dot products, of 12 cycles at least. */
#define LAST_ROWS 8u

/* Number of rows of a that are finished before the last ones. */
static inline uint32_t first_rows_of(uint32_t rows)
{
    return rows >= 2u * LAST_ROWS ? rows - rows / LAST_ROWS : rows;
}

static inline int fits(uint32_t rows, uint32_t inner, uint32_t columns)
{
    /* Scratchpad 2 holds the first of the groups after column 0, then every second one; 1 holds
     * column 0 and the others. */
    const uint32_t groups = (columns + GROUP - 2u) / GROUP;
    const uint32_t kept = GROUP * ((groups + 1u) / 2u) + 1u;
    return rows > 1u && columns > 1u && rows * inner > SMALL &&
           inner <= GROUP_WORDS / GROUP && rows * inner <= FX_SPM_WORDS &&
           rows * columns <= FX_SPM_WORDS && kept * inner <= FX_SPM_WORDS &&
           columns <= (LAST_ROWS - 1u) * inner; /* results of the last rows, over a */
}

void fx_multiply_harts_help(uint32_t hart)
{
    if (hart == 0 || hart >= GATHERERS) {
        return;
    }
    while (job.posted[hart] == 0) {
        stand_aside(24u);
    }
    job.posted[hart] = 0;
    PUBLISH();
    const fx_t *const b = job.b;
    const uint32_t inner = job.inner, columns = job.columns;
    if (!fits(job.rows, inner, columns)) { /* then hart 0 works alone */
        return;
    }
    if (hart == 1u) {
        load_groups(b, inner, columns);
    } else {
        share_group(b, inner, columns);
    }
}

static inline void post(const fx_t *b, uint32_t rows, uint32_t inner, uint32_t columns)
{
    job.b = b;
    job.rows = rows;
    job.inner = inner;
    job.columns = columns;
    PUBLISH();
    for (uint32_t hart = 1; hart < GATHERERS; ++hart) {
        job.posted[hart] = 1u;
    }
}

/* One column, word by word. */
static inline void load_column(uint32_t to, const fx_t *from, uint32_t stride, uint32_t inner)
{
    const uint32_t end = to + 4u * inner;
    const char *at = (const char *)from;
    while (to + 16u <= end) { /* four words share one loop */
        for (uint32_t k = 0; k < 4u; ++k) {
            kmemld(to, at, 4u);
            to += 4u;
            FX_ADD_HERE(at, 4u * stride);
        }
    }
    for (; to != end; to += 4u, at += 4u * stride) {
        kmemld(to, at, 4u);
    }
}

/* Two or more rows of a in scratchpad 0, with steps through them and their results. */
struct rows {
    uint32_t first, last;
    uint32_t bytes, to_stride, next_column;
};

static inline struct rows rows_of(uint32_t first, uint32_t count, uint32_t inner,
                                  uint32_t columns)
{
    const struct rows rows = {
        .first = VCU_SPM(0) + first * 4u * inner,
        .last = VCU_SPM(0) + (first + count - 1u) * 4u * inner,
        .bytes = 4u * inner,
        .to_stride = 4u * columns,
        .next_column = 4u - (count - 1u) * 4u * columns,
    };
    return rows;
}

/* Their dot products with columns *column to end, each in the five issue slots that it takes.
 * Advances to the next column, and to the address of its results. */
static inline __attribute__((always_inline)) void dots(const struct rows *rows, uint32_t *to,
                                                       uint32_t *column, uint32_t end)
{
    do {
        uint32_t at = rows->first;
        do {
            kdotp(*to, at, *column);
            FX_ADD_HERE(at, rows->bytes);
            FX_ADD_HERE(*to, rows->to_stride);
        } while (at != rows->last);
        kdotp(*to, at, *column);
        FX_ADD_HERE(*column, rows->bytes);
        FX_ADD_HERE(*to, rows->next_column);
    } while (*column != end);
}

static inline void wait_for_groups(uint32_t number)
{
    while (job.loaded < number) {
    }
}

/*
 * First rows of a, and all columns as they arrive. After the last dot product of a group there is
 * time for two instructions, after the shift of the next group for a dozen: so setup happens
 * there, and hart 0 polls for the next group before the last column.
 */
static inline void multiply_first(const struct rows *rows, uint32_t to, uint32_t columns)
{
    const uint32_t bytes = rows->bytes;
    uint32_t column = VCU_SPM(1), jump = first_column(bytes).jump, number = 1;
    uint32_t group_bytes = first_width(columns) * bytes, left = (columns - 1u) * bytes;
    uint32_t next_bytes = GROUP * bytes, stop = column + bytes;
    FX_HERE(jump);
    FX_HERE(left);
    vcu_set_mvsize(bytes);
    ksrav(column, column, FX_PRE_SHIFT_B);
    FX_HERE(group_bytes);
    FX_HERE(next_bytes);
    dots(rows, &to, &column, stop);
    wait_for_groups(1);
    for (;;) {
        FX_ADD_HERE(column, jump);
        vcu_set_mvsize(group_bytes);
        ksrav(column, column, FX_PRE_SHIFT_B);
        job.begun = number;
        vcu_set_mvsize(bytes);
        uint32_t end = column;
        FX_HERE(end);
        FX_HERE(group_bytes);
        FX_ADD_HERE(end, group_bytes);
        FX_HERE(jump);
        FX_HERE(left);
        FX_HERE(number);
        const uint32_t last = end - bytes;
        jump = next_jump(jump, group_bytes);
        left -= group_bytes;
        ++number;
        FX_HERE(jump);
        FX_HERE(left);
        FX_HERE(number);
        group_bytes = next_bytes;
        FX_HERE(group_bytes);
        if (left == 0) {
            dots(rows, &to, &column, end);
            return;
        }
        if (column != last) {
            dots(rows, &to, &column, last);
        }
        const uint32_t loaded = job.loaded;
        dots(rows, &to, &column, end);
        if (loaded < number) {
            wait_for_groups(number);
        }
    }
}

/* All groups of columns in one scratchpad, up to the end of the results: between two of them is
 * a group in the other one. */
static inline __attribute__((always_inline)) void every_second(const struct rows *rows,
                                                               uint32_t to, uint32_t to_end,
                                                               uint32_t column, uint32_t end,
                                                               uint32_t group_bytes,
                                                               uint32_t to_first)
{
    dots(rows, &to, &column, end);
    FX_ADD_HERE(to, to_first);
    while (to < to_end) {
        FX_ADD_HERE(end, group_bytes);
        dots(rows, &to, &column, end);
        FX_ADD_HERE(to, (int32_t)(4u * GROUP));
    }
}

/* Last rows of a, and all columns from the scratchpads; the results of the first rows are stored
 * meanwhile, and no register may be saved or restored: a stack access would wait for the store. */
static inline void multiply_last(const struct rows *rows, uint32_t to, uint32_t columns,
                                 fx_t *out, uint32_t out_bytes)
{
    struct rows here = *rows;
    uint32_t width = first_width(columns), end = to + here.to_stride;
    uint32_t group_bytes = GROUP * here.bytes, first_bytes = width * here.bytes;
    FX_HERE(here.first);
    FX_HERE(here.last);
    FX_HERE(here.bytes);
    FX_HERE(here.to_stride);
    FX_HERE(here.next_column);
    FX_HERE(width);
    FX_HERE(end);
    FX_HERE(group_bytes);
    FX_HERE(first_bytes);
    vcu_set_mvsize(here.bytes);
    kmemstr(out, VCU_SPM(3), out_bytes);
    every_second(&here, to, end, VCU_SPM(1), VCU_SPM(1) + here.bytes, group_bytes, 4u * width);
    every_second(&here, to + 4u, end, VCU_SPM(2), VCU_SPM(2) + first_bytes, group_bytes,
                 4u * GROUP);
}

static __attribute__((noinline)) void multiply(const fx_t *a, const fx_t *b, fx_t *out,
                                               uint32_t rows, uint32_t inner, uint32_t columns)
{
    const uint32_t first_rows = first_rows_of(rows), last_rows = rows - first_rows;
    const uint32_t first_words = first_rows * inner, last_words = last_rows * inner;
    const uint32_t last_a = VCU_SPM(0) + 4u * first_words;
    if (inner <= GROUP_WORDS / GROUP && first_words <= FX_SPM_WORDS) {
        load_column(VCU_SPM(1), b, columns, inner);
        kmemld(VCU_SPM(0), a, 4u * first_words);
        vcu_set_mvtype(VCU_32_BIT);
        vcu_set_mvsize(4u * first_words);
        ksrav(VCU_SPM(0), VCU_SPM(0), FX_PRE_SHIFT_A);
    }
    if (!fits(rows, inner, columns)) { /* seen while a is shifted */
        fx_multiply_vector_floor_wrap(a, b, out, rows, inner, columns);
        return;
    }
    const struct rows first = rows_of(0, first_rows, inner, columns);
    multiply_first(&first, VCU_SPM(3), columns);
    kmemld(last_a, a + first_words, 4u * last_words); /* during the shift */
    vcu_set_mvsize(4u * first_rows * columns);
    ksrav(VCU_SPM(3), VCU_SPM(3), FX_POST_SHIFT);
    job.half = 0; /* the other harts have finished; for the next product */
    job.loaded = 0;
    job.begun = 0;
    if (last_rows == 0) {
        kmemstr(out, VCU_SPM(3), 4u * first_rows * columns);
        return;
    }
    vcu_set_mvsize(4u * last_words);
    ksrav(last_a, last_a, FX_PRE_SHIFT_A);
    const struct rows last = rows_of(first_rows, last_rows, inner, columns);
    multiply_last(&last, VCU_SPM(0), columns, out, 4u * first_rows * columns);
    vcu_set_mvsize(4u * last_rows * columns);
    ksrav(VCU_SPM(0), VCU_SPM(0), FX_POST_SHIFT);
    kmemstr(out + first_rows * columns, VCU_SPM(0), 4u * last_rows * columns);
}

void fx_multiply_harts_floor_wrap(const fx_t *a, const fx_t *b, fx_t *out, uint32_t rows,
                                  uint32_t inner, uint32_t columns)
{
    post(b, rows, inner, columns);
    if (rows * inner <= SMALL) {
        fx_multiply_vector_floor_wrap(a, b, out, rows, inner, columns);
    } else {
        multiply(a, b, out, rows, inner, columns);
    }
}

#else /* one hart */

void fx_multiply_harts_help(uint32_t hart)
{
    (void)hart;
}

void fx_multiply_harts_floor_wrap(const fx_t *a, const fx_t *b, fx_t *out, uint32_t rows,
                                  uint32_t inner, uint32_t columns)
{
    fx_multiply_vector_floor_wrap(a, b, out, rows, inner, columns);
}

#endif
