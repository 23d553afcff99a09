// A sorted list of 12 items: each is inserted after a walk, then every third is unlinked.
struct item { int key; struct item *next; };
static struct item items[12];
int main(void) {
    struct item *head = 0;
    unsigned next = 7;
    for (int k = 0; k < 12; k++, next = next * 1664525u + 1013904223u) {
        struct item **at = &head;
        items[k].key = (int)(next >> 20);
        while (*at && (*at)->key < items[k].key) at = &(*at)->next;
        items[k].next = *at;
        *at = &items[k];
    }
    int place = 0;
    for (struct item **at = &head; *at; place++)
        if (place % 3 == 2) *at = (*at)->next;
        else at = &(*at)->next;
    int sum = 0;
    for (const struct item *at = head; at; at = at->next) sum += at->key;
    return sum & 0xff;
}
