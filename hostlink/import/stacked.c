/* SPDX-License-Identifier: MIT */
#include "import/stacked.h"

#include <errno.h>
#include <stdlib.h>

static void leave_to(struct stacked *s, uint32_t depth) {
    for (; s->depth > depth; s->depth--) {
        played_end(s->played, s->row, s->now);
    }
}

static bool has_room(struct stacked *s, uint32_t depth) {
    if (depth <= s->capacity) {
        return true;
    }
    uint32_t *open = realloc(s->open, 2 * (size_t)depth * sizeof *open);
    if (!open) {
        s->played->error = s->played->error ? s->played->error : -ENOMEM;
        return false;
    }
    s->open = open;
    s->capacity = 2 * depth;
    return true;
}

bool stacked_add(struct stacked *s, const uint32_t *sites, uint32_t depth, uint64_t amount) {
    uint32_t same = 0;
    int64_t end_ns;
    if (amount > INT64_MAX / 2 || __builtin_add_overflow(s->now, (int64_t)amount, &end_ns) ||
        !has_room(s, depth)) {
        return false;
    }
    while (same < depth && same < s->depth && s->open[same] == sites[same]) {
        same++;
    }
    leave_to(s, same);
    for (; s->depth < depth; s->depth++) {
        s->open[s->depth] = sites[s->depth];
        played_begin(s->played, s->row, s->now, PLAYED_OPEN, sites[s->depth], NULL);
    }
    s->now = end_ns;
    return true;
}

void stacked_end(struct stacked *s) {
    leave_to(s, 0);
    free(s->open);
}
