// Runs of equal bytes are packed and unpacked.
static unsigned char plain[64], packed[128], again[64];
int main(void) {
    for (int k = 0; k < 64; k++) plain[k] = (unsigned char)(k & 16 ? 0xa5 : k >> 2);
    int length = 0;
    for (int k = 0; k < 64;) {
        int run = 1;
        while (k + run < 64 && plain[k + run] == plain[k]) run++;
        packed[length++] = (unsigned char)run;
        packed[length++] = plain[k];
        k += run;
    }
    int at = 0;
    for (int k = 0; k < length; k += 2)
        for (int n = packed[k]; n; n--) again[at++] = packed[k + 1];
    int equal = 0;
    for (int k = 0; k < 64; k++) equal += plain[k] == again[k];
    return equal + length;
}
