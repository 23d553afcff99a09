/* Operands of the instructions of the gallery, and hashes of their results: one source for the
   machine and the host. test_operands.py computes the same with NumPy. */
#include "units.h"

#define CORNERS 16
#define PER_HASH 1000 /* rounds per hash of the results of an instruction */
#define RESULTS 12

static const uint32_t corners[CORNERS] = {
    0, 1, 2, 0x7F, 0x80, 0xFF, 0x7FFF, 0x8000,
    0xFFFF, 0x10000, 0x7FFFFFFF, 0x80000000, 0x80000001, 0xFFFF8000, 0xFFFFFFFE, 0xFFFFFFFF,
};

static uint32_t mix(uint32_t n)
{
    n = (n ^ n >> 16) * 0x7FEB352Du;
    n = (n ^ n >> 15) * 0x846CA68Bu;
    return n ^ n >> 16;
}

/* Operand 0, 1 or 2 of a round: first all corners with all, then corners, small and any numbers. */
static uint32_t operand(uint32_t round, uint32_t which)
{
    if (round < CORNERS * CORNERS * CORNERS) return corners[round >> 4 * which & 15];
    const uint32_t choice = mix(3 * round + which), value = mix(choice ^ 0x9E3779B9u);
    const uint32_t kind = choice & 7;
    return kind == 0 ? corners[choice >> 3 & 15] : kind < 4 ? value >> (choice >> 27) : value;
}

static void hash_results(uint32_t round, uint32_t hash[RESULTS])
{
    const uint32_t a = operand(round, 0), b = operand(round, 1), c = operand(round, 2);
    cordic_load(a);
    uint32_t rest = 0;
    for (uint32_t step = round % 27; step; step--) rest = rest * 31 + cordic_step();
    const uint32_t results[RESULTS] = {
        popcount(a), mulr(a, b), mulrs(c, a, b), mulq(a, b), macq(c, a, b), requant(a, b, c),
        crc32b(c, a), crc32w(c, a), rest, cordic_step(), cordic_cos(), cordic_sin(),
    };
    for (int k = 0; k < RESULTS; k++) hash[k] = hash[k] * 31 + results[k];
}
