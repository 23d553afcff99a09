// Numbers to decimal digits and back.
static char digits[12];
int main(void) {
    unsigned sum = 0;
    for (unsigned number = 7; number < 4000000; number = number * 13 + 5) {
        int length = 0;
        for (unsigned rest = number; rest; rest /= 10) digits[length++] = (char)('0' + rest % 10);
        unsigned read = 0;
        while (length--) read = read * 10 + (unsigned)(digits[length] - '0');
        sum += read;
    }
    return sum & 0xff;
}
