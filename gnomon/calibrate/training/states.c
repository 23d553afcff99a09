// A machine of states that reads 60 symbols.
int main(void) {
    unsigned symbols = 0xc0ffee11u, state = 0, accepted = 0;
    for (int k = 0; k < 60; k++, symbols = symbols >> 3 | symbols << 29) {
        switch (symbols & 3) {
        case 0: state = state == 2 ? 5 : 1; break;
        case 1: state = (state + 3) & 7; break;
        case 2: state ^= 6; break;
        default: if (state) state--;
        }
        accepted += state == 5;
    }
    return accepted;
}
