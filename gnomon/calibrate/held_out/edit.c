// Edit distances of three pairs of words, by a row of the table at a time.
static const char *const left[3] = {"kitten", "saturday", "gates"};
static const char *const right[3] = {"sitting", "sundays", "grates"};
static unsigned char row[16];
int main(void) {
    int sum = 0;
    for (int pair = 0; pair < 3; pair++) {
        const char *a = left[pair], *b = right[pair];
        int length = 0;
        for (; b[length]; length++) row[length] = (unsigned char)length;
        row[length] = (unsigned char)length;
        for (int i = 0; a[i]; i++) {
            int corner = row[0];
            row[0] = (unsigned char)(i + 1);
            for (int j = 0; j < length; j++) {
                int best = corner + (a[i] != b[j]);
                corner = row[j + 1];
                if (corner + 1 < best) best = corner + 1;
                if (row[j] + 1 < best) best = row[j] + 1;
                row[j + 1] = (unsigned char)best;
            }
        }
        sum = sum * 8 + row[length];
    }
    return sum & 0xff;
}
