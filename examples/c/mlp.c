/*
 * A perceptron with two layers, quantized to int8: y = clip(relu(W x + b) >> 7). The vector version
 * holds the numbers in words, because the unit sums narrow elements without their sign.
 */
#include "gallery.h"

#define INPUTS 32
#define HIDDEN 24
#define OUTPUTS 10
#define SHIFT 7
#if VECTOR
typedef int number;
#else
typedef signed char number;
#endif
static number x[INPUTS], w1[HIDDEN][INPUTS], w2[OUTPUTS][HIDDEN];
static int b1[HIDDEN], b2[OUTPUTS], y[OUTPUTS];

#if VECTOR
/* The vector in scratchpad 0 goes through a layer. */
static void layer(const number *w, const int *b, unsigned inputs, unsigned outputs)
{
    kmemld(VCU_SPM(1), w, 4 * inputs * outputs);
    vcu_set_mvsize(4 * inputs);
    for (unsigned k = 0; k < outputs; k++)
        kdotp(VCU_SPM(2) + 4 * k, VCU_SPM(0), VCU_SPM(1) + 4 * inputs * k);
    kmemld(VCU_SPM(3), b, 4 * outputs);
    vcu_set_mvsize(4 * outputs);
    kaddv(VCU_SPM(2), VCU_SPM(2), VCU_SPM(3));
    krelu(VCU_SPM(2), VCU_SPM(2));
    ksrav(VCU_SPM(2), VCU_SPM(2), SHIFT);
    /* min(v, 127) = v - relu(v - 127) */
    ksvaddrf(VCU_SPM(3), VCU_SPM(2), (unsigned)-127);
    krelu(VCU_SPM(3), VCU_SPM(3));
    ksubv(VCU_SPM(0), VCU_SPM(2), VCU_SPM(3));
}
#else
static void layer(const number *w, const int *b, const number *in, int *out, int inputs, int outputs)
{
    for (int k = 0; k < outputs; k++, w += inputs) {
        int sum = b[k];
        for (int i = 0; i < inputs; i++) sum += w[i] * in[i];
        sum = (sum < 0 ? 0 : sum) >> SHIFT;
        out[k] = sum > 127 ? 127 : sum;
    }
}
#endif

GNOMON_REGION void work(void)
{
#if VECTOR
    vcu_set_mvtype(VCU_32_BIT);
    kmemld(VCU_SPM(0), x, sizeof x);
    layer(w1[0], b1, INPUTS, HIDDEN);
    layer(w2[0], b2, HIDDEN, OUTPUTS);
    kmemstr(y, VCU_SPM(0), sizeof y);
#else
    int sums[HIDDEN];
    number hidden[HIDDEN];
    layer(w1[0], b1, x, sums, INPUTS, HIDDEN);
    for (int k = 0; k < HIDDEN; k++) hidden[k] = (number)sums[k];
    layer(w2[0], b2, hidden, y, HIDDEN, OUTPUTS);
#endif
}

int main(void)
{
    unsigned seed = 3;
    for (int k = 0; k < INPUTS; k++) x[k] = (number)draw(&seed, 128);
    for (int k = 0; k < HIDDEN * INPUTS; k++) w1[0][k] = (number)draw(&seed, 32);
    for (int k = 0; k < OUTPUTS * HIDDEN; k++) w2[0][k] = (number)draw(&seed, 32);
    for (int k = 0; k < HIDDEN; k++) b1[k] = draw(&seed, 1024);
    for (int k = 0; k < OUTPUTS; k++) b2[k] = draw(&seed, 1024);
    work();
    for (int k = 0; k < OUTPUTS; k++) printf("%d ", y[k]);
    return 0;
}
