/* SPDX-License-Identifier: MIT */
#include "sink/perfetto_rows.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "kymo/wire.h"

/* Numbers of protos/perfetto/trace/track_event/{track,process,thread,counter}_descriptor.proto. */
enum {
    DESCRIPTOR_NAME = 2,
    DESCRIPTOR_PROCESS = 3,
    DESCRIPTOR_THREAD = 4,
    DESCRIPTOR_PARENT_UUID = 5,
    DESCRIPTOR_COUNTER = 8,
    DESCRIPTOR_CHILD_ORDERING = 11,
    DESCRIPTOR_ORDER_RANK = 12,

    PROCESS_PID = 1,
    PROCESS_NAME = 6,
    PROCESS_LABELS = 8,

    THREAD_PID = 1,
    THREAD_TID = 2,
    THREAD_NAME = 5,

    COUNTER_UNIT = 3,
    COUNTER_UNIT_NAME = 6
};

/* TrackDescriptor.ChildTracksOrdering */
enum { CHILDREN_EXPLICIT = 3 };

/* CounterDescriptor.Unit */
enum { UNIT_SIZE_BYTES = 3 };

/* ---- descriptors ---- */

static void add_string(struct protobuf *message, uint32_t field, const char *text) {
    protobuf_string(message, field, text, strlen(text));
}

static int declare_process(struct perfetto_writer *writer, const struct perfetto_line *process,
                           uint32_t resets, const char *name, bool ordered) {
    struct protobuf *descriptor = perfetto_descriptor_begin(writer, process->row.uuid);
    if (ordered) {
        protobuf_varint(descriptor, DESCRIPTOR_CHILD_ORDERING, CHILDREN_EXPLICIT);
    }
    size_t begun = protobuf_begin(descriptor, DESCRIPTOR_PROCESS);
    protobuf_varint(descriptor, PROCESS_PID, process->id);
    add_string(descriptor, PROCESS_NAME, name);
    if (resets > 0) {
        char label[32];
        snprintf(label, sizeof label, "after reset %" PRIu32, resets);
        add_string(descriptor, PROCESS_LABELS, label);
    }
    protobuf_end(descriptor, begun);
    return perfetto_descriptor_end(writer);
}

static int declare_thread(struct perfetto_writer *writer, uint64_t uuid, uint32_t pid, uint32_t tid,
                          const char *name) {
    struct protobuf *descriptor = perfetto_descriptor_begin(writer, uuid);
    size_t begun = protobuf_begin(descriptor, DESCRIPTOR_THREAD);
    protobuf_varint(descriptor, THREAD_PID, pid);
    protobuf_varint(descriptor, THREAD_TID, tid);
    add_string(descriptor, THREAD_NAME, name);
    protobuf_end(descriptor, begun);
    return perfetto_descriptor_end(writer);
}

static struct protobuf *child_begin(struct perfetto_writer *writer, uint64_t uuid, uint64_t parent,
                                    const char *name) {
    struct protobuf *descriptor = perfetto_descriptor_begin(writer, uuid);
    protobuf_varint(descriptor, DESCRIPTOR_PARENT_UUID, parent);
    add_string(descriptor, DESCRIPTOR_NAME, name);
    return descriptor;
}

/* ---- lines ---- */

static int reserve_lines(struct perfetto_rows *rows, uint32_t number) {
    return grow_zeroed(&rows->lines, &rows->line_count, number, sizeof *rows->lines) ? 0 : -ENOMEM;
}

/* *fresh asks the caller to declare the line that is returned. */
static struct perfetto_line *line_of(struct perfetto_rows *rows, const struct series *series,
                                     bool *fresh) {
    *fresh = false;
    if (!series || reserve_lines(rows, series->number) != 0) {
        return NULL;
    }
    struct perfetto_line **line = &rows->lines[series->number];
    if (!*line) {
        *line = calloc(1, sizeof **line);
        if (!*line) {
            return NULL;
        }
        (*line)->row.uuid = perfetto_new_uuid(&rows->writer);
        *fresh = true;
    }
    return *line;
}

static struct perfetto_line *declared(struct perfetto_rows *rows, uint32_t session, uint32_t resets,
                                      const char *name) {
    bool fresh;
    struct perfetto_line *line =
        line_of(rows, series_by_core(&rows->series, session, SERIES_PROCESS, 0), &fresh);
    if (fresh) {
        line->id = ++rows->ids;
        declare_process(&rows->writer, line, resets, name, false);
    }
    return line;
}

static struct perfetto_line *process_of(struct perfetto_rows *rows, uint32_t session,
                                        const char *name) {
    return declared(rows, session, session, name);
}

uint32_t perfetto_pid(struct perfetto_rows *rows, uint32_t session) {
    const struct perfetto_line *process = process_of(rows, session, "board");
    return process ? process->id : 0;
}

int perfetto_session(struct perfetto_rows *rows, const struct event *event) {
    const char *image = event->u.session.image;
    rows->told = false;
    if (event->u.session.epoch_ns > 0 && event->u.session.session == 0) {
        perfetto_epoch(&rows->writer, event->u.session.epoch_ns);
    }
    const uint32_t session = event->u.session.session;
    return declared(rows, session, event->u.session.resets, image[0] != '\0' ? image : "board")
               ? 0
               : -ENOMEM;
}

struct perfetto_line *perfetto_core(struct perfetto_rows *rows, uint32_t session, uint32_t core) {
    bool fresh;
    struct perfetto_line *process = process_of(rows, session, "board");
    struct perfetto_line *line =
        line_of(rows, series_by_core(&rows->series, session, SERIES_CORE, core), &fresh);
    if (process && fresh) {
        char name[32];
        snprintf(name, sizeof name, "core %" PRIu32, core);
        line->id = ++rows->ids;
        line->core = core;
        declare_thread(&rows->writer, line->row.uuid, process->id, line->id, name);
    }
    return process ? line : NULL;
}

struct perfetto_line *perfetto_line(struct perfetto_rows *rows, const struct series *series,
                                    const char *name, enum perfetto_unit unit) {
    bool fresh;
    struct perfetto_line *line = line_of(rows, series, &fresh);
    if (!fresh) {
        return line;
    }
    struct perfetto_line *process = process_of(rows, series->session, "board");
    if (!process) {
        return NULL;
    }
    struct protobuf *descriptor =
        child_begin(&rows->writer, line->row.uuid, process->row.uuid, name);
    if (unit != PERFETTO_UNIT_NO_COUNTER) {
        size_t counter = protobuf_begin(descriptor, DESCRIPTOR_COUNTER);
        if (unit == PERFETTO_UNIT_BYTES) {
            protobuf_varint(descriptor, COUNTER_UNIT, UNIT_SIZE_BYTES);
        } else if (unit == PERFETTO_UNIT_PERCENT) {
            add_string(descriptor, COUNTER_UNIT_NAME, "%");
        }
        protobuf_end(descriptor, counter);
    }
    perfetto_descriptor_end(&rows->writer);
    return line;
}

/* ---- devices ---- */

/* The process of the device; the label has whose it is. */
static struct perfetto_line *device_of(struct perfetto_rows *rows, const struct track *track) {
    bool fresh;
    const struct device *device = track->device;
    struct perfetto_line *line = line_of(
        rows, series_by_core(&rows->series, track->session, SERIES_DEVICE, device->number), &fresh);
    if (fresh) {
        line->id = ++rows->ids;
        declare_process(&rows->writer, line, track->session, device->name, true);
    }
    return line;
}

static int declare_row(struct perfetto_rows *rows, const struct perfetto_track *track,
                       uint32_t rank) {
    struct perfetto_line *process = device_of(rows, track->track);
    if (!process) {
        return -ENOMEM;
    }
    struct protobuf *descriptor =
        child_begin(&rows->writer, track->row->uuid, process->row.uuid, track->track->name);
    protobuf_varint(descriptor, DESCRIPTOR_ORDER_RANK, rank);
    return perfetto_descriptor_end(&rows->writer);
}

/* By device, place and announcement. */
static int by_place(const void *left, const void *right) {
    const struct track *a = (*(struct perfetto_track *const *)left)->track;
    const struct track *b = (*(struct perfetto_track *const *)right)->track;
    const struct device *p = a->device, *q = b->device;
    return p->number != q->number ? (p->number < q->number ? -1 : 1)
           : p->y != q->y         ? (p->y < q->y ? -1 : 1)
           : p->x != q->x         ? (p->x < q->x ? -1 : 1)
                                  : (a->id < b->id ? -1 : 1);
}

int perfetto_order_devices(struct perfetto_rows *rows) {
    uint32_t count = 0;
    struct perfetto_track **list = malloc((rows->track_count + 1u) * sizeof *list);
    for (uint32_t i = 0; list && i < rows->track_count; i++) {
        if (rows->tracks[i] && !rows->tracks[i]->over && rows->tracks[i]->track->device) {
            list[count++] = rows->tracks[i];
        }
    }
    if (count > 0) {
        qsort(list, count, sizeof *list, by_place);
    }
    int error = list ? 0 : -ENOMEM;
    for (uint32_t i = 0; i < count && !error; i++) {
        error = declare_row(rows, list[i], i);
    }
    free(list);
    return error;
}

/* ---- tracks ---- */

int perfetto_rename(struct perfetto_rows *rows, struct perfetto_track *track) {
    const struct track *source = track->track;
    if (source->device) {
        return declare_row(rows, track, 0);
    }
    struct perfetto_line *process = process_of(rows, source->session, "board");
    struct perfetto_line *core = perfetto_core(rows, source->session, source->core);
    if (!process || !core) {
        return -ENOMEM;
    }
    if (track->tid != 0) {
        return declare_thread(&rows->writer, track->row->uuid, process->id, track->tid,
                              source->name);
    }
    child_begin(&rows->writer, track->row->uuid, core->row.uuid, source->name);
    return perfetto_descriptor_end(&rows->writer);
}

/* Which rows a track has: main code has its core's, an interrupt one below it, a task its own. */
static int assign_rows(struct perfetto_rows *rows, struct perfetto_track *track) {
    const struct track *source = track->track;
    if (source->device) {
        track->own.uuid = perfetto_new_uuid(&rows->writer);
        track->row = &track->own;
        return 0;
    }
    struct perfetto_line *core = perfetto_core(rows, source->session, source->core);
    if (!core) {
        return -ENOMEM;
    }
    if (source->kind == KYMO_CONTEXT_MAIN && !core->main) {
        core->main = source;
        track->row = &core->row;
        track->tid = core->id;
        return 0;
    }
    track->own.uuid = perfetto_new_uuid(&rows->writer);
    track->row = &track->own;
    if (source->kind != KYMO_CONTEXT_INTERRUPT) {
        track->tid = ++rows->ids;
    }
    return 0;
}

static int reserve_tracks(struct perfetto_rows *rows, uint32_t id) {
    return grow_zeroed(&rows->tracks, &rows->track_count, id, sizeof *rows->tracks) ? 0 : -ENOMEM;
}

struct perfetto_track *perfetto_track(struct perfetto_rows *rows, const struct track *source) {
    if (reserve_tracks(rows, source->id) != 0) {
        return NULL;
    }
    if (rows->tracks[source->id]) {
        return rows->tracks[source->id];
    }
    struct perfetto_track *track = calloc(1, sizeof *track);
    if (!track) {
        return NULL;
    }
    track->track = source;
    if (assign_rows(rows, track) != 0 || perfetto_rename(rows, track) == -ENOMEM) {
        free(track);
        return NULL;
    }
    rows->tracks[source->id] = track;
    return track;
}

void perfetto_track_end(struct perfetto_track *track) {
    perfetto_row_free(&track->own);
    zone_stack_free(&track->zones);
    track->over = true;
}

void perfetto_rows_free(struct perfetto_rows *rows) {
    for (uint32_t i = 0; i < rows->track_count; i++) {
        if (rows->tracks[i]) {
            perfetto_row_free(&rows->tracks[i]->own);
            zone_stack_free(&rows->tracks[i]->zones);
            free(rows->tracks[i]);
        }
    }
    for (uint32_t i = 0; i < rows->line_count; i++) {
        if (rows->lines[i]) {
            perfetto_row_free(&rows->lines[i]->row);
            free(rows->lines[i]);
        }
    }
    perfetto_row_free(&rows->samples);
    perfetto_row_free(&rows->ftrace);
    free(rows->tracks);
    free(rows->lines);
    series_free(&rows->series);
    perfetto_close(&rows->writer);
}
