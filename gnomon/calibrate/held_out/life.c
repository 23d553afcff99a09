// Six generations of cells on a ring of 16 rows of 32, a word each; neighbors are added by bits.
static unsigned cells[16], next[16];
static unsigned turn(unsigned row, int by) { return row << (by & 31) | row >> (-by & 31); }
int main(void) {
    for (int k = 0; k < 16; k++) cells[k] = 0x9d2c5680u >> k ^ 0x0ff1ce00u << (k & 7);
    for (int generation = 0; generation < 6; generation++) {
        for (int k = 0; k < 16; k++) {
            unsigned ones = 0, twos = 0, fours = 0;
            for (int row = -1; row <= 1; row++)
                for (int by = -1; by <= 1; by++) {
                    if (!row && !by) continue;
                    unsigned other = turn(cells[(k + row) & 15], by), carry = ones & other;
                    ones ^= other;
                    fours |= twos & carry;
                    twos ^= carry;
                }
            next[k] = ~fours & twos & (ones | cells[k]);
        }
        for (int k = 0; k < 16; k++) cells[k] = next[k];
    }
    unsigned all = 0;
    for (int k = 0; k < 16; k++) all = (all << 1 | all >> 31) ^ cells[k];
    return (int)(all & 0xff);
}
