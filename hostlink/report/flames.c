/* SPDX-License-Identifier: MIT */
#include "report/flames.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "base/grow.h"

#define NO_ENTRY UINT32_MAX

struct entry {
    uint32_t parent; /* NO_ENTRY: none */
    int64_t name;
    uint64_t amount; /* its own, and that of inner nodes too small for an entry */
};

struct flames {
    const struct profile *profile;
    struct report_names *names;
    struct outfile *out;
    uint64_t *totals;   /* by node, with those inside */
    uint32_t *of_nodes; /* by node: its innermost entry in the graph */
    struct entry *entries;
    uint32_t count, capacity; /* of these */
    uint32_t parent;          /* of the next one */
    int error;
};

static uint64_t amount_of(const struct profile_node *node, enum profile_kind root) {
    return root == PROFILE_POOL      ? node->alloc_bytes
           : root == PROFILE_SAMPLED ? (node->sampled_ns != 0 ? node->sampled_ns : node->samples)
                                     : node->self_ns;
}

/* Nodes stand after those that they are in. */
static void add_up(struct flames *f) {
    const struct profile_node *nodes = f->profile->nodes;
    for (uint32_t i = f->profile->count; i > 0; i--) {
        const struct profile_node *node = &nodes[i - 1];
        f->totals[i - 1] += amount_of(node, nodes[node->root].kind);
        if (node->parent != PROFILE_NONE) {
            f->totals[node->parent] += f->totals[i - 1];
        }
    }
}

static bool take_step(void *context, const struct profile_step *step) {
    struct flames *f = context;
    const int64_t name = report_name_text(f->names, step->name);
    if (!grow(&f->entries, &f->capacity, f->count, sizeof *f->entries)) {
        f->error = -ENOMEM;
    }
    f->error = name < 0 ? (int)name : f->error;
    if (f->error == 0) {
        f->entries[f->count] = (struct entry){.parent = f->parent, .name = name};
        f->parent = f->count++;
    }
    return f->error == 0;
}

static void take_node(struct flames *f, uint32_t number, uint32_t root, uint64_t least,
                      uint64_t *left_out) {
    const struct profile_node *node = &f->profile->nodes[number];
    const enum profile_kind kind = f->profile->nodes[root].kind;
    f->parent = number == root ? NO_ENTRY : f->of_nodes[node->parent];
    if (number == root || f->totals[number] >= least) {
        (void)profile_steps(f->profile, number, f, take_step);
    } else {
        *left_out += 1;
    }
    f->of_nodes[number] = f->parent;
    if (f->parent != NO_ENTRY) {
        f->entries[f->parent].amount += amount_of(node, kind);
    }
}

static void write_graph(struct flames *f, uint32_t root) {
    static const char *const of[] = {
        [PROFILE_ROW] = "zones", [PROFILE_SAMPLED] = "samples", [PROFILE_POOL] = "memory"};
    const struct profile_node *nodes = f->profile->nodes;
    uint64_t left_out = 0;
    f->count = 0;
    for (uint32_t i = root; i != PROFILE_NONE && f->error == 0; i = nodes[i].next) {
        take_node(f, i, root, f->totals[root] / FLAMES_LEAST + 1, &left_out);
    }
    outfile_printf(f->out, "{\"of\":\"%s\",\"left_out\":%" PRIu64 ",\"nodes\":[",
                   of[nodes[root].kind], left_out);
    for (uint32_t i = 0; i < f->count && f->error == 0; i++) {
        const struct entry *entry = &f->entries[i];
        outfile_printf(f->out, "%s[%" PRId64 ",%" PRId64 ",%" PRIu64 "]", i == 0 ? "" : ",",
                       entry->parent == NO_ENTRY ? INT64_C(-1) : (int64_t)entry->parent,
                       entry->name, entry->amount);
    }
    outfile_printf(f->out, "]}");
}

int flames_write(const struct profile *profile, struct report_names *names, struct outfile *out) {
    struct flames f = {.profile = profile,
                       .names = names,
                       .out = out,
                       .totals = calloc((size_t)profile->count + 1, sizeof *f.totals),
                       .of_nodes = calloc((size_t)profile->count + 1, sizeof *f.of_nodes)};
    const char *before = "[\n";
    if (f.totals && f.of_nodes) {
        add_up(&f);
        for (uint32_t i = 0; i < profile->count; i++) {
            if (profile->nodes[i].parent == PROFILE_NONE && f.totals[i] != 0) {
                outfile_printf(out, "%s", before);
                write_graph(&f, i);
                before = ",\n";
            }
        }
        outfile_printf(out, *before == '[' ? "[]" : "]");
    } else {
        f.error = -ENOMEM;
    }
    free(f.totals);
    free(f.of_nodes);
    free(f.entries);
    return f.error;
}
