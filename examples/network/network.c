/*
 * A small convolutional network in int8: convolution, depthwise convolution, dense layer. Sums are
 * int32 and become int8 by requantization, with one multiplier per channel. Weights, multipliers
 * and biases are constants: memory.link.constants of a machine with regions places them.
 *
 *     gnomon run examples/network/network.c --arch examples/network/board.yaml --profile
 */
#include "gnomon.h"
#include "weights.h"
#include <stdio.h>

#define IMAGE 10                 /* pixels of a side */
#define WIDE (IMAGE - 2)         /* after the convolution 3 x 3 */
#define NARROW ((WIDE - 3) / 2 + 1) /* after the depthwise convolution 3 x 3, stride 2 */

static int8_t image[IMAGE][IMAGE], wide[WIDE][WIDE][CHANNELS], narrow[NARROW][NARROW][CHANNELS];
static int8_t scores[CLASSES];

/* Return sum * multiplier / 2^38, rounded to nearest, halves up, and clipped. */
static int8_t requantize(int32_t sum, int32_t multiplier, int32_t least)
{
    const int64_t half = (int64_t)1 << 37;
    const int32_t value = (int32_t)(((int64_t)sum * multiplier + half) >> 38);
    return (int8_t)(value < least ? least : value > 127 ? 127 : value);
}

static __attribute__((noinline)) void convolve(void)
{
    for (int y = 0; y < WIDE; y++)
        for (int x = 0; x < WIDE; x++)
            for (int c = 0; c < CHANNELS; c++) {
                int32_t sum = conv_biases[c];
                for (int v = 0; v < 3; v++)
                    for (int u = 0; u < 3; u++) sum += conv_weights[c][v][u] * image[y + v][x + u];
                wide[y][x][c] = requantize(sum, conv_multipliers[c], 0);
            }
}

static __attribute__((noinline)) void convolve_depthwise(void)
{
    for (int y = 0; y < NARROW; y++)
        for (int x = 0; x < NARROW; x++)
            for (int c = 0; c < CHANNELS; c++) {
                int32_t sum = depth_biases[c];
                for (int v = 0; v < 3; v++)
                    for (int u = 0; u < 3; u++)
                        sum += depth_weights[c][v][u] * wide[2 * y + v][2 * x + u][c];
                narrow[y][x][c] = requantize(sum, depth_multipliers[c], 0);
            }
}

static __attribute__((noinline)) void classify(void)
{
    const int8_t *const in = narrow[0][0];
    for (int k = 0; k < CLASSES; k++) {
        int32_t sum = dense_biases[k];
        for (int i = 0; i < NARROW * NARROW * CHANNELS; i++) sum += dense_weights[k][i] * in[i];
        scores[k] = requantize(sum, dense_multipliers[k], -128);
    }
}

GNOMON_REGION void infer(void)
{
    convolve();
    convolve_depthwise();
    classify();
}

/* Prints the scores; returns the class with the largest one. */
int main(void)
{
    for (int y = 0; y < IMAGE; y++)
        for (int x = 0; x < IMAGE; x++) image[y][x] = (int8_t)(x * 23 + y * 37 + x * y * 11);
    infer();
    int best = 0;
    for (int k = 0; k < CLASSES; k++) {
        printf("%d ", scores[k]);
        if (scores[k] > scores[best]) best = k;
    }
    return best;
}
