/* SPDX-License-Identifier: MIT */
/* Several boards as one stream of events: each keeps its rows, sessions and objects, under numbers of its own; all
 * times are on the clock of the host; a flow may lead from one board to another. */
#ifndef HOSTLINK_ACROSS_H
#define HOSTLINK_ACROSS_H

#include "base/intmap.h"
#include "base/keytable.h"
#include "base/liveset.h"
#include "clock/host_fit.h"
#include "model/consumer.h"
#include "wire/site_entry.h"

struct across;

/* A flow that its own board did not receive. */
struct across_send {
    uint64_t id, number;       /* number: the board's */
    int64_t time_ns, bound_ns; /* on the board's timeline, then on that of all */
    uint32_t name, board, session;
    bool open; /* not received yet */
};

/* Sends beyond this number are not joined to another board's receives. */
#define ACROSS_SENDS_MAX (1u << 20)
struct across_sends {
    struct across_send *list; /* sorted from across_settle() on */
    uint32_t count, capacity;
    uint32_t *unused; /* places in "list" */
    uint32_t unused_count, unused_capacity;
    struct liveset places; /* by board and number: + 1 */
    uint64_t refused;
};

struct across_board {
    struct across *across;
    struct event_board board;   /* its name is short, for rows */
    const struct host_fit *fit; /* settled; not known: the board begins when the first one does */
    const struct host_live
        *live;        /* while more comes, in place of the fit: rows may only be held back then */
    int64_t first_ns; /* of its first event, on its own timeline */
    int64_t host_ns;  /* how far its host's clock lags the common one */
    uint32_t first_core;
    uint32_t cores[WIRE_LANES]; /* live: their numbers + 1, in the order of coming */
    struct track **tracks;      /* by id on the board */
    uint32_t track_count;
    uint32_t *
        sessions; /* by number on the board: its number in all, and how many are other boards' before it */
    uint32_t session_count;
    struct intmap devices; /* by number on the board: number in all + 1 */
    struct intmap objects; /* by pointer: number in "copies" + 1 */
    struct object **copies;
    uint32_t object_count;
    struct site error; /* the plot of its clock's error */
    int64_t next_ns;   /* when that is shown again */
    char title[256];
};

struct across {
    struct consumer to;
    int64_t base_ns;  /* of the host's clock: 0 of all times */
    int64_t epoch_ns; /* Unix time of that, 0 = unknown */
    uint32_t sessions, tracks, objects, cores, devices;
    struct keytable names; /* of flows */
    struct across_sends sends;
    void *texts; /* that rows have: a list */
    uint64_t arrows, too_short,
        backwards;   /* between boards; within the error of the clocks; beyond it */
    uint64_t joined; /* events of flows that another board began, which its own took for a fault */
};

/* Before: any event of a board, from a pass that makes the same events. 0 or -ENOMEM. */
int across_learn(struct across_board *board, const struct event *event);
/* All boards have their fits, and base_ns is set. */
void across_settle(struct across *across, const struct across_board *const *boards);
/* The consumer of one board's events; "context" is its across_board. 0, -ENOMEM, or the value of "to". */
int across_event(void *context, const struct event *event);
/* The same events come once more, from their begin: rows keep their numbers. */
void across_rewind(struct across *across);
void across_board_rewind(struct across_board *board);
void across_board_free(struct across_board *board);
void across_free(struct across *across);

#endif
