// A walk over a list of 32 items in shuffled order, twice.
struct item { struct item *next; short weight; };
static struct item items[32];
int main(void) {
    for (int k = 0; k < 32; k++) {
        items[k].next = &items[k * 13 + 5 & 31];
        items[k].weight = (short)(k * k - 300);
    }
    int sum = 0;
    const struct item *at = items;
    for (int k = 0; k < 64; k++, at = at->next) sum += at->weight;
    return sum & 0xff;
}
