/* A list in an order at random: walked, reversed, and walked again. */
#include "gnomon.h"

#define NODES 41

struct node {
    struct node *next;
    int32_t value;
    int32_t seen;
};
static struct node nodes[NODES];

int main(void) {
    struct node *first = 0;
    uint32_t place = 1;
    for (int k = 0; k < NODES; k++) {
        place = place * 5 % NODES;
        struct node *own = &nodes[(place + k) % NODES];
        if (own->seen) continue;
        own->seen = 1;
        own->value = (int32_t)(place * 2654435761u) >> 8;
        own->next = first;
        first = own;
    }
    int32_t sum = 0;
    for (int round = 0; round < 5; round++) {
        for (struct node *at = first; at; at = at->next) {
            sum += at->value;
            if (at->value & 1) at->value = -at->value;
        }
        struct node *before = 0;
        while (first) {
            struct node *next = first->next;
            first->next = before;
            before = first;
            first = next;
        }
        first = before;
    }
    return sum & 127;
}
