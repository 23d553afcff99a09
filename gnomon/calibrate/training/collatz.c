// Lengths of the sequences n/2 or 3n + 1 of eight numbers.
static volatile unsigned first = 3;
int main(void) {
    int longest = 0;
    for (unsigned start = first; start < 11; start++) {
        int length = 0;
        for (unsigned n = start; n != 1; length++) n = n & 1 ? n + (n << 1) + 1 : n >> 1;
        if (length > longest) longest = length;
    }
    return longest;
}
