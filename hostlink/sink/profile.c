/* SPDX-License-Identifier: MIT */
#include "sink/profile.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"

/* A zone that is open. */
struct open {
    uint32_t node;
    size_t calls_at; /* where its call stack is in the row's addresses */
    uint32_t calls;  /* 0 = it came without one */
    size_t called;   /* the innermost open zone so far that came with one, from 1; 0: none */
};

struct profile_row {
    uint32_t node; /* + 1; 0 = not seen */
    struct open *open;
    uint32_t depth, capacity;
    uint64_t *calls; /* of all that are open, the outermost call first */
    size_t calls_used, calls_size;
};

/* ---- the tree ---- */

static bool make_room(struct profile *p) {
    return grow(&p->nodes, &p->capacity, p->count, sizeof *p->nodes);
}

/* The child of this kind and identity; PROFILE_NONE when there is no room for it. */
static uint32_t child(struct profile *p, uint32_t parent, enum profile_kind kind,
                      uint64_t identity) {
    const struct symbols *symbols = kind == PROFILE_CALL ? p->symbols : NULL;
    const uint64_t key[3] = {(uint64_t)kind << 32 | parent, identity, (uintptr_t)symbols};
    const uint32_t depth = parent == PROFILE_NONE ? 0 : p->nodes[parent].depth + 1;
    const int64_t known = keytable_find(&p->keys, key, sizeof key);
    if (known >= 0) {
        return (uint32_t)known;
    }
    if (p->count == PROFILE_NODES_MAX || depth >= PROFILE_DEPTH_MAX || !make_room(p) ||
        keytable_add(&p->keys, key, sizeof key) < 0) {
        return PROFILE_NONE;
    }
    const uint32_t number = p->count++;
    const uint32_t root = parent == PROFILE_NONE ? number : p->nodes[parent].root;
    p->nodes[number] = (struct profile_node){.kind = kind,
                                             .parent = parent,
                                             .depth = depth,
                                             .root = root,
                                             .next = PROFILE_NONE,
                                             .symbols = symbols};
    if (root != number) {
        p->nodes[p->nodes[root].last].next = number;
    }
    p->nodes[root].last = number;
    return number;
}

/* The same, or its parent, and then counted. */
static uint32_t child_or_parent(struct profile *p, uint32_t parent, enum profile_kind kind,
                                uint64_t identity) {
    const uint32_t number = child(p, parent, kind, identity);
    p->beyond += number == PROFILE_NONE;
    return number == PROFILE_NONE ? parent : number;
}

static uint32_t zone_in(struct profile *p, uint32_t parent, const struct site *site) {
    const uint32_t number = child_or_parent(p, parent, PROFILE_ZONE, (uintptr_t)site);
    if (number != parent && number != PROFILE_NONE) {
        p->nodes[number].of.site = site;
    }
    return number;
}

/* "calls" has the outermost first. */
static uint32_t calls_in(struct profile *p, uint32_t parent, const uint64_t *calls, size_t count) {
    for (size_t i = 0; i < count && parent != PROFILE_NONE; i++) {
        const uint32_t number = child(p, parent, PROFILE_CALL, calls[i]);
        if (number == PROFILE_NONE) {
            p->beyond++;
            return parent;
        }
        p->nodes[number].of.address = calls[i];
        parent = number;
    }
    return parent;
}

static uint32_t stack_in(struct profile *p, uint32_t parent, const struct callstack *stack) {
    uint64_t calls[CALLSTACK_MAX];
    for (uint32_t i = 0; i < stack->count; i++) {
        calls[i] = stack->address[stack->count - 1 - i];
    }
    return calls_in(p, parent, calls, stack->count);
}

/* ---- rows ---- */

static struct profile_row *row_of(struct profile *p, const struct track *track) {
    if (!grow_zeroed(&p->rows, &p->row_count, track->id, sizeof *p->rows)) {
        return NULL;
    }
    struct profile_row *row = &p->rows[track->id];
    if (row->node == 0) {
        const uint32_t node = child(p, PROFILE_NONE, PROFILE_ROW, (uintptr_t)track);
        if (node == PROFILE_NONE) {
            return NULL;
        }
        p->nodes[node].of.row = track;
        row->node = node + 1;
    }
    return row;
}

/* Its nodes stay. */
static void forget_row(struct profile *p, uint32_t id) {
    if (id < p->row_count) {
        free(p->rows[id].open);
        free(p->rows[id].calls);
        p->rows[id] = (struct profile_row){.node = p->rows[id].node};
    }
}

static bool keep_calls(struct profile_row *row, const struct callstack *stack) {
    if (row->calls_size - row->calls_used < stack->count) {
        const size_t size = row->calls_size * 2 + CALLSTACK_MAX;
        uint64_t *calls = realloc(row->calls, size * sizeof *calls);
        if (calls == NULL) {
            return false;
        }
        row->calls = calls;
        row->calls_size = size;
    }
    for (uint32_t i = stack->count; i > 0; i--) {
        row->calls[row->calls_used++] = stack->address[i - 1];
    }
    return true;
}

/* The innermost open zone that came with a call stack. */
static const struct open *last_called(const struct profile_row *row) {
    const size_t called = row->depth > 0 ? row->open[row->depth - 1].called : 0;
    return called != 0 ? &row->open[called - 1] : NULL;
}

/* So many of the outer calls are those that led to the zone around. Its own function has gone on since, so that its
 * innermost address is another now. A deep stack may lack calls at its outer end. */
static size_t shared(const uint64_t *around, size_t around_count, const uint64_t *calls,
                     size_t count) {
    for (size_t cut = 0; cut < around_count; cut++) {
        const size_t same = around_count - cut - 1;
        if (count > same && (same > 0 || cut == 0) &&
            (same == 0 || memcmp(around + cut, calls, same * sizeof *calls) == 0)) {
            return same + 1;
        }
    }
    return 0;
}

static int push(struct profile *p, struct profile_row *row, const struct event *event) {
    const struct callstack *stack = event->stack;
    uint32_t node = row->depth > 0 ? row->open[row->depth - 1].node : row->node - 1;
    struct open open = {.calls_at = row->calls_used,
                        .called = row->depth > 0 ? row->open[row->depth - 1].called : 0};
    if (!grow(&row->open, &row->capacity, row->depth, sizeof *row->open)) {
        return -ENOMEM;
    }
    if (stack != NULL && stack->count != 0) {
        const struct open *around = last_called(row);
        if (!keep_calls(row, stack)) {
            return -ENOMEM;
        }
        open.calls = stack->count;
        open.called = row->depth + 1;
        const uint64_t *calls = row->calls + open.calls_at;
        const size_t skip =
            around != NULL ? shared(row->calls + around->calls_at, around->calls, calls, open.calls)
                           : 0;
        node = calls_in(p, node, calls + skip, open.calls - skip);
    }
    open.node = zone_in(p, node, event->site);
    row->open[row->depth++] = open;
    return 0;
}

static void pop(struct profile *p, struct profile_row *row, const struct event *event) {
    if (row->depth == 0) {
        return;
    }
    const struct open *open = &row->open[--row->depth];
    struct profile_node *node = &p->nodes[open->node];
    row->calls_used = open->calls_at;
    if (event->u.zone.repaired == ZONE_ENDED) {
        node->zones++;
        node->self_ns += event->u.zone.self_ns > 0 ? (uint64_t)event->u.zone.self_ns : 0;
        node->total_ns += (uint64_t)event->time_ns - (uint64_t)event->u.zone.start_ns;
    }
}

/* ---- memory ---- */

/* A block's number: the node that it was allocated at, and its size. */
#define SIZE_BITS 40u
#define SIZE_MAX_KEPT ((UINT64_C(1) << SIZE_BITS) - 1)

static uint64_t kept_size(uint64_t bytes) { return bytes < SIZE_MAX_KEPT ? bytes : SIZE_MAX_KEPT; }

/* Pools of one name are one: a macro that frees is another place than the one that allocated. */
static uint32_t pool_of(const struct site *site) {
    return site->pool != 0 ? site->pool - 1 : site->id;
}

/* True for a linker's wrapper of the heap, and for the library's functions around it, up to the real caller. */
static bool is_of_heap(const struct callstack *stack, uint32_t frame) {
    static const char *const library[] = {"malloc",    "calloc",    "realloc",
                                          "_malloc_r", "_calloc_r", "_realloc_r"};
    const struct code_place *place = symbols_find(stack->symbols, stack->address[frame]);
    const char *name = place != NULL ? place->lines[place->count - 1].function : "";
    bool found = strncmp(name, "__wrap_", 7) == 0;
    for (size_t i = 0; frame > 0 && !found && i < sizeof library / sizeof *library; i++) {
        found = strcmp(name, library[i]) == 0;
    }
    return found;
}

static uint32_t memory_in(struct profile *p, uint32_t node, const struct callstack *stack) {
    struct callstack callers = {.symbols = stack->symbols};
    uint32_t first = 0;
    while (first + 1 < stack->count && is_of_heap(stack, first)) {
        first++;
    }
    callers.count = stack->count - first;
    memcpy(callers.address, stack->address + first, callers.count * sizeof *callers.address);
    return stack_in(p, node, &callers);
}

/* Without a call stack the open zones give the place. */
static uint32_t memory_node(struct profile *p, const struct profile_row *row,
                            const struct event *event) {
    const struct callstack *stack = event->stack;
    uint32_t node = child(p, PROFILE_NONE, PROFILE_POOL, (uintptr_t)event->site);
    if (node == PROFILE_NONE) {
        p->beyond++;
        return node;
    }
    p->nodes[node].of.site = event->site;
    p->nodes[node].board = event_board_number(event->track->board);
    if (stack != NULL && stack->count != 0) {
        return memory_in(p, node, stack);
    }
    for (size_t i = 0; i < row->depth && p->nodes[node].depth + 1 < PROFILE_DEPTH_MAX; i++) {
        const struct profile_node *open = &p->nodes[row->open[i].node];
        node = open->kind == PROFILE_ZONE ? zone_in(p, node, open->of.site) : node;
    }
    return node;
}

static struct liveset *live_of(struct profile *p, const struct event *event) {
    return &p->live[event_board_number(event->track->board)];
}

/* True: it was known. */
static bool forget_block(struct profile *p, const struct event *event, bool is_freed) {
    const uint64_t number =
        liveset_remove(live_of(p, event), pool_of(event->site), event->u.memory.address);
    if (number == 0) {
        return false;
    }
    struct profile_node *node = &p->nodes[(number >> SIZE_BITS) - 1];
    node->live--;
    node->live_bytes -= number & SIZE_MAX_KEPT;
    node->frees += is_freed;
    return true;
}

static void take_memory(struct profile *p, const struct profile_row *row,
                        const struct event *event) {
    (void)forget_block(p, event, event->kind == EVENT_FREE);
    if (event->kind == EVENT_FREE) {
        return;
    }
    const uint32_t number = memory_node(p, row, event);
    if (number == PROFILE_NONE) {
        return;
    }
    struct profile_node *node = &p->nodes[number];
    const uint64_t bytes = kept_size(event->u.memory.bytes);
    node->allocs++;
    node->alloc_bytes += bytes;
    if (liveset_add(live_of(p, event), pool_of(event->site), event->u.memory.address,
                    ((uint64_t)number + 1) << SIZE_BITS | bytes)) {
        node->live++;
        node->live_bytes += bytes;
    }
}

/* ---- samples ---- */

static void take_sample(struct profile *p, const struct event *event) {
    uint32_t number = child(p, PROFILE_NONE, PROFILE_SAMPLED, (uintptr_t)event->track);
    p->samples++;
    p->missed_samples += event->u.sample.missed;
    if (number == PROFILE_NONE) {
        p->beyond++;
        return;
    }
    p->nodes[number].of.row = event->track;
    if (event->stack != NULL && event->stack->count != 0) {
        number = stack_in(p, number, event->stack);
    }
    p->nodes[number].samples++;
    p->nodes[number].sampled_ns += event->u.sample.period_ns;
}

/* The board's memory is free again. */
static void end_session(struct profile *p, uint32_t board) {
    liveset_free(&p->live[board]);
    for (uint32_t i = 0; i < p->count; i++) {
        if (p->nodes[p->nodes[i].root].board == board) {
            p->nodes[i].live = p->nodes[i].live_bytes = 0;
        }
    }
}

int profile_event(struct profile *p, const struct event *event) {
    if (event_ends_session(event)) {
        end_session(p, event_board_number(event->u.session.board));
    }
    if (event->kind == EVENT_SESSION) {
        return 0;
    }
    p->last_ns = event->time_ns > p->last_ns ? event->time_ns : p->last_ns;
    if (event->stack != NULL && event->stack->symbols != NULL) {
        p->symbols = event->stack->symbols;
    }
    if (event->kind == EVENT_SAMPLE) {
        take_sample(p, event);
        return 0;
    }
    if (event->kind == EVENT_TRACK_END) {
        forget_row(p, event->track->id);
        return 0;
    }
    const enum kymo_kind_role role = event_role(event->kind);
    if (role != KYMO_ROLE_OPENS && role != KYMO_ROLE_CLOSES && event->kind != EVENT_ALLOC &&
        event->kind != EVENT_FREE) {
        return 0;
    }
    struct profile_row *row = row_of(p, event->track);
    if (row == NULL) {
        p->beyond++;
        return p->count < PROFILE_NODES_MAX ? -ENOMEM : 0;
    }
    if (role == KYMO_ROLE_OPENS) {
        return push(p, row, event);
    }
    if (role == KYMO_ROLE_CLOSES) {
        pop(p, row, event);
    } else {
        take_memory(p, row, event);
    }
    return 0;
}

void profile_free(struct profile *p) {
    for (uint32_t i = 0; i < p->row_count; i++) {
        free(p->rows[i].open);
        free(p->rows[i].calls);
    }
    free(p->rows);
    free(p->nodes);
    keytable_free(&p->keys);
    for (uint32_t i = 0; i < EVENT_BOARDS_MAX; i++) {
        liveset_free(&p->live[i]);
    }
    *p = (struct profile){0};
}

/* ---- names ---- */

#define HEX_BYTES 20u

struct walk {
    void *context;
    bool (*take)(void *context, const struct profile_step *step);
    char last[256]; /* the name of the last step, if that was a function */
};

static bool take_call(const struct profile_node *node, struct walk *walk) {
    const uint64_t address = node->of.address;
    char hex[HEX_BYTES];
    const struct code_line unknown = {.function = hex, .file = ""};
    const struct code_place none = {.count = 1, .lines = &unknown};
    const struct code_place *place = symbols_find(node->symbols, address);
    (void)snprintf(hex, sizeof hex, "0x%" PRIx64, address);
    place = place != NULL ? place : &none;
    for (uint32_t i = place->count; i > 0; i--) {
        const struct code_line *line = &place->lines[i - 1];
        const struct profile_step step = {.kind = PROFILE_CALL,
                                          .name = line->function[0] != '\0' ? line->function : hex,
                                          .file = line->file,
                                          .line = line->line,
                                          .address = address};
        (void)snprintf(walk->last, sizeof walk->last, "%s", step.name);
        if (!walk->take(walk->context, &step)) {
            return false;
        }
    }
    return true;
}

static bool take_node(const struct profile_node *node, struct walk *walk) {
    if (node->kind == PROFILE_CALL) {
        return take_call(node, walk);
    }
    const bool is_row = node->kind == PROFILE_ROW || node->kind == PROFILE_SAMPLED;
    const struct profile_step step = {.kind = node->kind,
                                      .name = is_row ? node->of.row->name : node->of.site->name,
                                      .file = is_row ? "" : node->of.site->file,
                                      .line = is_row ? 0 : node->of.site->line};
    const bool repeats =
        node->kind == PROFILE_ZONE && walk->last[0] != '\0' && strcmp(walk->last, step.name) == 0;
    walk->last[0] = '\0';
    return repeats || walk->take(walk->context, &step);
}

bool profile_path(const struct profile *p, uint32_t number, void *context,
                  bool (*take)(void *context, const struct profile_step *step)) {
    uint32_t path[PROFILE_DEPTH_MAX];
    uint32_t depth = 0;
    struct walk walk = {.context = context, .take = take};
    for (; number != PROFILE_NONE; number = p->nodes[number].parent) {
        path[depth++] = number;
    }
    while (depth > 0) {
        if (!take_node(&p->nodes[path[--depth]], &walk)) {
            return false;
        }
    }
    return true;
}

static bool take_nothing(void *context, const struct profile_step *step) {
    (void)context;
    (void)step;
    return true;
}

bool profile_steps(const struct profile *p, uint32_t number, void *context,
                   bool (*take)(void *context, const struct profile_step *step)) {
    const struct profile_node *node = &p->nodes[number];
    struct walk walk = {.context = context, .take = take_nothing};
    /* A zone may repeat the function that it is in. */
    if (node->kind == PROFILE_ZONE && node->parent != PROFILE_NONE) {
        (void)take_node(&p->nodes[node->parent], &walk);
    }
    walk.take = take;
    return take_node(node, &walk);
}
