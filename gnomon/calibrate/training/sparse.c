// Products of eight sparse rows, 4 of 64 small words each, with a vector that is mostly zero.
static short columns[32], values[32], vector[64];
int main(void) {
    for (int k = 0, column = 0; k < 32; k++, column = (column + 11) & 63) {
        columns[k] = (short)column;
        values[k] = (short)((k & 7) - 3);
    }
    for (int k = 0; k < 64; k += 5) vector[k] = (short)(k - 30);
    int sum = 0;
    for (int row = 0; row < 8; row++) {
        int product = 0;
        for (int k = 4 * row; k < 4 * row + 4; k++)
            if (vector[columns[k]]) product += values[k] * vector[columns[k]];
        sum ^= product << row;
    }
    return sum & 0xff;
}
