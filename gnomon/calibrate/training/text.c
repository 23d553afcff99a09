// Words and letters of a text, and its letters in the other case.
static char text[] = "Energy of gates is the sum over edges; a glitch counts, too.";
int main(void) {
    int words = 0, letters = 0, inside = 0;
    for (char *at = text; *at; at++) {
        int letter = (*at | 32) >= 'a' && (*at | 32) <= 'z';
        words += letter && !inside;
        letters += letter;
        if (letter) *at ^= 32;
        inside = letter;
    }
    return words * 16 + letters;
}
