/* SPDX-License-Identifier: MIT */
/* The measures of a capture, by name: times of zones, frames, interrupts, waits for locks and holds of locks, and
 * values of plots. Tables and budgets read the same rows. Memory grows with the number of names and with the spread of
 * their values. */
#ifndef HOSTLINK_MEASURES_H
#define HOSTLINK_MEASURES_H

#include "base/intmap.h"
#include "sink/batches.h"
#include "sink/histogram.h"
#include "sink/running.h"
#include "sink/selection.h"

enum measure_of {
    MEASURE_ZONE,      /* from begin to end, of zones that the board ended */
    MEASURE_FRAME,     /* from mark to mark of a set, or from start to end */
    MEASURE_INTERRUPT, /* from entry to return */
    MEASURE_WAIT, /* for a lock, until it was obtained or not: by its events, or as a kernel says */
    MEASURE_HOLD, /* of a lock, from obtaining to giving it back */
    MEASURE_PLOT, /* values */
    MEASURE_FLOW, /* from send to receive */
    MEASURE_ASYNC, /* asynchronous zones that the board ended */
    MEASURE_RUN,   /* of a task, until its core runs another one: without interrupts */
    MEASURE_READY  /* of a task, from its wake-up until it runs */
};
#define MEASURES 10u

/* Interrupts are counted by pieces of time of this length. */
#define MEASURE_WINDOW_NS 10000000

struct measure {
    enum measure_of of;
    const char *name;
    uint32_t core; /* of interrupts */
    const struct event_board
        *board;       /* one of several, of zones, frames, plots, asynchronous zones: */
    char *board_name; /* "board/name", from measures_settle() on */
    uint64_t count;
    uint64_t total_ns;
    uint64_t self_ns; /* zones and interrupts: without the parts inside them */
    uint64_t least_ns, most_ns;
    double least, most, sum, first, last; /* of plots */
    int64_t most_at_ns;             /* when the longest began, or the greatest value was recorded */
    const struct track *most_on;    /* where it was */
    const struct track *most_other; /* of the longest wait: the lock's releaser or holder */
    struct histogram histogram;
    struct batches batches; /* of the times, as they came */
    /* Interrupts. */
    uint32_t deepest;         /* interrupts that ran at the same time */
    uint64_t peak;            /* entries in the busiest window */
    int64_t peak_at_ns;       /* when it began */
    struct histogram windows; /* entries in those that have one */
    const void *key;          /* a site, a track or an object */
    /* Flows, asynchronous zones. */
    uint64_t begun; /* sends, begins */
    int64_t
        unended; /* of them: without a receive, or an end; less where those came first. Holds: at the end */
    uint64_t unstarted; /* receives without a send */
    uint64_t bound_ns;  /* between boards or cores: the greatest error of their clocks */
    uint64_t shorter;   /* that took less than the error of theirs */
    /* While events come. */
    int64_t
        window; /* its number; frames: when the open one began, or the last mark was; flows: the first begin */
    uint64_t in_window;
    bool open;
    uint64_t late;             /* frames */
    uint32_t marks;            /* frames: of "measures", when that was */
    const struct track *gave;  /* the lock, last */
    const struct track *keeps; /* it at the end: the one that took it first */
    int64_t kept_ns;           /* since then */
};

/* A task of a kernel. */
struct measure_task {
    const struct track *track;
    const struct object
        *recorded;             /* it waits for that lock by an event of its own; NULL: for none */
    const struct object *lock; /* the kernel says that it waits for that one, or NULL */
    int64_t since_ns;
    const struct track *holder; /* NULL: not known */
};

/* All zero, except "wanted", "late_ns" and "selection", is empty. */
struct measures {
    uint32_t wanted;             /* bits by enum measure_of */
    uint64_t late_ns;            /* frames that take longer are late; 0: none is */
    struct selection *selection; /* of interrupts, as their switches are always taken; NULL: all */
    struct intmap numbers[MEASURES];
    struct measure *rows;
    uint32_t count, capacity;
    const struct measure **by_name; /* the rows, sorted by what they are of and by name */
    uint32_t marks;                 /* losses and sessions so far: frames do not span them */
    struct running running;
    struct measure_task *tasks; /* that waited for a lock */
    uint32_t task_count, task_capacity;
    struct intmap task_numbers; /* by track: + 1 */
    int64_t last_ns;
    bool boards, clocks; /* there are several: boards; clocks that flows lead between */
};

/* Takes any event. 0 or -ENOMEM. */
int measures_event(struct measures *measures, const struct event *event);
/* A copy that can be settled while events come; "copy" is all zero. 0 or -ENOMEM: free it in any case. */
int measures_copy(struct measures *copy, const struct measures *measures);
/* After the last event, as often as it is called: rows of equal name become one. 0 or -ENOMEM. */
int measures_settle(struct measures *measures);
void measures_free(struct measures *measures);

/* The first place of that zone's name in the source, or NULL. */
const struct site *measure_site(const struct measure *row);
uint64_t measure_mean_ns(const struct measure *row);
/* Nearest rank, within 1.6 %; never outside the measured range. */
uint64_t measure_percentile(const struct measure *row, unsigned percent);
/* The share of the time up to the last event: for zones of their total, for interrupts of their own run time. */
double measure_percent(const struct measures *measures, const struct measure *row);
/* Per second of the same time. */
double measure_rate(const struct measures *measures, const struct measure *row);
/* Entries in a window that has one: the median. */
uint64_t measure_usual(const struct measure *row);
/* An interrupt came far more often than it usually does. */
bool measure_is_storm(const struct measure *row);

struct measure_rows {
    const struct measure *const *rows;
    uint32_t count;
};

/* The rows of that name, after measures_settle(): none, one, or of interrupts one for each core. Costs a binary
 * search. */
struct measure_rows measures_find(const struct measures *measures, enum measure_of of,
                                  const char *name);

#endif
