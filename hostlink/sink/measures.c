/* SPDX-License-Identifier: MIT */
#include "sink/measures.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "base/keytable.h"

#define STORM_FACTOR 10u
#define STORM_LEAST 20u

/* Boards may share the text of a name. */
static uint64_t key_of(const void *key, const struct event_board *board) {
    return (uint64_t)(uintptr_t)key * (EVENT_BOARDS_MAX + 1u) + (board ? board->number + 1u : 0u);
}

static struct measure *add_row(struct measures *m, enum measure_of of, const void *key,
                               const struct event_board *board) {
    if (!grow(&m->rows, &m->capacity, m->count, sizeof *m->rows)) {
        return NULL;
    }
    if (intmap_add(&m->numbers[of], key_of(key, board), m->count + 1) != 0) {
        return NULL;
    }
    m->rows[m->count] = (struct measure){
        .of = of, .key = key, .board = board, .least_ns = UINT64_MAX, .batches.size = 1};
    return &m->rows[m->count++];
}

static struct measure *row_of(struct measures *m, enum measure_of of, const void *key) {
    const uint32_t number = intmap_get(&m->numbers[of], key_of(key, NULL));
    return number != 0 ? &m->rows[number - 1] : add_row(m, of, key, NULL);
}

/* The same name on another board is another row. */
static struct measure *row_on(struct measures *m, enum measure_of of, const void *key,
                              const struct track *track) {
    const uint32_t number = intmap_get(&m->numbers[of], key_of(key, track->board));
    return number != 0 ? &m->rows[number - 1] : add_row(m, of, key, track->board);
}

static bool wants(const struct measures *m, enum measure_of of) {
    return (m->wanted >> (unsigned)of & 1u) != 0;
}

static uint64_t between(int64_t from_ns, int64_t to_ns) {
    return to_ns > from_ns ? (uint64_t)to_ns - (uint64_t)from_ns : 0;
}

static uint64_t add_clamped(uint64_t a, uint64_t b) {
    uint64_t sum;
    return __builtin_add_overflow(a, b, &sum) ? UINT64_MAX : sum;
}

/* Among equal times the first is kept as the longest. */
static int add_time(struct measure *row, int64_t from_ns, int64_t to_ns, const struct track *on,
                    const struct track *other) {
    const uint64_t ns = between(from_ns, to_ns);
    if (row->count == 0 || ns > row->most_ns) {
        row->most_ns = ns;
        row->most_at_ns = from_ns;
        row->most_on = on;
        row->most_other = other;
    }
    row->least_ns = ns < row->least_ns ? ns : row->least_ns;
    row->total_ns = add_clamped(row->total_ns, ns);
    row->count++;
    batches_add(&row->batches, (double)ns);
    return histogram_add(&row->histogram, ns);
}

/* ---- events ---- */

static int take_zone(struct measures *m, const struct event *event) {
    if (event->u.zone.repaired != ZONE_ENDED) {
        return 0;
    }
    struct measure *row = row_on(m, MEASURE_ZONE, event->site, event->track);
    if (!row) {
        return -ENOMEM;
    }
    row->self_ns = add_clamped(row->self_ns, between(0, event->u.zone.self_ns));
    return add_time(row, event->u.zone.start_ns, event->time_ns, event->track, NULL);
}

/* Equal names are one text, so the name is the set. */
static int take_frame(struct measures *m, const struct event *event) {
    struct measure *row = row_on(m, MEASURE_FRAME, event->site->name, event->track);
    int error = row ? 0 : -ENOMEM;
    if (row && row->open && row->marks == m->marks && event->kind != EVENT_FRAME_START &&
        (event->kind == EVENT_FRAME || event->u.frame.repaired == FRAME_ENDED)) {
        row->late += between(row->window, event->time_ns) > m->late_ns;
        error = add_time(row, row->window, event->time_ns, event->track, NULL);
    }
    if (row) {
        row->open = event->kind != EVENT_FRAME_END;
        row->window = event->time_ns;
        row->marks = m->marks;
    }
    return error;
}

static int end_window(struct measure *row) {
    if (row->in_window > row->peak) {
        row->peak = row->in_window;
        row->peak_at_ns = row->window * MEASURE_WINDOW_NS;
    }
    const int error = row->in_window > 0 ? histogram_add(&row->windows, row->in_window) : 0;
    row->in_window = 0;
    return error;
}

static int take_interrupt(void *context, const struct running_interrupt *run) {
    struct measures *m = context;
    if (m->selection && !selection_takes_run(m->selection, run->track, run->from_ns, run->to_ns)) {
        return 0;
    }
    struct measure *row = row_of(m, MEASURE_INTERRUPT, run->track);
    if (!row) {
        return -ENOMEM;
    }
    const int64_t window = run->from_ns / MEASURE_WINDOW_NS;
    const int error = window != row->window ? end_window(row) : 0;
    row->window = window;
    row->in_window++;
    row->core = run->track->core;
    row->self_ns = add_clamped(row->self_ns, between(0, run->self_ns));
    row->deepest = run->depth > row->deepest ? run->depth : row->deepest;
    return error ? error : add_time(row, run->from_ns, run->to_ns, run->track, NULL);
}

static int take_run(void *context, const struct running_task *run) {
    struct measures *m = context;
    const int64_t to_ns = run->from_ns + run->self_ns;
    if (run->track->kind != KYMO_CONTEXT_TASK ||
        (m->selection && !selection_takes_run(m->selection, run->track, run->from_ns, to_ns))) {
        return 0;
    }
    struct measure *row = row_of(m, MEASURE_RUN, run->track);
    return row ? add_time(row, run->from_ns, to_ns, run->track, NULL) : -ENOMEM;
}

/* Before it was ready it waited. */
static int take_ready(struct measures *m, const struct event *event) {
    const int64_t from_ns = event->u.task.since_ns;
    if (event->u.task.state != TASK_RUNNING || !event->u.task.woken ||
        (m->selection &&
         !selection_takes_run(m->selection, event->track, from_ns, event->time_ns))) {
        return 0;
    }
    struct measure *row = row_of(m, MEASURE_READY, event->track);
    return row ? add_time(row, from_ns, event->time_ns, event->track, NULL) : -ENOMEM;
}

/* ---- locks ---- */

static struct measure_task *task_of(struct measures *m, const struct track *track) {
    const uint32_t number = intmap_get(&m->task_numbers, (uintptr_t)track);
    return number != 0 ? &m->tasks[number - 1] : NULL;
}

static struct measure_task *make_task(struct measures *m, const struct track *track) {
    struct measure_task *task = task_of(m, track);
    if (task) {
        return task;
    }
    if (!grow(&m->tasks, &m->task_capacity, m->task_count, sizeof *m->tasks)) {
        return NULL;
    }
    if (intmap_add(&m->task_numbers, (uintptr_t)track, m->task_count + 1) != 0) {
        return NULL;
    }
    m->tasks[m->task_count] = (struct measure_task){.track = track};
    return &m->tasks[m->task_count++];
}

/* Ends a wait that the kernel reported. */
static int end_wait(struct measures *m, struct measure_task *task, int64_t time_ns) {
    const struct object *lock = task->lock;
    task->lock = NULL;
    if (m->selection && !selection_takes_run(m->selection, task->track, task->since_ns, time_ns)) {
        return 0;
    }
    const bool has_row =
        row_of(m, MEASURE_HOLD, lock) != NULL; /* of the lock, though nobody told of a hold */
    struct measure *wait = has_row ? row_of(m, MEASURE_WAIT, lock) : NULL;
    return wait ? add_time(wait, task->since_ns, time_ns, task->track, task->holder) : -ENOMEM;
}

/* Ends the waits of the board whose session ends, or of all at the end of the capture ("session" NULL). */
static int end_waits(struct measures *m, const struct event *session) {
    int error = 0;
    for (uint32_t i = 0; i < m->task_count && error == 0; i++) {
        struct measure_task *task = &m->tasks[i];
        if (!session || event_is_of_board(session, task->track)) {
            task->recorded = NULL;
            error = task->lock
                        ? end_wait(m, task, event_board_end_ns(task->track->board, m->last_ns))
                        : 0;
        }
    }
    return error;
}

/* A wait that the firmware records, too, is counted once. */
static int take_state(struct measures *m, const struct event *event) {
    const bool waits = event->u.task.state == TASK_WAITING && event->u.task.why == KYMO_WHY_LOCK &&
                       event->object && event->object->of == KYMO_OBJECT_LOCK;
    struct measure_task *task = waits ? make_task(m, event->track) : task_of(m, event->track);
    if (!task) {
        return waits ? -ENOMEM : 0;
    }
    if (event->u.task.state == TASK_UNKNOWN) { /* events were lost */
        task->lock = NULL;
    }
    const int error = task->lock ? end_wait(m, task, event->time_ns) : 0;
    if (waits && task->recorded != event->object) {
        task->lock = event->object;
        task->since_ns = event->time_ns;
        task->holder = event->u.task.other;
    }
    return error;
}

static int note_recorded(struct measures *m, const struct event *event) {
    const bool waits = event_hold(event->kind) == EVENT_WAITS;
    struct measure_task *task = waits ? make_task(m, event->track) : task_of(m, event->track);
    if (task && (waits || task->recorded == event->object)) {
        task->recorded = waits ? event->object : NULL;
    }
    return waits && !task ? -ENOMEM : 0;
}

/* The trace ends, and it still holds the lock. */
static int keeps(struct measures *m, const struct event *event) {
    struct measure *hold = row_of(m, MEASURE_HOLD, event->object);
    if (hold && (hold->unended++ == 0 || event->u.hold.start_ns < hold->kept_ns)) {
        hold->keeps = event->track;
        hold->kept_ns = event->u.hold.start_ns;
    }
    return hold ? 0 : -ENOMEM;
}

static int take_hold(struct measures *m, const struct event *event) {
    const int64_t from_ns = event->u.hold.start_ns;
    const bool gives = event_hold(event->kind) == EVENT_GIVES;
    const int error = note_recorded(m, event);
    if (error == 0 && event->u.hold.repaired == HOLD_END_OPEN && gives && !event->u.hold.waited) {
        return keeps(m, event);
    }
    if (error || event->u.hold.repaired != HOLD_ENDED || event_hold(event->kind) == EVENT_WAITS) {
        return error;
    }
    struct measure *hold = row_of(m, MEASURE_HOLD, event->object);
    if (!hold) {
        return -ENOMEM;
    }
    if (event->u.hold.waited) {
        const struct track *gave = hold->gave != event->track ? hold->gave : NULL;
        struct measure *wait = row_of(m, MEASURE_WAIT, event->object);
        return wait ? add_time(wait, from_ns, event->time_ns, event->track, gave) : -ENOMEM;
    }
    if (gives) {
        hold->gave = event->track;
    }
    return gives ? add_time(hold, from_ns, event->time_ns, event->track, NULL) : 0;
}

static int take_plot(struct measures *m, const struct event *event) {
    struct measure *row = row_on(m, MEASURE_PLOT, event->site->name, event->track);
    if (!row) {
        return -ENOMEM;
    }
    /* NaN is the worst value of all. */
    const double value = event->u.plot.real;
    const bool worst = isnan(value) && !isnan(row->most);
    if (row->count == 0 || value > row->most || worst) {
        row->most = value;
        row->most_at_ns = event->time_ns;
        row->most_on = event->track;
    }
    row->first = row->count == 0 ? value : row->first;
    row->least = row->count == 0 || value < row->least || worst ? value : row->least;
    row->last = value;
    row->sum += value;
    row->count++;
    return 0;
}

/* In a part of the capture, flows that began before it do not count as unended. */
static int take_flow(struct measures *m, const struct event *event) {
    const bool is_async = event_is_async(event->kind);
    m->boards = m->boards || event->track->board != NULL;
    if (event->kind == EVENT_FLOW_STEP) {
        return 0;
    }
    struct measure *row = is_async ? row_on(m, MEASURE_ASYNC, event->site->name, event->track)
                                   : row_of(m, MEASURE_FLOW, event->site->name); /* of all boards */
    if (!row) {
        return -ENOMEM;
    }
    if (event->kind == EVENT_FLOW_SEND || event->kind == EVENT_ASYNC_BEGIN) {
        if (row->begun++ == 0 || event->time_ns < row->window) { /* several boards: not in order */
            row->window = event->time_ns;
        }
        row->unended++;
        return 0;
    }
    if (event->u.flow.number == 0) {
        row->unstarted++;
        return 0;
    }
    if (event->u.flow.repaired != FLOW_WHOLE) {
        return 0;
    }
    const uint64_t bound_ns = (uint64_t)event->u.flow.bound_ns;
    m->clocks = m->clocks || bound_ns != 0;
    row->bound_ns = bound_ns > row->bound_ns ? bound_ns : row->bound_ns;
    row->shorter += event_flow_is_short(event);
    /* A send on another board may be handed on after it was received. */
    const bool begun = row->begun > 0 || event->track->board != NULL;
    row->unended -= begun && event->u.flow.start_ns >= row->window;
    return add_time(row, event->u.flow.start_ns, event->time_ns, event->track, NULL);
}

static bool looks_at_cores(const struct measures *m) {
    return wants(m, MEASURE_INTERRUPT) || wants(m, MEASURE_RUN);
}

int measures_event(struct measures *m, const struct event *event) {
    int error = event_ends_session(event) ? end_waits(m, event) : 0;
    if (error) {
        return error;
    }
    m->last_ns = event->time_ns > m->last_ns ? event->time_ns : m->last_ns;
    if (event->kind == EVENT_ZONE_END) {
        error = wants(m, MEASURE_ZONE) ? take_zone(m, event) : 0;
    } else if (event_is_frame(event->kind)) {
        error = wants(m, MEASURE_FRAME) ? take_frame(m, event) : 0;
    } else if (event_holds(event->kind)) {
        error = wants(m, MEASURE_HOLD) ? take_hold(m, event) : 0;
    } else if (event_payload(event->kind) == KYMO_CARRIES_FLOW) {
        error = wants(m, MEASURE_FLOW) ? take_flow(m, event) : 0;
    } else if (event_role(event->kind) == KYMO_ROLE_SAMPLE) {
        error = wants(m, MEASURE_PLOT) ? take_plot(m, event) : 0;
    } else if (event->kind == EVENT_SWITCH || event->kind == EVENT_GAP ||
               event->kind == EVENT_SESSION) {
        m->marks += event->kind != EVENT_SWITCH; /* marks may have been lost */
        m->running.context = m;
        m->running.interrupt = wants(m, MEASURE_INTERRUPT) ? take_interrupt : NULL;
        m->running.task = wants(m, MEASURE_RUN) ? take_run : NULL;
        error = looks_at_cores(m) ? running_event(&m->running, event) : 0;
    } else if (event->kind == EVENT_TASK) {
        error = wants(m, MEASURE_READY) ? take_ready(m, event) : 0;
        error = error == 0 && wants(m, MEASURE_HOLD) ? take_state(m, event) : error;
    }
    return error;
}

/* ---- at the end ---- */

static const char *name_of(const struct measure *row) {
    switch (row->of) {
    case MEASURE_ZONE:
        return ((const struct site *)row->key)->name;
    case MEASURE_INTERRUPT:
    case MEASURE_RUN:
    case MEASURE_READY:
        return ((const struct track *)row->key)->name;
    case MEASURE_WAIT:
    case MEASURE_HOLD:
        return ((const struct object *)row->key)->name;
    default:
        return row->key;
    }
}

/* Sets the name; -ENOMEM or 0. */
static int name_row(struct measure *row) {
    row->name = name_of(row);
    if (!row->board) {
        return 0;
    }
    const size_t head = strlen(row->board->name), tail = strlen(row->name) + 1;
    row->board_name = malloc(head + 1 + tail);
    if (!row->board_name) {
        return -ENOMEM;
    }
    memcpy(row->board_name, row->board->name, head);
    row->board_name[head] = '/';
    memcpy(row->board_name + head + 1, row->name, tail);
    row->name = row->board_name;
    return 0;
}

static int merge_histogram(struct histogram *into, const struct histogram *from) {
    for (unsigned octave = 0; octave < HISTOGRAM_OCTAVES; octave++) {
        if (from->octaves[octave] && !into->octaves[octave] && histogram_make(into, octave) != 0) {
            return -ENOMEM;
        }
        for (unsigned step = 0; from->octaves[octave] && step < HISTOGRAM_STEPS; step++) {
            into->octaves[octave][step] += from->octaves[octave][step];
        }
    }
    into->count += from->count;
    return 0;
}

/* "from" came later. */
static int merge(struct measure *into, struct measure *from) {
    if (from->most_ns > into->most_ns || from->most > into->most) {
        into->most_ns = from->most_ns;
        into->most = from->most;
        into->most_at_ns = from->most_at_ns;
        into->most_on = from->most_on;
        into->most_other = from->most_other;
    }
    if (from->peak > into->peak) {
        into->peak = from->peak;
        into->peak_at_ns = from->peak_at_ns;
    }
    into->least_ns = from->least_ns < into->least_ns ? from->least_ns : into->least_ns;
    into->least = from->least < into->least ? from->least : into->least;
    into->count += from->count;
    into->late += from->late;
    into->begun += from->begun;
    into->unended += from->unended;
    into->unstarted += from->unstarted;
    into->bound_ns = from->bound_ns > into->bound_ns ? from->bound_ns : into->bound_ns;
    into->shorter += from->shorter;
    into->kept_ns = into->keeps ? into->kept_ns : from->kept_ns;
    into->keeps = into->keeps ? into->keeps : from->keeps;
    into->total_ns = add_clamped(into->total_ns, from->total_ns);
    into->self_ns = add_clamped(into->self_ns, from->self_ns);
    into->sum += from->sum;
    into->last = from->last;
    batches_merge(&into->batches, &from->batches);
    into->deepest = from->deepest > into->deepest ? from->deepest : into->deepest;
    const int error = merge_histogram(&into->histogram, &from->histogram);
    return error ? error : merge_histogram(&into->windows, &from->windows);
}

static void free_row(struct measure *row) {
    histogram_free(&row->histogram);
    histogram_free(&row->windows);
    free(row->board_name);
}

/* The number of the row that has this name: its own, or one before it. */
static int64_t number_of(struct keytable *names, const struct measure *row) {
    const uint32_t head[2] = {(uint32_t)row->of, row->core};
    const size_t length = strlen(row->name);
    char *key = malloc(sizeof head + length);
    if (!key) {
        return -ENOMEM;
    }
    memcpy(key, head, sizeof head);
    memcpy(key + sizeof head, row->name, length);
    const int64_t number = keytable_add(names, key, sizeof head + length);
    free(key);
    return number;
}

static int compare_names(const void *a, const void *b) {
    const struct measure *const *first = a, *const *second = b;
    const int by_kind = (int)(*first)->of - (int)(*second)->of;
    const int by_name = by_kind ? by_kind : strcmp((*first)->name, (*second)->name);
    return by_name ? by_name : (*first > *second) - (*first < *second);
}

static int sort_names(struct measures *m) {
    m->by_name = calloc(m->count + 1, sizeof(const struct measure *));
    if (!m->by_name) {
        return -ENOMEM;
    }
    for (uint32_t i = 0; i < m->count; i++) {
        m->by_name[i] = &m->rows[i];
    }
    qsort(m->by_name, m->count, sizeof(const struct measure *), compare_names);
    return 0;
}

int measures_settle(struct measures *m) {
    struct keytable names = {0};
    uint32_t used = 0;
    if (m->by_name) {
        return 0;
    }
    int error = looks_at_cores(m) ? running_end(&m->running) : 0;
    error = error ? error : end_waits(m, NULL);
    for (uint32_t i = 0; i < m->count; i++) {
        struct measure row = m->rows[i];
        int wrong = name_row(&row); /* first: it has a name even if memory is short */
        wrong = wrong == 0 && row.of == MEASURE_INTERRUPT ? end_window(&row) : wrong;
        const int64_t number = number_of(&names, &row);
        if (number >= 0 && (uint32_t)number < used) {
            wrong = wrong ? wrong : merge(&m->rows[number], &row);
            free_row(&row);
        } else {
            m->rows[used++] = row;
        }
        error = error ? error : number < 0 ? (int)number : wrong;
    }
    m->count = used;
    keytable_free(&names);
    return error ? error : sort_names(m);
}

static int copy_histogram(struct histogram *copy, const struct histogram *histogram) {
    *copy = (struct histogram){0};
    return merge_histogram(copy, histogram);
}

int measures_copy(struct measures *copy, const struct measures *m) {
    int error = 0;
    copy->wanted = m->wanted;
    copy->selection = m->selection;
    copy->last_ns = m->last_ns;
    copy->rows = malloc((m->count + 1) * sizeof *copy->rows);
    for (uint32_t i = 0; copy->rows && error == 0 && i < m->count; i++) {
        struct measure *row = &copy->rows[copy->count++];
        *row = m->rows[i];
        row->board_name = NULL;
        row->windows = (struct histogram){0};
        error = copy_histogram(&row->histogram, &m->rows[i].histogram);
        error = error ? error : copy_histogram(&row->windows, &m->rows[i].windows);
    }
    return copy->rows ? error : -ENOMEM;
}

void measures_free(struct measures *m) {
    for (uint32_t i = 0; i < m->count; i++) {
        free_row(&m->rows[i]);
    }
    for (unsigned i = 0; i < MEASURES; i++) {
        intmap_free(&m->numbers[i]);
    }
    free(m->rows);
    free(m->by_name);
    free(m->running.cores);
    free(m->tasks);
    intmap_free(&m->task_numbers);
    *m = (struct measures){0};
}

/* ---- reading a row ---- */

const struct site *measure_site(const struct measure *row) {
    return row->of == MEASURE_ZONE ? row->key : NULL;
}

uint64_t measure_mean_ns(const struct measure *row) {
    return row->count != 0 ? row->total_ns / row->count : 0;
}

uint64_t measure_percentile(const struct measure *row, unsigned percent) {
    const uint64_t value = histogram_percentile(&row->histogram, percent);
    return row->count == 0         ? 0
           : value < row->least_ns ? row->least_ns
           : value > row->most_ns  ? row->most_ns
                                   : value;
}

/* The time that is looked at. */
static double span_ns(const struct measures *m) {
    return m->selection ? selection_span(m->selection, m->last_ns) : (double)m->last_ns;
}

double measure_percent(const struct measures *m, const struct measure *row) {
    const uint64_t ns = row->of == MEASURE_INTERRUPT ? row->self_ns : row->total_ns;
    return span_ns(m) > 0.0 ? 100.0 * (double)ns / span_ns(m) : 0.0;
}

double measure_rate(const struct measures *m, const struct measure *row) {
    return span_ns(m) > 0.0 ? 1e9 * (double)row->count / span_ns(m) : 0.0;
}

uint64_t measure_usual(const struct measure *row) {
    return histogram_percentile(&row->windows, 50);
}

bool measure_is_storm(const struct measure *row) {
    return row->peak >= STORM_LEAST && row->peak >= STORM_FACTOR * measure_usual(row);
}

/* The place of the first row that is not before the name. */
static uint32_t place_of(const struct measures *m, enum measure_of of, const char *name) {
    uint32_t from = 0, to = m->count;
    while (from < to) {
        const uint32_t middle = from + (to - from) / 2;
        const struct measure *row = m->by_name[middle];
        const bool before = row->of != of ? row->of < of : strcmp(row->name, name) < 0;
        from = before ? middle + 1 : from;
        to = before ? to : middle;
    }
    return from;
}

struct measure_rows measures_find(const struct measures *m, enum measure_of of, const char *name) {
    const uint32_t first = place_of(m, of, name);
    uint32_t end = first;
    while (end < m->count && m->by_name[end]->of == of &&
           strcmp(m->by_name[end]->name, name) == 0) {
        end++;
    }
    return (struct measure_rows){m->by_name + first, end - first};
}
