/* SPDX-License-Identifier: MIT */
#include "sink/longest.h"

#include <errno.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "base/intmap.h"
#include "base/nearest.h"
#include "sink/view.h"

enum part_of { PART_ZONE, PART_WAIT, PART_INTERRUPT, PART_TASK };

/* Parts of one name inside a run, summed. */
struct part {
    enum part_of of;
    const char *name;
    uint64_t count, ns;
    const struct track *other; /* of waits: the releaser of the lock in the longest one */
    uint64_t most_ns;
    const void *key;
};

struct run {
    const char *name;          /* of the zone, or of the lock that was waited for */
    const struct site *site;   /* NULL: a wait */
    const struct track *track; /* of the first pass */
    int64_t from_ns, to_ns, self_ns;
    uint32_t depth;           /* open zones of the track, this one included */
    const struct track *here; /* the same track in the second pass, NULL: not seen yet */
    struct part *parts;
    uint32_t part_count, part_capacity;
};

struct longest {
    const char *pattern;
    bool of_waits; /* for locks; else runs of zones */
    struct selection *selection;
    struct run *runs; /* by falling length */
    uint32_t wanted, count;
    uint32_t *depths; /* by number of the track */
    uint32_t depth_count;
    const struct track **gave; /* by number of the object */
    uint32_t gave_count;
    struct nearest nearest;
    struct intmap names; /* by site or lock: 1: the pattern matches, 2: it does not */
    struct running running;
    uint32_t seen; /* runs whose track the second pass has seen */
    bool second;
};

struct longest *longest_new(const char *pattern, uint32_t runs, struct selection *selection) {
    struct longest *l = calloc(1, sizeof *l);
    if (l) {
        l->of_waits = strncmp(pattern, LONGEST_OF_LOCK, sizeof LONGEST_OF_LOCK - 1) == 0;
        pattern += l->of_waits ? sizeof LONGEST_OF_LOCK - 1 : 0;
        l->pattern = strcmp(pattern, "all") == 0 ? "*" : pattern;
        l->nearest.typed = l->pattern;
        l->selection = selection;
        l->wanted = runs == 0 ? LONGEST_RUNS : runs < LONGEST_RUNS_MAX ? runs : LONGEST_RUNS_MAX;
        l->runs = calloc(l->wanted, sizeof *l->runs);
    }
    if (l && !l->runs) {
        free(l);
        l = NULL;
    }
    return l;
}

void longest_free(struct longest *l) {
    for (uint32_t i = 0; i < l->count; i++) {
        free(l->runs[i].parts);
    }
    free(l->runs);
    free(l->depths);
    free(l->gave);
    free(l->running.cores);
    intmap_free(&l->names);
    free(l);
}

/* How many zones are open on the event's track: at a zone's end this one included. 0: no memory. */
static uint32_t follow_depth(struct longest *l, const struct event *event) {
    if (!grow_zeroed(&l->depths, &l->depth_count, event->track->id, sizeof *l->depths)) {
        return 0;
    }
    uint32_t *depth = &l->depths[event->track->id];
    if (event_role(event->kind) == KYMO_ROLE_OPENS) {
        return ++*depth;
    }
    return *depth > 0 ? (*depth)-- : 1;
}

static bool is_wanted(struct longest *l, const void *key, const char *name) {
    uint32_t known = intmap_get(&l->names, (uintptr_t)key);
    if (known == 0) {
        known = fnmatch(l->pattern, name, 0) == 0 ? 1 : 2;
        nearest_try(&l->nearest, name);
        (void)intmap_add(&l->names, (uintptr_t)key, known);
    }
    return known == 1;
}

static int64_t length_of(const struct run *run) { return run->to_ns - run->from_ns; }

/* Equal runs stay in the order of time. */
static void insert(struct longest *l, const struct run *run) {
    if (l->count == l->wanted && length_of(run) <= length_of(&l->runs[l->count - 1])) {
        return;
    }
    uint32_t at = l->count < l->wanted ? l->count++ : l->count - 1;
    while (at > 0 && length_of(&l->runs[at - 1]) < length_of(run)) {
        l->runs[at] = l->runs[at - 1];
        at--;
    }
    l->runs[at] = *run;
}

/* Whether the lock was then taken or the wait given up. */
static void find_wait(struct longest *l, const struct event *event) {
    if (event_holds(event->kind) && event_hold(event->kind) != EVENT_WAITS &&
        event->u.hold.waited && event->u.hold.repaired == HOLD_ENDED &&
        is_wanted(l, event->object, event->object->name) && selection_takes(l->selection, event)) {
        insert(l, &(struct run){.name = event->object->name,
                                .track = event->track,
                                .from_ns = event->u.hold.start_ns,
                                .to_ns = event->time_ns});
    }
}

int longest_find(struct longest *l, const struct event *event) {
    if (l->of_waits) {
        find_wait(l, event);
        return 0;
    }
    const enum kymo_kind_role role = event_role(event->kind);
    if (role != KYMO_ROLE_OPENS && event->kind != EVENT_ZONE_END) {
        return 0;
    }
    const uint32_t depth = follow_depth(l, event);
    if (event->kind == EVENT_ZONE_END && event->u.zone.repaired == ZONE_ENDED &&
        is_wanted(l, event->site, event->site->name) && selection_takes(l->selection, event)) {
        insert(l, &(struct run){.name = event->site->name,
                                .site = event->site,
                                .track = event->track,
                                .from_ns = event->u.zone.start_ns,
                                .to_ns = event->time_ns,
                                .self_ns = event->u.zone.self_ns,
                                .depth = depth});
    }
    return depth != 0 ? 0 : -ENOMEM;
}

bool longest_run(const struct longest *l, uint32_t rank, int64_t *from_ns, int64_t *to_ns) {
    if (rank < l->count) {
        *from_ns = l->runs[rank].from_ns;
        *to_ns = l->runs[rank].to_ns;
    }
    return rank < l->count;
}

/* ---- the second pass ---- */

static struct part *part_of(struct run *run, enum part_of of, const void *key, const char *name) {
    for (uint32_t i = 0; i < run->part_count; i++) {
        if (run->parts[i].of == of && run->parts[i].key == key) {
            return &run->parts[i];
        }
    }
    if (!grow(&run->parts, &run->part_capacity, run->part_count, sizeof *run->parts)) {
        return NULL;
    }
    run->parts[run->part_count] = (struct part){.of = of, .key = key, .name = name};
    return &run->parts[run->part_count++];
}

static int add_part(struct run *run, enum part_of of, const void *key, const char *name,
                    uint64_t count, int64_t ns, const struct track *other) {
    struct part *part = part_of(run, of, key, name);
    if (!part) {
        return -ENOMEM;
    }
    part->count += count;
    part->ns += ns > 0 ? (uint64_t)ns : 0;
    if (ns > 0 && (uint64_t)ns > part->most_ns) {
        part->most_ns = (uint64_t)ns;
        part->other = other;
    }
    return 0;
}

static bool is_inside(const struct run *run, const struct event *event, int64_t from_ns) {
    return event->track->id == run->track->id && from_ns >= run->from_ns &&
           event->time_ns <= run->to_ns;
}

/* Another row ran on the core that the run was last on. */
static int take_slice(void *context, const struct running_slice *slice) {
    struct longest *l = context;
    int error = 0;
    for (uint32_t i = 0; i < l->count && error == 0; i++) {
        struct run *run = &l->runs[i];
        const int64_t from_ns = slice->from_ns > run->from_ns ? slice->from_ns : run->from_ns;
        const int64_t to_ns = slice->to_ns < run->to_ns ? slice->to_ns : run->to_ns;
        if (to_ns > from_ns && run->here && slice->track != run->here &&
            slice->core == run->here->core) {
            const bool interrupt = slice->track->kind == KYMO_CONTEXT_INTERRUPT;
            error = add_part(run, interrupt ? PART_INTERRUPT : PART_TASK, slice->track,
                             slice->track->name, interrupt ? 0 : 1, to_ns - from_ns, NULL);
        }
    }
    return error;
}

/* Its time is that of its slices. */
static int take_interrupt(void *context, const struct running_interrupt *entered) {
    struct longest *l = context;
    int error = 0;
    for (uint32_t i = 0; i < l->count && error == 0; i++) {
        struct run *run = &l->runs[i];
        if (run->here && entered->track != run->here && entered->track->core == run->here->core &&
            entered->from_ns < run->to_ns && entered->to_ns > run->from_ns) {
            error = add_part(run, PART_INTERRUPT, entered->track, entered->track->name, 1, 0, NULL);
        }
    }
    return error;
}

static void find_track(struct longest *l, const struct track *track) {
    l->seen = 0;
    for (uint32_t i = 0; i < l->count; i++) {
        if (l->runs[i].track->id == track->id) {
            l->runs[i].here = track;
        }
        l->seen += l->runs[i].here != NULL;
    }
}

static int take_zone(struct longest *l, const struct event *event) {
    const uint32_t depth = follow_depth(l, event);
    int error = depth != 0 ? 0 : -ENOMEM;
    for (uint32_t i = 0; event->kind == EVENT_ZONE_END && i < l->count && error == 0; i++) {
        if (!l->of_waits && is_inside(&l->runs[i], event, event->u.zone.start_ns) &&
            depth == l->runs[i].depth + 1) {
            error = add_part(&l->runs[i], PART_ZONE, event->site->name, event->site->name, 1,
                             event->time_ns - event->u.zone.start_ns, NULL);
        }
    }
    return error;
}

static int take_hold(struct longest *l, const struct event *event) {
    if (!grow_zeroed(&l->gave, &l->gave_count, event->object->id, sizeof *l->gave)) {
        return -ENOMEM;
    }
    const struct track **gave = &l->gave[event->object->id];
    int error = 0;
    for (uint32_t i = 0; event->u.hold.waited && i < l->count && error == 0; i++) {
        if (is_inside(&l->runs[i], event, event->u.hold.start_ns)) {
            error = add_part(&l->runs[i], PART_WAIT, event->object, event->object->name, 1,
                             event->time_ns - event->u.hold.start_ns,
                             *gave != event->track ? *gave : NULL);
        }
    }
    if (error == 0 && event_hold(event->kind) == EVENT_GIVES && !event->u.hold.waited) {
        *gave = event->track;
    }
    return error;
}

static void begin_second(struct longest *l) {
    l->second = true;
    if (l->depths) {
        memset(l->depths, 0, l->depth_count * sizeof *l->depths);
    }
    l->running = (struct running){.context = l, .slice = take_slice, .interrupt = take_interrupt};
}

int longest_explain(struct longest *l, const struct event *event) {
    if (!l->second) {
        begin_second(l);
    }
    if (l->seen < l->count && event->track) {
        find_track(l, event->track);
    }
    if (event->kind == EVENT_ZONE_END || event_role(event->kind) == KYMO_ROLE_OPENS) {
        return take_zone(l, event);
    }
    if (event_holds(event->kind) && event_hold(event->kind) != EVENT_WAITS) {
        return take_hold(l, event);
    }
    return running_event(&l->running, event);
}

/* ---- the table ---- */

static int by_kind_and_time(const void *left, const void *right) {
    const struct part *a = left, *b = right;
    if (a->of != b->of) {
        return a->of < b->of ? -1 : 1;
    }
    if (a->ns != b->ns) {
        return a->ns > b->ns ? -1 : 1;
    }
    return strcmp(a->name, b->name);
}

static const char *const part_words[] = {[PART_ZONE] = "zone",
                                         [PART_WAIT] = "wait for",
                                         [PART_INTERRUPT] = "interrupt",
                                         [PART_TASK] = "other task"};

static void put_run(struct table *t, const struct run *run, uint32_t rank, bool people) {
    if (people) {
        for (unsigned i = 0; i < 5; i++) {
            table_nothing(t);
        }
        return;
    }
    table_number(t, rank);
    table_text(t, run->name);
    table_integer(t, length_of(run));
    table_integer(t, run->from_ns);
    table_text(t, run->track->name);
}

static void put_part(struct table *t, const struct run *run, const struct part *part, uint32_t rank,
                     bool first) {
    table_row(t, TABLE_ALL);
    put_run(t, run, rank, !first && t->to->form == TABLE_TEXT);
    table_text(t, part_words[part->of]);
    table_text(t, part->name);
    table_number(t, part->count);
    table_number(t, part->ns);
    table_text(t, part->other ? part->other->name : "");
}

static void put_self(struct table *t, const struct run *run, uint32_t rank) {
    table_row(t, TABLE_ALL);
    put_run(t, run, rank, false);
    table_text(t, "itself");
    table_text(t, "");
    table_number(t, 1);
    table_integer(t, run->self_ns > 0 ? run->self_ns : 0);
    table_text(t, "");
}

/* A wait is its own first part, with who held the lock. */
static void put(struct table *t, struct run *run, uint32_t rank) {
    if (run->site) {
        put_self(t, run, rank);
    }
    if (run->part_count > 0) {
        qsort(run->parts, run->part_count, sizeof *run->parts, by_kind_and_time);
    }
    for (uint32_t i = 0; i < run->part_count; i++) {
        put_part(t, run, &run->parts[i], rank, !run->site && i == 0);
    }
}

bool longest_cause(struct longest *l, struct longest_cause *cause) {
    if (l->count == 0) {
        return false;
    }
    const struct run *run = &l->runs[0];
    const uint64_t self = run->self_ns > 0 ? (uint64_t)run->self_ns : 0;
    *cause = (struct longest_cause){.zone = run->site,
                                    .ns = (uint64_t)length_of(run),
                                    .at_ns = run->from_ns,
                                    .what = "itself",
                                    .name = "",
                                    .part_ns = self};
    for (uint32_t i = 0; i < run->part_count; i++) {
        const struct part *part = &run->parts[i];
        if (part->ns > cause->part_ns) {
            cause->what = part_words[part->of];
            cause->name = part->name;
            cause->part_ns = part->ns;
            cause->other = part->other;
        }
    }
    return true;
}

static int write(void *state, struct table_to *to) {
    static const struct table_column columns[] = {
        {"rank", "", TABLE_COUNT, 2, 0, 0},        {"zone", "zone", TABLE_NAME, 0, 32, 0},
        {"total_ns", "took", TABLE_TIME, 8, 0, 0}, {"at_ns", "began at", TABLE_AT, 0, 0, 0},
        {"on", "on", TABLE_NAME, 0, 24, 0},        {"part", "inside", TABLE_NAME, 0, 0, 0},
        {"name", "", TABLE_NAME, 0, 32, 0},        {"count", "times", TABLE_COUNT, 0, 0, 0},
        {"part_ns", "for", TABLE_TIME, 8, 0, 0},   {"held_by", "held by", TABLE_NAME, 0, 24, 0},
    };
    struct longest *l = state;
    struct table t;
    int error = l->second ? running_end(&l->running) : 0;
    table_begin(&t, to, "longest", NULL, 0);
    table_columns(&t, columns, sizeof columns / sizeof *columns);
    t.limit = 0; /* "top" is the number of runs, and each has several rows */
    for (uint32_t i = 0; i < l->count; i++) {
        put(&t, &l->runs[i], i + 1);
    }
    const int64_t shown = table_end(&t);
    if (shown == 0 && to->form == TABLE_TEXT) {
        const bool suggests = l->nearest.word && l->nearest.edits > 0;
        fprintf(to->text, "no %s of that name was seen whole%s%s%s\n",
                l->of_waits ? "wait for a lock" : "zone", suggests ? ", did you mean '" : "",
                suggests ? l->nearest.word : "", suggests ? "'?" : "");
    }
    return error ? error : shown < 0 ? (int)shown : 0;
}

static void *make(const struct view_options *options) {
    return longest_new(options->longest, options->top, options->selection);
}

static int find(void *state, const struct event *event) { return longest_find(state, event); }

static int explain(void *state, const struct event *event) { return longest_explain(state, event); }

static void drop(void *state) { longest_free(state); }

const struct view view_longest = {.option = "longest",
                                  .make = make,
                                  .find = find,
                                  .event = explain,
                                  .write = write,
                                  .free = drop,
                                  .whole = true,
                                  .in_report = true};
