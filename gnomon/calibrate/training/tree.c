// A binary tree of 16 keys, its depth and its keys in order.
struct node { int key; struct node *left, *right; };
static struct node nodes[16];
static volatile unsigned first = 77;
static __attribute__((noinline)) int depth(const struct node *at) {
    if (!at) return 0;
    int left = depth(at->left), right = depth(at->right);
    return 1 + (left > right ? left : right);
}
int main(void) {
    struct node *root = 0;
    unsigned next = first;
    for (int k = 0; k < 16; k++, next = (next << 5 ^ next >> 3 ^ 0x2b) & 0xfff) {
        struct node **at = &root;
        nodes[k].key = (int)next;
        while (*at) at = nodes[k].key < (*at)->key ? &(*at)->left : &(*at)->right;
        *at = &nodes[k];
    }
    return depth(root);
}
