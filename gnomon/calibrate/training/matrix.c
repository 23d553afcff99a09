// A product of two 3 x 3 matrices of small numbers.
static int left[9], right[9], result[9];
static volatile int first = 4;
int main(void) {
    for (int k = 0; k < 9; k++) {
        left[k] = k - first;
        right[k] = 7 - 2 * k;
    }
    for (int row = 0; row < 3; row++)
        for (int column = 0; column < 3; column++) {
            int sum = 0;
            for (int k = 0; k < 3; k++) sum += left[3 * row + k] * right[3 * k + column];
            result[3 * row + column] = sum;
        }
    int all = 0;
    for (int k = 0; k < 9; k++) all = all * 2 + result[k];
    return all & 0xff;
}
