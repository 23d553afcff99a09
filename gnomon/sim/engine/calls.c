/* Calls, returns and the stack pointer: the rows that the loop recorded, converted to a tree. */
#include "engine.h"

#define OF_TRAP (-1) /* instead of a return address */

/* The node of a function entered from `parent`; created if it is new. */
static i64 enter(CallTree *tree, i64 parent, i64 site, i64 function) {
    CallNode *nodes = tree->nodes;
    i64 node = nodes[parent].child;
    while (node >= 0 && (nodes[node].function != function || nodes[node].site != site))
        node = nodes[node].next;
    if (node < 0) {
        node = tree->count++;
        nodes[node] = (CallNode){parent, function, site, -1, nodes[parent].child, 0, 0};
        nodes[parent].child = node;
    }
    nodes[node].calls++;
    return node;
}

/* Whether the program gave the stack pointer another stack: a kernel that switches tasks does. Frames
   and alloca compute it from itself, and longjmp loads one that the stack has already had. */
static bool switches_stack(const Caller *caller, const Entry *e, i64 stack) {
    const i64 o = e->op;
    const bool given = is_load(o) || is_csr(o) || o == OP_LUI || o == OP_AUIPC;
    return e->rd == 2 && given && caller->base >= 0 && (stack < caller->low || stack > caller->base);
}

/* Follow the stack pointer from the first call to the first switch of stacks. */
static void watch_stack(Caller *caller, const Entry *e, i64 stack, i64 top, bool links) {
    if (switches_stack(caller, e, stack)) caller->switched = 1;
    if (caller->switched) return;
    if (links && caller->base < stack) {
        if (caller->base < 0) {
            caller->low = stack;
            caller->low_node = top;
        }
        caller->base = stack;
    }
    if (caller->base >= 0 && stack < caller->low) {
        caller->low = stack;
        caller->low_node = top;
    }
}

static void follow(const Machine *m, CallTree *tree, const CallRow *row) {
    const i64 h = row->hart, harts = m->cfg->harts;
    Caller *caller = &tree->callers[h];
    i64 *frames = tree->frames + h * tree->max_depth, *returns = tree->returns + h * tree->max_depth;
    i64 depth = caller->depth, top = frames[depth - 1];
    const i64 up_to = row->slots + h + harts * row->beyond;
    tree->nodes[top].cycles += up_to - caller->up_to;
    caller->up_to = up_to;
    caller->booked = top;
    const Entry *e = &m->decoded[row->index];
    const bool traps = row->kind == CALL_TRAP;
    const bool links =
        (e->op == OP_JAL || e->op == OP_JALR) && (e->rd == 1 || e->rd == 5) && !traps;
    watch_stack(caller, e, row->stack, top, links);
    const i64 place = entry_index(m, (u32)row->next_pc);
    const i64 function = place < m->words ? tree->functions[place] : 0;
    if (links || traps) {
        if (depth < tree->max_depth) {
            frames[depth] = enter(tree, top, row->index, function);
            returns[depth] = traps ? OF_TRAP : m->cfg->ibase + (row->index << m->cfg->ishift) + size_of_instruction(m, e);
            depth++;
        } else
            caller->deep++;
    } else if (row->kind == CALL_TRAP_RETURN ||
               (e->op == OP_JALR && (e->rs1 == 1 || e->rs1 == 5))) {
        const i64 wanted = row->kind == CALL_TRAP_RETURN ? OF_TRAP : row->next_pc;
        i64 frame = depth - 1;
        while (frame > 0 && returns[frame] != wanted) frame--;
        if (frame > 0) depth = frame;
    }
    top = frames[depth - 1];
    if (tree->nodes[top].function != function)
        frames[depth - 1] = enter(tree, tree->nodes[top].parent, tree->nodes[top].site, function);
    caller->depth = depth;
}

EXPORT void engine_follow_calls(Machine *m, CallTree *tree) {
    for (i64 k = 0; k < m->st->call_rows; k++) follow(m, tree, &m->calls[k]);
    m->st->call_rows = 0;
}
