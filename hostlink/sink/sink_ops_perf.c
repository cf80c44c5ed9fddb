/* SPDX-License-Identifier: MIT */
/* Operations of devices, a row each, with the columns of tt-metal's ops_perf_results that a trace can fill. An
 * operation is one run number (KYMO_DEVICE_RUN) on one device, over all rows that recorded zones with it. Its duration
 * is from the first start to the last end of the outermost zones; for a core, from its own first start to its own last
 * end. A number that a row records again later is another call. Rows and signposts are in the order of their starts. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "base/intmap.h"
#include "base/keytable.h"
#include "sink/csv_field.h"
#include "sink/outfile.h"
#include "sink/sink.h"

/* The extent of an operation, or of a part of it. */
struct extent {
    int64_t start_ns, end_ns, last_start_ns;
    uint64_t start_ticks, end_ticks;
};

struct op {
    struct extent all;
    uint32_t device;
    uint64_t run;
    const char *code; /* the zone that began first */
    uint32_t number;  /* in the order of appearance */
    int64_t gap_ns;   /* since the end of the operations of this device before it */
};

struct ops_mark {
    int64_t time_ns;
    char *header, *text;
};

/* A core, or a kind of core, of an operation. */
struct part {
    uint32_t op;
    uint32_t kind; /* number of its name, or KIND_NONE for a place */
    struct extent of;
};
#define KIND_NONE UINT32_MAX

/* The state of a row. */
struct ops_row {
    uint32_t depth, op; /* the outermost open zone's: + 1, 0: none is open, or it has no number */
    uint32_t runs;      /* device->runs of the latest zone */
    uint64_t start_ticks;
};

struct ops {
    struct outfile *out;
    struct op *ops;
    uint32_t op_count, op_capacity;
    struct part *parts;
    uint32_t part_count, part_capacity;
    struct keytable op_keys, part_keys, kinds, calls;
    uint32_t *call_count;
    uint32_t call_capacity;
    struct ops_row *rows; /* by the id of the track */
    uint32_t row_count;
    struct ops_mark *marks;
    uint32_t mark_count, mark_capacity;
};

static void widen(struct extent *extent, const struct extent *by, bool first) {
    if (first) {
        *extent = *by;
        return;
    }
    if (by->start_ns < extent->start_ns) {
        extent->start_ns = by->start_ns;
        extent->start_ticks = by->start_ticks;
    }
    if (by->end_ns > extent->end_ns) {
        extent->end_ns = by->end_ns;
        extent->end_ticks = by->end_ticks;
    }
    extent->last_start_ns =
        by->last_start_ns > extent->last_start_ns ? by->last_start_ns : extent->last_start_ns;
}

/* How often the row has recorded this number: it did so again if "runs" has increased. */
static int64_t call_of(struct ops *ops, struct ops_row *row, const struct track *track) {
    const uint64_t key[2] = {track->id, track->device->run};
    const int64_t at = keytable_add(&ops->calls, key, sizeof key);
    if (at < 0) {
        return at;
    }
    if (!grow_zeroed(&ops->call_count, &ops->call_capacity, (uint64_t)at,
                     sizeof *ops->call_count)) {
        return -ENOMEM;
    }
    uint32_t *counts = ops->call_count;
    counts[at] += counts[at] == 0 || row->runs != track->device->runs ? 1u : 0u;
    row->runs = track->device->runs;
    return counts[at];
}

static int begin_op(struct ops *ops, struct ops_row *row, const struct event *event) {
    const struct device *device = event->track->device;
    const int64_t call = call_of(ops, row, event->track);
    const uint64_t key[3] = {device->number, device->run, (uint64_t)call};
    const int64_t at = call < 0 ? call : keytable_add(&ops->op_keys, key, sizeof key);
    if (at < 0) {
        return -ENOMEM;
    }
    if ((uint32_t)at == ops->op_count) {
        if (!grow(&ops->ops, &ops->op_capacity, ops->op_count, sizeof *ops->ops)) {
            return -ENOMEM;
        }
        ops->ops[ops->op_count] = (struct op){.device = device->number,
                                              .run = device->run,
                                              .code = event->site->name,
                                              .number = ops->op_count,
                                              .all = {.start_ns = INT64_MAX}};
        ops->op_count++;
    }
    row->op = (uint32_t)at + 1;
    return 0;
}

static int add_part(struct ops *ops, uint32_t op, uint32_t kind, uint64_t place,
                    const struct extent *extent) {
    const uint64_t key[3] = {op, kind, place};
    const int64_t at = keytable_add(&ops->part_keys, key, sizeof key);
    if (at < 0 ||
        !grow_zeroed(&ops->parts, &ops->part_capacity, (uint64_t)at, sizeof *ops->parts)) {
        return -ENOMEM;
    }
    struct part *part = &ops->parts[at];
    const bool fresh = (uint32_t)at == ops->part_count;
    ops->part_count += fresh ? 1u : 0u;
    widen(&part->of, extent, fresh);
    part->op = op;
    part->kind = kind;
    return 0;
}

static int end_op(struct ops *ops, const struct ops_row *row, const struct event *event) {
    const struct device *device = event->track->device;
    const uint32_t at = row->op - 1;
    struct op *op = &ops->ops[at];
    const struct extent extent = {event->u.zone.start_ns, event->time_ns, event->u.zone.start_ns,
                                  row->start_ticks, device->ticks};
    op->code = extent.start_ns < op->all.start_ns ? event->site->name : op->code;
    widen(&op->all, &extent, op->all.start_ns == INT64_MAX);
    const int64_t kind = keytable_add(&ops->kinds, device->core, strlen(device->core));
    const uint64_t place = (uint64_t)device->y << 32 | device->x;
    const int error = kind < 0 ? -ENOMEM : add_part(ops, at, (uint32_t)kind, 0, &extent);
    return error != 0 ? error : add_part(ops, at, KIND_NONE, place, &extent);
}

static int take(struct ops *ops, const struct event *event) {
    const uint32_t id = event->track->id;
    if (!grow_zeroed(&ops->rows, &ops->row_count, id, sizeof *ops->rows)) {
        return -ENOMEM;
    }
    struct ops_row *row = &ops->rows[id];
    if (event->kind == EVENT_ZONE_BEGIN) {
        const bool outermost = row->depth++ == 0;
        row->op = outermost ? 0 : row->op;
        row->start_ticks = outermost ? event->track->device->ticks : row->start_ticks;
        return outermost && event->track->device->in_run ? begin_op(ops, row, event) : 0;
    }
    row->depth -= row->depth != 0 ? 1u : 0u;
    return row->depth == 0 && row->op != 0 ? end_op(ops, row, event) : 0;
}

static int keep_mark(struct ops *ops, int64_t time_ns, const struct signpost *signpost) {
    if (!grow(&ops->marks, &ops->mark_capacity, ops->mark_count, sizeof *ops->marks)) {
        return -ENOMEM;
    }
    struct ops_mark *mark = &ops->marks[ops->mark_count++];
    *mark = (struct ops_mark){time_ns, strndup(signpost->header, signpost->header_bytes),
                              strndup(signpost->text, signpost->text_bytes)};
    return mark->header != NULL && mark->text != NULL ? 0 : -ENOMEM;
}

static int ops_event(void *state, const struct event *event) {
    struct ops *ops = state;
    struct signpost signpost;
    if (event_signpost(event, &signpost)) {
        return outfile_fail(ops->out, keep_mark(ops, event->time_ns, &signpost));
    }
    const bool is_zone = event->kind == EVENT_ZONE_BEGIN || event->kind == EVENT_ZONE_END;
    if (!is_zone || event->track->device == NULL) {
        return ops->out->error;
    }
    return outfile_fail(ops->out, take(ops, event));
}

/* ---- the table ---- */

static int by_start(const void *left, const void *right) {
    const struct op *a = left, *b = right;
    return a->all.start_ns != b->all.start_ns ? (a->all.start_ns < b->all.start_ns ? -1 : 1)
           : a->device != b->device           ? (a->device < b->device ? -1 : 1)
                                              : (a->number < b->number ? -1 : 1);
}

static int by_time(const void *left, const void *right) {
    const struct ops_mark *a = left, *b = right;
    return a->time_ns < b->time_ns ? -1 : a->time_ns > b->time_ns;
}

static int by_op(const void *left, const void *right) {
    const struct part *a = left, *b = right;
    return a->op != b->op ? (a->op < b->op ? -1 : 1) : a->kind < b->kind ? -1 : a->kind > b->kind;
}

static int64_t length(const struct extent *extent) { return extent->end_ns - extent->start_ns; }

/* Readers refuse the file without these empty columns. */
static void write_head(const struct ops *ops) {
    static const char columns[] =
        "OP CODE,OP TYPE,GLOBAL CALL COUNT,DEVICE ID,DEVICE ARCH,ATTRIBUTES,INPUT_0_MEMORY,CORE "
        "COUNT,"
        "HOST START TS,DEVICE KERNEL START CYCLE,DEVICE KERNEL END CYCLE,DEVICE KERNEL DURATION "
        "[ns],"
        "DEVICE KERNEL FIRST TO LAST START [ns],DEVICE KERNEL DURATION PER CORE MIN [ns],"
        "DEVICE KERNEL DURATION PER CORE MAX [ns],DEVICE KERNEL DURATION PER CORE AVG [ns],"
        "OP TO OP LATENCY [ns]";
    outfile_write(ops->out, columns, strlen(columns));
    for (uint32_t i = 0; i < ops->kinds.count; i++) {
        char name[128];
        const struct keytable_entry *kind = &ops->kinds.entries[i];
        const int bytes = snprintf(name, sizeof name, "DEVICE %.*s KERNEL DURATION [ns]",
                                   (int)(kind->length < 64 ? kind->length : 64),
                                   (const char *)ops->kinds.bytes + kind->offset);
        outfile_write(ops->out, ",", 1);
        csv_field(ops->out, name, (size_t)bytes);
    }
    outfile_write(ops->out, "\n", 1);
}

/* Its parts are sorted: kinds first, then places. */
static void write_op(const struct ops *ops, const struct op *op, const struct part *part) {
    const struct part *const end = ops->parts + ops->part_count;
    const struct part *place = part;
    int64_t least = INT64_MAX, most = 0, sum = 0, cores = 0;
    while (place < end && place->op == op->number && place->kind != KIND_NONE) {
        place++;
    }
    for (; place < end && place->op == op->number; place++, cores++) {
        const int64_t ns = length(&place->of);
        least = ns < least ? ns : least;
        most = ns > most ? ns : most;
        sum += ns;
    }
    csv_field(ops->out, op->code, strlen(op->code));
    outfile_printf(ops->out,
                   ",tt_dnn_device,%" PRIu64 ",%" PRIu32 ",,,,%" PRId64 ",%" PRId64 ",%" PRIu64
                   ",%" PRIu64 ",%" PRId64 ",%" PRId64 ",%" PRId64 ",%" PRId64 ",%" PRId64
                   ",%" PRId64,
                   op->run, op->device, cores, op->all.start_ns, op->all.start_ticks,
                   op->all.end_ticks, length(&op->all), op->all.last_start_ns - op->all.start_ns,
                   least, most, sum / cores, op->gap_ns);
    for (uint32_t kind = 0; kind < ops->kinds.count; kind++) {
        outfile_write(ops->out, ",", 1);
        if (part < end && part->op == op->number && part->kind == kind) {
            outfile_printf(ops->out, "%" PRId64, length(&part->of));
            part++;
        }
    }
    outfile_write(ops->out, "\n", 1);
}

/* The first part of each operation, by its number. */
static uint32_t *first_parts(const struct ops *ops) {
    uint32_t *first = malloc((ops->op_count + 1u) * sizeof *first);
    for (uint32_t i = ops->part_count; first != NULL && i-- > 0;) {
        first[ops->parts[i].op] = i;
    }
    return first;
}

static void write_mark(const struct ops *ops, const struct ops_mark *mark) {
    csv_field(ops->out, mark->header, strlen(mark->header));
    outfile_printf(ops->out, ",signpost,,,,");
    csv_field(ops->out, mark->text, strlen(mark->text));
    outfile_printf(ops->out, ",,,%" PRId64 ",,,,,,,,", mark->time_ns);
    for (uint32_t kind = 0; kind < ops->kinds.count; kind++) {
        outfile_write(ops->out, ",", 1);
    }
    outfile_write(ops->out, "\n", 1);
}

/* Computes each operation's gap since the latest end of the same device's earlier operations. */
static int find_gaps(struct ops *ops) {
    struct keytable devices = {0};
    int64_t *ends = malloc((ops->op_count + 1u) * sizeof *ends);
    int error = ends != NULL ? 0 : -ENOMEM;
    for (uint32_t i = 0; i < ops->op_count && error == 0; i++) {
        struct op *op = &ops->ops[i];
        if (op->all.start_ns == INT64_MAX) {
            break; /* these zones have not ended */
        }
        const uint32_t known = devices.count;
        const int64_t at = keytable_add(&devices, &op->device, sizeof op->device);
        if (at < 0) {
            error = -ENOMEM;
        } else if (at == known) {
            ends[at] = op->all.end_ns;
        } else {
            op->gap_ns = op->all.start_ns - ends[at];
            ends[at] = op->all.end_ns > ends[at] ? op->all.end_ns : ends[at];
        }
    }
    free(ends);
    keytable_free(&devices);
    return error;
}

static int write_table(struct ops *ops) {
    uint32_t mark = 0, *first = first_parts(ops);
    write_head(ops);
    int error = first != NULL ? find_gaps(ops) : -ENOMEM;
    for (uint32_t i = 0; i < ops->op_count && error == 0; i++) {
        const struct op *op = &ops->ops[i];
        if (op->all.start_ns == INT64_MAX) {
            break; /* these are the last */
        }
        for (; mark < ops->mark_count && ops->marks[mark].time_ns <= op->all.start_ns; mark++) {
            write_mark(ops, &ops->marks[mark]);
        }
        write_op(ops, op, &ops->parts[first[op->number]]);
    }
    for (; mark < ops->mark_count && error == 0; mark++) {
        write_mark(ops, &ops->marks[mark]);
    }
    free(first);
    return error;
}

static int ops_end(void *state) {
    struct ops *ops = state;
    if (ops->part_count != 0) {
        qsort(ops->parts, ops->part_count, sizeof *ops->parts, by_op);
        qsort(ops->ops, ops->op_count, sizeof *ops->ops, by_start);
    }
    if (ops->mark_count != 0) {
        qsort(ops->marks, ops->mark_count, sizeof *ops->marks, by_time);
    }
    const int error = write_table(ops);
    keytable_free(&ops->op_keys);
    keytable_free(&ops->part_keys);
    keytable_free(&ops->kinds);
    keytable_free(&ops->calls);
    for (uint32_t i = 0; i < ops->mark_count; i++) {
        free(ops->marks[i].header);
        free(ops->marks[i].text);
    }
    free(ops->marks);
    free(ops->call_count);
    free(ops->ops);
    free(ops->parts);
    free(ops->rows);
    return error;
}

const struct sink sink_ops_perf = {
    .name = "ops-perf",
    .suffixes = "ops_perf.csv",
    .help = "operations of devices, with columns of tt-metal's ops report",
    .size = sizeof(struct ops),
    .event = ops_event,
    .end = ops_end,
};
