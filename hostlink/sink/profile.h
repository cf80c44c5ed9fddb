/* SPDX-License-Identifier: MIT */
/* Where time and memory went, as a tree: rows of the timeline or pools of memory, in them zones, and in these the
 * functions that call stacks name; and rows of the timeline by samples, with the functions that these met. For the
 * outputs that draw flame graphs, and for the tables of call stacks. Bounded: a node without room counts for
 * its parent. */
#ifndef HOSTLINK_PROFILE_H
#define HOSTLINK_PROFILE_H

#include "base/keytable.h"
#include "base/liveset.h"
#include "model/event.h"
#include "sink/table.h"

#define PROFILE_NODES_MAX (1u << 17)
#define PROFILE_DEPTH_MAX 1024u /* of nodes inside each other */
#define PROFILE_NONE UINT32_MAX

enum profile_kind { PROFILE_ROW, PROFILE_POOL, PROFILE_ZONE, PROFILE_CALL, PROFILE_SAMPLED };

struct profile_node {
    enum profile_kind kind;
    uint32_t parent; /* PROFILE_NONE for roots: rows, pools, and rows as they were sampled */
    uint32_t depth;  /* from 0 */
    uint32_t root;   /* that it is in */
    uint32_t next;   /* with the same root, in order of appearance; PROFILE_NONE after the last */
    uint32_t last;   /* of roots: the last such */
    uint32_t board;  /* of pools */
    union {
        const struct track *row; /* of PROFILE_ROW and PROFILE_SAMPLED */
        const struct site *site; /* of zones and pools */
        uint64_t address;        /* a return address */
    } of;
    /* The node itself, without those inside. */
    uint64_t zones, self_ns,
        total_ns; /* zones that the board ended; total_ns with the nodes inside */
    uint64_t allocs, alloc_bytes, frees;
    uint64_t live, live_bytes;     /* allocated and not freed */
    uint64_t samples, sampled_ns;  /* samples that met it, and the time that they stand for */
    const struct symbols *symbols; /* of a return address */
};

struct profile_row; /* open zones of a row */

/* All zero is an empty profile. */
struct profile {
    struct keytable keys;
    struct profile_node *nodes;
    uint32_t count, capacity;
    uint64_t beyond;          /* events that had no place of their own */
    struct profile_row *rows; /* by id of the track */
    uint32_t row_count;
    struct liveset live[EVENT_BOARDS_MAX]; /* by board */
    uint64_t samples, missed_samples;
    const struct symbols *symbols; /* of the last call stack's program */
    int64_t last_ns;
};

/* Any event. 0 or -ENOMEM. */
int profile_event(struct profile *profile, const struct event *event);
void profile_free(struct profile *profile);

/* The path to a node, the outermost first: rows, pools, zones by their names, and each function of a call stack. A
 * function without a symbol is named by its address. A zone with its function's name right inside that function
 * is not a step of its own. */
struct profile_step {
    enum profile_kind kind;
    const char *name, *file; /* any bytes; only valid in the call */
    uint32_t line;
    uint64_t address; /* of PROFILE_CALL */
};
/* False if a call of "take" returned false, which ends it. */
bool profile_path(const struct profile *profile, uint32_t number, void *context,
                  bool (*take)(void *context, const struct profile_step *step));
/* The same, but only the steps that the node adds to the path of its parent. */
bool profile_steps(const struct profile *profile, uint32_t number, void *context,
                   bool (*take)(void *context, const struct profile_step *step));

/* The tables of call stacks: the callers of a zone and its callees, the places of allocations, and memory that was not
 * freed. For people the largest 30 rows of each; CSV and JSON have all rows in one table. 0 or -ENOMEM. */
int stacktable_write(const struct profile *profile, struct table_to *to);
/* The table of samples by function: samples in the function, and in its callees. For people the 30 functions with most
 * samples, and a line about missed samples. 0 or -ENOMEM. */
int sampletable_write(const struct profile *profile, struct table_to *to);

#endif
