// Products of a matrix of 8 x 8 words in Q16.15 and a vector, three times.
static int matrix[64], vector[8], result[8];
int main(void) {
    unsigned next = 99;
    for (int k = 0; k < 64; k++, next = next * 69069u + 1u) matrix[k] = (int)next >> 14;
    for (int k = 0; k < 8; k++) vector[k] = (k - 3) * 9173;
    for (int round = 0; round < 3; round++) {
        for (int row = 0; row < 8; row++) {
            int sum = 0;
            for (int k = 0; k < 8; k++) sum += matrix[8 * row + k] * vector[k] >> 15;
            result[row] = sum;
        }
        for (int k = 0; k < 8; k++) vector[k] = result[k];
    }
    return result[7] & 0xff;
}
