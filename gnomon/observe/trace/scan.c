/* The value changes of a VCD: one pass over the bytes, a few numbers per bit.

   The buffer may end anywhere. A command that is not complete is left to the next call, which gets
   it again with more bytes behind it. */

#include "scan_state.h"

enum {
    UNKNOWN = 2,               /* of the values 0, 1, x, z */
    STATES = 5,                /* times per bit */
    BASE = 94,                 /* characters an identifier code may have */
    DIRECT_LENGTH = 3,         /* codes up to this length index a table */
    WORD_BITS = 64,
};
#define MAX_TIME (INT64_C(1) << 62)

/* What a byte can begin. GHDL and extended writers also use the nine values of std_logic. */
enum { OTHER, SPACE, VECTOR, NUMBER, TIME_MARK, DOLLAR, VALUE = 8 };
#define ZERO (VALUE + 0)
#define ONE (VALUE + 1)
#define X (VALUE + 2)
#define Z (VALUE + 3)

static const uint8_t KINDS[256] = {
    ['0'] = ZERO, ['l'] = ZERO, ['L'] = ZERO,
    ['1'] = ONE, ['h'] = ONE, ['H'] = ONE,
    ['x'] = X, ['X'] = X, ['u'] = X, ['U'] = X, ['w'] = X, ['W'] = X, ['-'] = X,
    ['z'] = Z, ['Z'] = Z,
    [' '] = SPACE, ['\t'] = SPACE, ['\r'] = SPACE, ['\n'] = SPACE, ['\v'] = SPACE, ['\f'] = SPACE,
    ['b'] = VECTOR, ['B'] = VECTOR,
    ['r'] = NUMBER, ['R'] = NUMBER, ['s'] = NUMBER, ['S'] = NUMBER,
    ['#'] = TIME_MARK, ['$'] = DOLLAR,
};

enum keyword { END, COMMENT, DUMPVARS, DUMPALL, DUMPON, DUMPOFF, VCDCLOSE, FIRST_DECLARATION };
static const char *const KEYWORDS[] = {
    "$end", "$comment", "$dumpvars", "$dumpall", "$dumpon", "$dumpoff", "$vcdclose",
    "$var", "$scope", "$upscope", "$timescale", "$enddefinitions",
};
enum { KEYWORD_COUNT = sizeof KEYWORDS / sizeof *KEYWORDS };

/* Of an identifier code, or -1: it has characters that none has. */
static int64_t code_key(const uint8_t *code, int64_t length) {
    uint64_t key = 0;
    for (int64_t k = 0; k < length; k++) {
        if (code[k] < 33 || code[k] > 126)
            return -1;
        key = key * BASE + code[k] - 32;
    }
    return (int64_t)(key & INT64_MAX);
}

static int64_t first_slot(const Scanner *s, int64_t key) {
    return (key ^ (key >> 20)) & s->slot_mask;
}

/* The net of an identifier code, or -1. */
static int64_t find_code(const Scanner *s, const uint8_t *code, int64_t length) {
    int64_t key = code_key(code, length);
    if (key < 0)
        return -1;
    if (length <= DIRECT_LENGTH)
        return s->direct[key];
    for (int64_t place = first_slot(s, key);; place = (place + 1) & s->slot_mask) {
        int64_t net = s->slots[place];
        if (net < 0)
            return -1;
        const uint8_t *own = s->codes + s->code_at[net];
        if (s->code_at[net + 1] - s->code_at[net] == length && memcmp(own, code, length) == 0)
            return net;
    }
}

/* Fill the tables that find_code looks into; they hold -1 everywhere before. */
EXPORT void index_codes(Scanner *s) {
    for (int64_t net = 0; net < s->nets; net++) {
        int64_t length = s->code_at[net + 1] - s->code_at[net];
        int64_t key = code_key(s->codes + s->code_at[net], length);
        if (key < 0)
            continue; /* the declarations hold no such code */
        if (length <= DIRECT_LENGTH) {
            s->direct[key] = (int32_t)net;
            continue;
        }
        int64_t place = first_slot(s, key);
        while (s->slots[place] >= 0)
            place = (place + 1) & s->slot_mask;
        s->slots[place] = (int32_t)net;
    }
}

/* Whether two settled values are 0 and 1. */
static int64_t toggled(int64_t one, int64_t other) {
    return one + other == 1;
}

/* Take over a new value of one bit; `window` is the first time that counts.
   A second change in one instant replaces the first: only settled values count. */
static void set_bit(const Scanner *s, int64_t bit, uint8_t value, int64_t window) {
    uint8_t old = s->now[bit];
    if (s->since[bit] == s->time) {
        if (s->time >= window)
            s->toggles[bit] += toggled(s->before[bit], value) - toggled(s->before[bit], old);
    } else {
        if (s->time >= window) {
            int64_t from = s->since[bit] > window ? s->since[bit] : window;
            s->times[STATES * bit + old] += s->time - from;
            s->toggles[bit] += toggled(old, value);
        }
        s->before[bit] = old;
        s->since[bit] = s->time;
    }
    s->now[bit] = value;
}

/* A rising edge of the clock; two in one instant are one. Its time since the edge before it is
   counted by length, unless the clock was unknown in between. */
static void note_rise(Scanner *s) {
    if (s->clock_open && s->clock_last == s->time)
        return;
    if (s->clock_open) {
        const int64_t length = s->time - s->clock_last;
        int64_t k = 0;
        while (k < s->interval_rows && s->intervals[2 * k] != length)
            k++;
        if (k == s->interval_rows && k + 1 < s->interval_limit)
            s->intervals[2 * s->interval_rows++] = length;
        if (k < s->interval_rows)
            s->intervals[2 * k + 1]++;
        else
            s->further_intervals++;
    }
    s->clock_open = 1;
    s->clock_last = s->time;
}

/* Take over a value of a net of one bit. */
static void set_net(Scanner *s, int64_t net, uint8_t value, int64_t window) {
    int64_t bit = s->net_bit[net];
    uint8_t old = s->now[bit];
    if (old == value)
        return;
    if (net == s->clock_net) {
        if (value >= UNKNOWN)
            s->clock_open = 0;
        else if (value == 1 && old == 0 && s->time >= 0)
            note_rise(s);
    }
    set_bit(s, bit, value, window);
}

/* Take over a vector value; E_NONE, or what is wrong with it.

   Digits are packed into words, so that only bits that differ cost more than their digit. Fewer
   digits than bits extend with 0, or with x or z if the first digit is that. */
static int64_t set_vector(
    const Scanner *s, const uint8_t *first, const uint8_t *last, int64_t net, int64_t window
) {
    int64_t width = s->net_width[net];
    while (last - first > width && *first == '0')
        first++;
    if (last - first > width) {
        for (; first < last; first++)
            if (KINDS[*first] < VALUE)
                return E_DIGIT;
        return E_WIDE;
    }
    uint8_t left = KINDS[*first];
    if (left < VALUE)
        return E_DIGIT;
    uint64_t fill_odd = left >= X ? UINT64_MAX : 0;
    uint64_t fill_one = left == Z ? UINT64_MAX : 0;
    int64_t word = s->net_word[net];
    for (int64_t low = 0; low < width; low += WORD_BITS, word++) {
        int64_t count = width - low < WORD_BITS ? width - low : WORD_BITS;
        int64_t given = last - first < count ? last - first : count;
        uint64_t one = 0, odd = 0;
        for (int64_t k = 0; k < given; k++) {
            uint8_t kind = KINDS[*--last];
            if (kind < VALUE)
                return E_DIGIT;
            one |= (uint64_t)(kind & 1) << k;
            odd |= (uint64_t)(kind >> 1 & 1) << k;
        }
        if (given < WORD_BITS) {
            one |= fill_one << given;
            odd |= fill_odd << given;
        }
        uint64_t changed = (one ^ s->ones[word]) | (odd ^ s->strange[word]);
        if (count < WORD_BITS)
            changed &= ~(UINT64_MAX << count);
        s->ones[word] = one;
        s->strange[word] = odd;
        for (; changed; changed &= changed - 1) {
            int k = __builtin_ctzll(changed);
            uint8_t value = (uint8_t)((one >> k & 1) | (odd >> k & 1) << 1);
            set_bit(s, s->net_bit[net] + low + k, value, window);
        }
    }
    return E_NONE;
}

/* Suspend the recording: all is unknown up to $dumpon, and changes before it say nothing. What
   changed in this very instant has settled, so its toggle stays counted. */
static void suspend(Scanner *s, int64_t window) {
    s->suspended = 1;
    s->clock_open = 0;
    memset(s->ones, 0, s->words * sizeof *s->ones);
    memset(s->strange, 0xFF, s->words * sizeof *s->strange);
    for (int64_t bit = 0; bit < s->bits; bit++) {
        if (s->since[bit] == s->time)
            s->now[bit] = UNKNOWN;
        else if (s->now[bit] != UNKNOWN)
            set_bit(s, bit, UNKNOWN, window);
        s->before[bit] = UNKNOWN;
    }
}

/* A time mark's time, or -1. */
static int64_t read_time(const uint8_t *at, const uint8_t *end) {
    int64_t time = at < end ? 0 : -1;
    for (; at < end; at++) {
        if (*at < '0' || *at > '9' || time > MAX_TIME / 10 - 1)
            return -1;
        time = time * 10 + *at - '0';
    }
    return time;
}

/* The keyword of a word, or -1. */
static int find_keyword(const uint8_t *at, const uint8_t *end) {
    for (int which = 0; which < KEYWORD_COUNT; which++) {
        const char *text = KEYWORDS[which];
        const uint8_t *byte = at;
        while (byte < end && *text == (char)*byte && *text)
            text++, byte++;
        if (byte == end && !*text)
            return which;
    }
    return -1;
}

static const uint8_t *word_end(const uint8_t *at, const uint8_t *end) {
    while (at < end && KINDS[*at] != SPACE)
        at++;
    return at;
}

static const uint8_t *skip_space(const uint8_t *at, const uint8_t *end, int64_t *line) {
    for (; at < end && KINDS[*at] == SPACE; at++)
        *line += *at == '\n';
    return at;
}

static int64_t first_counted(const Scanner *s) {
    return s->start > s->from ? s->start : s->from;
}

/* Read the commands in `buffer[:count]`; returns how many bytes are done with.

   `final`: nothing comes behind. `s->error` tells what stopped it. A net whose `net_bit` is below 0
   is known but not counted: -1 has bits, -2 has none (a real number, an event). */
EXPORT int64_t scan(Scanner *s, const uint8_t *buffer, int64_t count, bool final) {
    const uint8_t *at = buffer, *stop = buffer + count, *wrong = buffer;
    int64_t line = s->line, window = first_counted(s);
    int64_t error = E_NONE;
    for (;;) {
        at = skip_space(at, stop, &line);
        s->line = line; /* of the command that begins here */
        if (at >= stop)
            break;
        wrong = at;
        const uint8_t *end = word_end(at, stop);
        if (end == stop && !final)
            break;
        if (s->skipping) {
            if (find_keyword(at, end) == END)
                s->skipping = s->block_line = 0;
            at = end;
            continue;
        }
        uint8_t kind = KINDS[*at];
        if (kind >= VALUE) {
            if (end == at + 1) {
                error = end == stop ? E_CUT : E_NO_CODE;
                break;
            }
            int64_t net = find_code(s, at + 1, end - at - 1);
            if (net < 0) {
                error = E_CODE;
                break;
            }
            s->changes++;
            if (s->net_bit[net] >= 0 && !s->suspended) {
                if (s->net_width[net] == 1)
                    set_net(s, net, kind & 3, window);
                else
                    error = set_vector(s, at, at + 1, net, window);
            }
            at = end;
        } else if (kind == VECTOR || kind == NUMBER) {
            int64_t code_line = line;
            const uint8_t *code = skip_space(end, stop, &code_line);
            if (code == stop) {
                error = final ? E_CUT : E_NONE;
                break;
            }
            const uint8_t *code_end = word_end(code, stop);
            if (code_end == stop && !final)
                break;
            if (kind == VECTOR && end == at + 1) {
                error = E_DIGIT;
                break;
            }
            int64_t net = find_code(s, code, code_end - code);
            if (net < 0) {
                error = E_CODE;
                wrong = code;
                s->line = code_line;
                break;
            }
            s->changes++;
            if (kind == NUMBER) {
                if (s->net_bit[net] != -2)
                    error = E_NOT_BITS;
            } else if (s->net_bit[net] >= 0 && !s->suspended) {
                if (s->net_width[net] != 1 || end != at + 2)
                    error = set_vector(s, at + 1, end, net, window);
                else if (KINDS[at[1]] < VALUE)
                    error = E_DIGIT;
                else
                    set_net(s, net, KINDS[at[1]] & 3, window);
            }
            if (error) {
                s->error_net = net;
                break;
            }
            line = code_line;
            at = code_end;
        } else if (kind == TIME_MARK) {
            int64_t mark = read_time(at + 1, end);
            if (mark < 0 || mark < s->time) {
                error = mark < 0 ? E_TIME : E_TIME_BACK;
                break;
            }
            bool before = s->time < 0;
            s->time = mark;
            if (before)
                s->start = mark;
            if (mark >= s->to) {
                s->stopped = 1;
                break;
            }
            if (before) {
                /* Values before the first mark are those of its instant. */
                window = first_counted(s);
                for (int64_t bit = 0; bit < s->bits; bit++)
                    s->since[bit] = mark;
            }
            at = end;
        } else if (kind == DOLLAR) {
            int which = find_keyword(at, end);
            if (which < 0 || which >= FIRST_DECLARATION) {
                error = which < 0 ? E_KEYWORD : E_DECLARATION;
                break;
            }
            if (which == DUMPOFF)
                suspend(s, window);
            else if (which == DUMPON)
                s->suspended = 0;
            s->block_line = which == END ? 0 : line;
            s->skipping = which == COMMENT || which == VCDCLOSE;
            at = end;
        } else {
            error = E_WORD;
            break;
        }
    }
    s->error = error;
    s->error_at = wrong - buffer;
    return at - buffer;
}
