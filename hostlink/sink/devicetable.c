/* SPDX-License-Identifier: MIT */
/* The rows of devices (runtime/DEVICE.md): the work of each, its losses, and the accuracy of its times. */
#include <errno.h>
#include <stdlib.h>

#include "base/grow.h"
#include "sink/view.h"

#define NAME_MOST 32u
#define COUNT_OF(list) (sizeof(list) / sizeof *(list))

struct device_sum {
    const struct track *track; /* NULL: this id is not a device's */
    uint64_t zones, busy_ns, dropped, lost;
};

/* Tracks live as long as the pipeline. */
struct devices {
    const struct selection *selection;
    struct device_sum *rows; /* by id of the track */
    uint32_t capacity;
    int64_t last_ns;
};

static void *make(const struct view_options *options) {
    struct devices *d = calloc(1, sizeof *d);
    if (d) {
        d->selection = options->selection;
    }
    return d;
}

static struct device_sum *row_of(struct devices *d, const struct track *track) {
    if (!grow_zeroed(&d->rows, &d->capacity, track->id, sizeof *d->rows)) {
        return NULL;
    }
    d->rows[track->id].track = track;
    return &d->rows[track->id];
}

static int take(void *state, const struct event *event) {
    struct devices *d = state;
    d->last_ns = event->time_ns > d->last_ns ? event->time_ns : d->last_ns;
    if (event->track == NULL || event->track->device == NULL ||
        event->track == event->track->device->queue) {
        return 0;
    }
    struct device_sum *row = row_of(d, event->track);
    if (row == NULL) {
        return -ENOMEM;
    }
    if (event->kind == EVENT_ZONE_END) {
        row->zones++;
        row->busy_ns += (uint64_t)event->u.zone.self_ns; /* of all zones: that of the outermost */
    } else if (event->kind == EVENT_GAP && event->u.gap.cause == GAP_RING_FULL) {
        row->dropped += event->u.gap.lost;
    } else if (event->kind == EVENT_GAP) {
        row->lost += event->u.gap.lost;
    }
    return 0;
}

static int by_place(const void *left, const void *right) {
    const struct device_sum *a = left, *b = right;
    if (a->track == NULL || b->track == NULL) {
        return a->track == b->track ? 0 : a->track == NULL ? 1 : -1;
    }
    const struct device *p = a->track->device, *q = b->track->device;
    return p->number != q->number ? (p->number < q->number ? -1 : 1)
           : p->y != q->y         ? (p->y < q->y ? -1 : 1)
           : p->x != q->x         ? (p->x < q->x ? -1 : 1)
                                  : (a->track->id < b->track->id ? -1 : 1);
}

static void put_row(struct table *t, const struct device_sum *row, double span_ns) {
    const struct device *device = row->track->device;
    table_row(t, TABLE_ALL);
    table_text(t, device->name);
    table_text(t, device->core);
    table_number(t, device->x);
    table_number(t, device->y);
    table_number(t, row->zones);
    table_number(t, row->busy_ns);
    table_real(t, span_ns > 0.0 ? 100.0 * (double)row->busy_ns / span_ns : 0.0);
    table_number(t, row->dropped);
    table_number(t, row->lost);
    table_integer(t, device->bound_ns);
    table_number(t, device->restarts);
    table_number(t, device->clock_restarts);
}

static int write(void *state, struct table_to *to) {
    static const struct table_column columns[] = {
        {"device", "device", TABLE_NAME, 0, NAME_MOST, 0},
        {"core", "core", TABLE_NAME, 0, NAME_MOST, 0},
        {"x", "x", TABLE_COUNT, 3, 0, 0},
        {"y", "y", TABLE_COUNT, 3, 0, 0},
        {"zones", "zones", TABLE_COUNT, 9, 0, 0},
        {"busy_ns", "busy", TABLE_TIME, 8, 0, 0},
        {"busy_percent", "share", TABLE_PERCENT, 8, 0, 0},
        {"dropped", "dropped", TABLE_COUNT, 7, 0, 0},
        {"lost", "lost", TABLE_COUNT, 7, 0, 0},
        {"clock_error_ns", "clock error", TABLE_TIME, 8, 0, 0},
        {"restarts", "restarts", TABLE_COUNT, 0, 0, 0},
        {"clock_restarts", "of its clock", TABLE_COUNT, 0, 0, 0},
    };
    const struct devices *d = state;
    struct table t;
    const double span_ns = selection_span(d->selection, d->last_ns);
    if (d->capacity != 0) {
        qsort(d->rows, d->capacity, sizeof *d->rows, by_place);
    }
    table_begin(&t, to, "devices", NULL, 0);
    table_columns(&t, columns, COUNT_OF(columns));
    for (uint32_t i = 0; i < d->capacity && d->rows[i].track != NULL; i++) {
        put_row(&t, &d->rows[i], span_ns);
    }
    return table_end_or(&t,
                        "no device was seen: the firmware announces their blocks by kymo_device()");
}

static void drop(void *state) {
    free(((struct devices *)state)->rows);
    free(state);
}

const struct view view_devices = {
    .option = "devices", .make = make, .event = take, .write = write, .free = drop};
