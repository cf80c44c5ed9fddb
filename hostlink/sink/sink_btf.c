/* SPDX-License-Identifier: MIT */
/* Best Trace Format 2.2 (Vector/Eclipse, "BTF specification"), lines in the order of time: contexts are processes,
 * tasks and main code as T and interrupts as I, each activated by a stimulus of its own; zones are runnables of
 * theirs, plots signals, locks semaphores. Lost events are comments; the rest has no form here. */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/by_time.h"
#include "base/grow.h"
#include "base/keytable.h"
#include "base/utf8.h"
#include "model/board_info.h"
#include "sink/outfile.h"
#include "sink/sink.h"

#define NAME_BYTES 256u
#define LINE_BYTES (3u * NAME_BYTES)

/* States of the specification's state charts. */
enum state { TERMINATED, ACTIVE, RUNNING, READY, WAITING };

struct entity {
    char *name;     /* as it is written: no other has it */
    uint32_t count; /* instances so far */
};

struct runnable {
    uint32_t entity, instance;
};

struct process {
    const struct track *track;
    uint32_t entity, stimulus, instance;
    uint32_t core; /* that it runs on, or ran on last: tasks move */
    enum state state;
    uint8_t told; /* enum task_state, by the kernel */
    struct runnable *zones;
    uint32_t depth, capacity;
};

struct lock {
    uint32_t holders, waiters;
};

struct btf {
    struct outfile *out;
    struct by_time order;
    struct keytable keys, names; /* of entities: the key of each, and the names in use */
    struct entity *entities;
    uint32_t entity_count, entity_capacity;
    struct process **processes; /* by id of the track */
    uint32_t process_count;
    struct lock *locks; /* by id of the object */
    uint32_t lock_count;
    uint32_t running[BOARD_INFO_LANES]; /* ids of tracks, 0: not known */
    uint32_t core;                      /* of the event */
    int64_t epoch_ns, now_ns;
    int error;
};

/* ---- names ---- */

/* No comma, no end of the line. */
static void copy_name(char name[NAME_BYTES], const char *text) {
    size_t used = 0;
    for (size_t left = strlen(text); left > 0 && used + 5 < NAME_BYTES;) {
        uint32_t character;
        const size_t taken = utf8_next(text, left, &character);
        if (character == ',' || character == UTF8_REPLACEMENT || utf8_is_control(character)) {
            name[used++] = '_';
        } else {
            memcpy(name + used, text, taken);
            used += taken;
        }
        text += taken;
        left -= taken;
    }
    name[used] = '\0';
}

/* Appends a number to a name that is already in use. */
static char *unique_name(struct btf *b, const char *text) {
    char name[NAME_BYTES], tried[NAME_BYTES + 16];
    copy_name(name, text[0] ? text : "?");
    (void)snprintf(tried, sizeof tried, "%s", name);
    for (uint32_t i = 2; keytable_find(&b->names, tried, strlen(tried)) >= 0; i++) {
        (void)snprintf(tried, sizeof tried, "%.200s#%" PRIu32, name, i);
    }
    return keytable_add(&b->names, tried, strlen(tried)) < 0 ? NULL : strdup(tried);
}

/* "of": 'P'rocess, stimulus 'I', 'R'unnable, 'S'ignal, 'L'ock. */
static struct entity *entity(struct btf *b, char of, const void *key, const char *text) {
    char bytes[1 + sizeof key] = {of};
    memcpy(bytes + 1, &key, sizeof key);
    const int64_t number = keytable_add(&b->keys, bytes, sizeof bytes);
    if (number >= 0 && number < b->entity_count) {
        return &b->entities[number];
    }
    const bool room = number >= 0 &&
                      grow(&b->entities, &b->entity_capacity, b->entity_count, sizeof *b->entities);
    char *name = room ? unique_name(b, text) : NULL;
    if (!name) {
        b->error = -ENOMEM;
        return NULL;
    }
    b->entities[b->entity_count] = (struct entity){.name = name};
    return &b->entities[b->entity_count++];
}

static const char *name_of(const struct btf *b, uint32_t number) {
    return b->entities[number].name;
}

/* ---- lines ---- */

static void put(struct btf *b, const char *source, uint32_t source_instance, const char *type,
                const char *target, uint32_t instance, const char *event) {
    char line[LINE_BYTES];
    const int length =
        snprintf(line, sizeof line, "%" PRId64 ",%s,%" PRIu32 ",%s,%s,%" PRIu32 ",%s\n", b->now_ns,
                 source, source_instance, type, target, instance, event);
    const int error = by_time_add(&b->order, b->now_ns, 0, line, (size_t)length);
    b->error = b->error ? b->error : error;
}

static bool is_interrupt(const struct process *p) {
    return p->track->kind == KYMO_CONTEXT_INTERRUPT;
}

static void put_process(struct btf *b, const struct process *p, const char *event) {
    char core[16];
    (void)snprintf(core, sizeof core, "Core_%" PRIu32, p->core);
    put(b, core, 0, is_interrupt(p) ? "I" : "T", name_of(b, p->entity), p->instance, event);
}

static void put_runnable(struct btf *b, const struct process *p, const struct runnable *r,
                         const char *event) {
    put(b, name_of(b, p->entity), p->instance, "R", name_of(b, r->entity), r->instance, event);
}

/* ---- processes ---- */

static struct process *process_of(struct btf *b, const struct track *track) {
    if (!grow_zeroed(&b->processes, &b->process_count, track->id, sizeof *b->processes)) {
        return NULL;
    }
    struct process *p = b->processes[track->id];
    if (!p) {
        char name[NAME_BYTES];
        (void)snprintf(name, sizeof name, "%.200s_stimulus", track->name);
        const struct entity *own = entity(b, 'P', track, track->name);
        const struct entity *stimulus = own ? entity(b, 'I', track, name) : NULL;
        p = stimulus ? calloc(1, sizeof *p) : NULL;
        if (p) {
            p->track = track;
            p->stimulus = (uint32_t)(stimulus - b->entities);
            p->entity = p->stimulus - 1;
        }
        b->processes[track->id] = p;
    }
    return p;
}

static void leave(struct btf *b, struct process *p, const struct process *next);

/* Starts the process on the core, or resumes it with its runnables; the process before leaves the core. */
static void run(struct btf *b, struct process *p) {
    uint32_t *running = &b->running[b->core];
    if (p->state == RUNNING && p->core != b->core) {
        leave(b, p, NULL); /* the other core did not report it */
        b->running[p->core] = 0;
    }
    if (*running != 0 && *running != p->track->id) {
        leave(b, b->processes[*running], p);
    }
    *running = p->track->id;
    if (p->state == TERMINATED) {
        const char *stimulus = name_of(b, p->stimulus);
        p->instance = b->entities[p->stimulus].count++;
        put(b, stimulus, p->instance, "STI", stimulus, p->instance, "trigger");
        put(b, stimulus, p->instance, is_interrupt(p) ? "I" : "T", name_of(b, p->entity),
            p->instance, "activate");
        p->state = ACTIVE;
    }
    if (p->state == WAITING) {
        put_process(b, p, "release");
        p->state = READY;
    }
    if (p->state == RUNNING) {
        return;
    }
    p->core = b->core;
    put_process(b, p, p->state == ACTIVE ? "start" : "resume");
    for (uint32_t i = 0; p->state == READY && i < p->depth; i++) {
        put_runnable(b, p, &p->zones[i], "resume");
    }
    p->state = RUNNING;
}

static void end_runnables(struct btf *b, struct process *p, const char *event) {
    for (uint32_t i = p->depth; i > 0; i--) {
        put_runnable(b, p, &p->zones[i - 1], event);
    }
}

static void terminate(struct btf *b, struct process *p) {
    run(b, p);
    end_runnables(b, p, "terminate");
    p->depth = 0;
    put_process(b, p, "terminate");
    p->state = TERMINATED;
}

/* The core leaves it for "next". */
static void leave(struct btf *b, struct process *p, const struct process *next) {
    const bool returns = is_interrupt(p) && !(next && is_interrupt(next) && next->state != READY);
    if (p->state != RUNNING || p == next) {
        return;
    }
    if (returns || (p->told == TASK_OVER && next && !is_interrupt(next))) {
        terminate(b, p);
        return;
    }
    const bool waits = (p->told == TASK_WAITING || p->told == TASK_SUSPENDED) && !is_interrupt(p);
    end_runnables(b, p, "suspend");
    put_process(b, p, waits ? "wait" : "preempt");
    p->state = waits ? WAITING : READY;
}

/* Interrupts of the core that were preempted, and return without having run again. */
static void end_interrupts(struct btf *b, const struct process *next) {
    for (uint32_t i = b->process_count; !is_interrupt(next) && i > 0; i--) {
        struct process *p = b->processes[i - 1];
        if (p && is_interrupt(p) && p->core == b->core && p->state == READY) {
            terminate(b, p);
        }
    }
}

static void take_switch(struct btf *b, struct process *p) {
    const uint32_t running = b->running[b->core];
    if (running != 0) {
        leave(b, b->processes[running], p);
        end_interrupts(b, p);
    }
    run(b, p);
}

static void take_state(struct btf *b, struct process *p, const struct event *event) {
    p->told = event->u.task.state;
    if (p->told == TASK_READY && p->state == WAITING) {
        put_process(b, p, "release");
        p->state = READY;
    }
}

/* ---- the rest ---- */

static int open_zone(struct btf *b, struct process *p, const struct event *event) {
    struct entity *zone = entity(b, 'R', event->site, event->site->name);
    if (!zone || !grow(&p->zones, &p->capacity, p->depth, sizeof *p->zones)) {
        return -ENOMEM;
    }
    run(b, p);
    p->zones[p->depth] = (struct runnable){(uint32_t)(zone - b->entities), zone->count++};
    put_runnable(b, p, &p->zones[p->depth++], "start");
    return 0;
}

static void end_zone(struct btf *b, struct process *p) {
    if (p->depth > 0) {
        run(b, p);
        put_runnable(b, p, &p->zones[--p->depth], "terminate");
    }
}

static void take_plot(struct btf *b, struct process *p, const struct event *event) {
    char write[48];
    if (!isfinite(event->u.plot.real)) {
        return;
    }
    const struct entity *signal = entity(b, 'S', event->site->name, event->site->name);
    if (event->u.plot.type == PLOT_INT) {
        (void)snprintf(write, sizeof write, "write,%" PRId64, event->u.plot.integer);
    } else {
        (void)snprintf(write, sizeof write, "write,%.17g", event->u.plot.real);
    }
    if (signal) {
        run(b, p);
        put(b, name_of(b, p->entity), p->instance, "SIG", signal->name, 0, write);
    }
}

static struct lock *lock_of(struct btf *b, uint32_t id) {
    if (!grow_zeroed(&b->locks, &b->lock_count, id, sizeof *b->locks)) {
        b->error = -ENOMEM;
        return NULL;
    }
    return &b->locks[id];
}

static void take_hold(struct btf *b, struct process *p, const struct event *event) {
    const struct entity *of = entity(b, 'L', event->object, event->object->name);
    struct lock *lock = lock_of(b, event->object->id);
    const enum event_hold hold = event_hold(event->kind);
    if (!of || !lock) {
        return;
    }
    const char *name = of->name, *process = name_of(b, p->entity);
    if (hold != EVENT_GIVES || event->u.hold.repaired == HOLD_ENDED) {
        run(b, p);
    }
    if (hold == EVENT_WAITS || (hold == EVENT_TAKES && !event->u.hold.waited)) {
        put(b, process, p->instance, "SEM", name, 0, "requestsemaphore");
    }
    if (hold == EVENT_WAITS) {
        if (lock->waiters++ == 0 && lock->holders > 0) {
            put(b, name, 0, "SEM", name, 0, "overfull");
        }
        put(b, process, p->instance, "SEM", name, 0, "waiting");
        return;
    }
    lock->waiters -= event->u.hold.waited && lock->waiters > 0;
    if (hold == EVENT_TAKES) {
        if (lock->holders++ == 0) {
            put(b, name, 0, "SEM", name, 0, "lock");
        }
        put(b, process, p->instance, "SEM", name, 0, "assigned");
    } else if (!event->u.hold.waited) {
        put(b, process, p->instance, "SEM", name, 0, "released");
        lock->holders -= lock->holders > 0;
        if (lock->holders == 0) {
            put(b, name, 0, "SEM", name, 0, "unlock");
        }
    }
}

static void take_gap(struct btf *b, const struct event *event) {
    char line[96];
    const int length = snprintf(line, sizeof line,
                                "# Core_%" PRIu32 ": %" PRIu64 " events lost since %" PRId64 "\n",
                                event->track->core, event->u.gap.lost, event->u.gap.start_ns);
    const int error = by_time_add(&b->order, b->now_ns, 0, line, (size_t)length);
    b->error = b->error ? b->error : error;
}

static int take(struct btf *b, const struct event *event) {
    b->now_ns = event->time_ns > 0 ? event->time_ns : 0;
    if (event->kind == EVENT_SESSION) {
        b->epoch_ns = b->epoch_ns ? b->epoch_ns : event->u.session.epoch_ns;
        return 0;
    }
    b->core = event->track->core;
    struct process *p = event->track->device ? NULL : process_of(b, event->track);
    if (!p) {
        return event->track->device ? 0 : -ENOMEM;
    }
    if (event->kind == EVENT_SWITCH) {
        take_switch(b, p);
    } else if (event->kind == EVENT_TASK) {
        take_state(b, p, event);
    } else if (event->kind == EVENT_GAP) {
        take_gap(b, event);
    } else if (event_role(event->kind) == KYMO_ROLE_OPENS) {
        return open_zone(b, p, event);
    } else if (event->kind == EVENT_ZONE_END) {
        end_zone(b, p);
    } else if (event_role(event->kind) == KYMO_ROLE_SAMPLE) {
        take_plot(b, p, event);
    } else if (event_holds(event->kind)) {
        take_hold(b, p, event);
    }
    return b->error;
}

static int on_event(void *state, const struct event *event) {
    struct btf *b = state;
    return outfile_fail(b->out, take(b, event));
}

/* ---- the file ---- */

static int write_line(void *context, int64_t time_ns, const uint8_t *bytes, size_t length) {
    (void)time_ns;
    return outfile_write(((const struct btf *)context)->out, bytes, length);
}

static void write_head(const struct btf *b) {
    const time_t seconds = (time_t)(b->epoch_ns / 1000000000);
    struct tm utc;
    char date[32];
    outfile_printf(b->out, "#version 2.2.0\n#creator hostlink %s\n", KYMO_VERSION);
    if (b->epoch_ns > 0 && gmtime_r(&seconds, &utc) &&
        strftime(date, sizeof date, "%Y-%m-%dT%H:%M:%SZ", &utc) > 0) {
        outfile_printf(b->out, "#creationDate %s\n", date);
    }
    outfile_printf(b->out, "#timeScale ns\n");
}

static int end(void *state) {
    struct btf *b = state;
    write_head(b);
    const int error = by_time_each(&b->order, b, write_line);
    for (uint32_t i = 0; i < b->process_count; i++) {
        if (b->processes[i]) {
            free(b->processes[i]->zones);
            free(b->processes[i]);
        }
    }
    for (uint32_t i = 0; i < b->entity_count; i++) {
        free(b->entities[i].name);
    }
    by_time_free(&b->order);
    keytable_free(&b->keys);
    keytable_free(&b->names);
    free(b->processes);
    free(b->entities);
    free(b->locks);
    return error;
}

static int begin(void *state) {
    struct btf *b = state;
    b->order.fd = -1;
    for (unsigned i = 0; i < BOARD_INFO_LANES; i++) {
        char core[16];
        const int length = snprintf(core, sizeof core, "Core_%u", i);
        b->error = keytable_add(&b->names, core, (size_t)length) < 0 ? -ENOMEM : b->error;
    }
    return 0;
}

const struct sink sink_btf = {
    .name = "btf",
    .suffixes = ".btf",
    .help = "Best Trace Format 2.2, for Trace Compass and timing tools",
    .size = sizeof(struct btf),
    .begin = begin,
    .event = on_event,
    .end = end,
};
