// Twenty-four rounds of a bandit with four arms: means in Q16, a bonus that falls with the count.
static int means[4], counts[4];
static volatile unsigned seed = 2024;
int main(void) {
    static const int rewards[4] = {11000, 42000, 27000, 35000};
    unsigned random = seed;
    int sum = 0;
    for (int round = 1; round <= 24; round++) {
        int best = 0, most = -1;
        for (int arm = 0; arm < 4; arm++) {
            int value = counts[arm] ? means[arm] + (round << 14) / (counts[arm] * 16) : 1 << 24;
            if (value > most) {
                most = value;
                best = arm;
            }
        }
        random ^= random << 13, random ^= random >> 17, random ^= random << 5;
        int reward = (random >> 16) < (unsigned)rewards[best] ? 65535 : 0;
        counts[best]++;
        means[best] += (reward - means[best]) / counts[best];
        sum += best;
    }
    return (sum << 2 ^ means[1] >> 8) & 0xff;
}
