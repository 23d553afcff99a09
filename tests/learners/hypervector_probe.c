/* Each function of packed hypervectors, for a test in Python. LEARNER_COMPONENTS: D. */
#include "accumulator.h"
#include "explorer.h"
#include "planes.h"

const uint32_t probe_words = HV_WORDS;

uint32_t probe_hamming(const uint32_t *a, const uint32_t *b)
{
    return hv_hamming(a, b);
}

void probe_rotate(const uint32_t *from, uint32_t *to)
{
    hv_rotate(from, to);
}

uint32_t probe_bernoulli(uint32_t *random, uint32_t share, uint32_t bits)
{
    return hv_bernoulli(random, share, bits);
}

int32_t probe_accumulated_dot(const struct accumulator *of, const uint32_t *x)
{
    return accumulated_dot(of, x);
}

void probe_accumulate(struct accumulator *of, const uint32_t *x, int32_t step)
{
    accumulate(of, x, step);
}

void probe_binarize(struct accumulator *of)
{
    binarize(of);
}

int32_t probe_cosine(int32_t dot, const uint32_t *squares)
{
    return cosine(dot, (uint64_t)squares[1] << 32 | squares[0]);
}

int32_t probe_clipped_dot(const struct clipped *of, const uint32_t *x)
{
    return clipped_dot(of, x);
}

void probe_clipped_add(struct clipped *of, const uint32_t *up, const uint32_t *down)
{
    for (uint32_t word = 0; word < HV_WORDS; ++word) {
        clipped_add(of, word, up[word], down[word]);
    }
}

int probe_nearer(int32_t dot_a, uint64_t squares_a, int32_t dot_b, uint64_t squares_b)
{
    return nearer((struct similarity){dot_a, squares_a}, (struct similarity){dot_b, squares_b});
}
