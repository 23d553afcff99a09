/*
 * A Kalman filter for many tracks of the same model (position, velocity), shared by all harts that
 * run: each has its tracks. The gain is one division per step; the update goes over the tracks.
 * Positions have 4 fraction bits, gains 12.
 */
#include "gallery.h"

#ifndef TRACKS
#define TRACKS 192
#endif
#define STEPS 8
#define MINE ((TRACKS + GNOMON_ACTIVE_HARTS - 1) / GNOMON_ACTIVE_HARTS)
static int position[TRACKS], speed[TRACKS], measured[STEPS][TRACKS];

/* One step of the variances of position and speed and of what they share; the gains of both. */
static void gains(int p[3], int *k1, int *k2)
{
    p[0] += 2 * p[1] + p[2] + 40; /* predicted, with the noise of the model */
    p[1] += p[2];
    p[2] += 20;
    const int s = p[0] + 400; /* and that of the measurement */
    *k1 = (p[0] << 12) / s;
    *k2 = (p[1] << 12) / s;
    p[2] -= *k2 * p[1] >> 12;
    p[1] -= *k1 * p[1] >> 12;
    p[0] -= *k1 * p[0] >> 12;
}

GNOMON_REGION void work(int hart)
{
    int p[3] = {4000, 0, 1000}, k1, k2;
    const int first = hart * MINE, left = TRACKS - first, count = left < MINE ? left : MINE;
#if VECTOR
    const unsigned size = 4u * (unsigned)count, at = 4u * MINE * (unsigned)hart;
    const unsigned x = VCU_SPM(0) + at, v = VCU_SPM(1) + at, z = VCU_SPM(2) + at, t = VCU_SPM(3) + at;
    vcu_set_mvtype(VCU_32_BIT);
    vcu_set_mvsize(size);
    kmemld(x, &position[first], size);
    kmemld(v, &speed[first], size);
    for (int step = 0; step < STEPS; step++) {
        kmemld(z, &measured[step][first], size);
        gains(p, &k1, &k2); /* while the transfer runs */
        kaddv(x, x, v);
        ksubv(z, z, x);
        ksvmulrf(t, z, (unsigned)k1);
        ksrav(t, t, 12);
        kaddv(x, x, t);
        ksvmulrf(t, z, (unsigned)k2);
        ksrav(t, t, 12);
        kaddv(v, v, t);
    }
    kmemstr(&position[first], x, size);
    kmemstr(&speed[first], v, size);
#else
    for (int step = 0; step < STEPS; step++) {
        gains(p, &k1, &k2);
        for (int k = first; k < first + count; k++) {
            position[k] += speed[k];
            const int error = measured[step][k] - position[k];
            position[k] += k1 * error >> 12;
            speed[k] += k2 * error >> 12;
        }
    }
#endif
    meet(hart); /* its loads wait for the transfers before them */
}

int main(int hart)
{
    unsigned seed = 4, check = 0;
    if (!hart)
        for (int k = 0; k < TRACKS; k++) {
            const int v = draw(&seed, 64);
            for (int step = 0; step < STEPS; step++)
                measured[step][k] = 16 * v * (step + 1) + draw(&seed, 128);
        }
    meet(hart);
    work(hart);
    for (int k = 0; k < TRACKS; k++) check = 31 * check + (unsigned)(position[k] ^ speed[k] << 16);
    if (!hart) printf("%08x\n", check);
    return 0;
}
