// Places of three words in a text, by comparing at each letter.
static const char text[] = "a bit flips, a wire moves, a bit counts; the wire of a bit has a price";
static const char *const wanted[3] = {"bit", "wire", "price"};
int main(void) {
    int sum = 0;
    for (int w = 0; w < 3; w++)
        for (int at = 0; text[at]; at++) {
            int k = 0;
            while (wanted[w][k] && wanted[w][k] == text[at + k]) k++;
            if (!wanted[w][k]) sum += at;
        }
    return sum & 0xff;
}
