/* SPDX-License-Identifier: MIT */
/* From the records of a block to events of its row. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/grow.h"
#include "device/device_block.h"

int device_announce(struct devices *d, struct device_block *b, int64_t time_ns) {
    const bool was = b->announced;
    struct event track = {.kind = EVENT_TRACK, .time_ns = time_ns, .track = &b->track};
    b->announced = true;
    return was ? 0 : d->to.event(d->to.context, &track);
}

static int emit(struct devices *d, struct device_block *b, struct event *event) {
    event->time_ns = event->time_ns > b->last_ns ? event->time_ns : b->last_ns;
    b->last_ns = event->time_ns;
    event->track = &b->track;
    const int error = device_announce(d, b, event->time_ns);
    return error != 0 ? error : d->to.event(d->to.context, event);
}

static int repair(struct devices *d, struct device_block *b, int64_t time_ns, enum repair what) {
    struct event event = {.kind = EVENT_REPAIR, .time_ns = time_ns};
    event.u.repair = what;
    d->totals.repairs++;
    return emit(d, b, &event);
}

/* A note on the innermost zone. */
static int note(struct devices *d, struct device_block *b, const char *text) {
    struct event event = {
        .kind = EVENT_ZONE_TEXT, .time_ns = b->last_ns, .site = b->open[b->depth - 1].site};
    event.u.text.bytes = text;
    event.u.text.length = strlen(text);
    return emit(d, b, &event);
}

/* The row for submitted work that waits, next to the engine's row. */
static int announce_queue(struct devices *d, struct device_block *b, int64_t time_ns) {
    char name[256];
    const int length = snprintf(name, sizeof name, "%.200s queue", b->track.name);
    b->queue = b->track;
    b->device.queue = &b->queue;
    b->queue.id = d->to.row(d->to.context);
    b->queue.name = names_text(d->to.names, name, (size_t)length);
    b->queue_ns = time_ns;
    struct event track = {.kind = EVENT_TRACK, .time_ns = time_ns, .track = &b->queue};
    return b->queue.name == NULL ? -ENOMEM : d->to.event(d->to.context, &track);
}

/* An arrow from the queue, where the zone was submitted, to its start. */
static int submit(struct devices *d, struct device_block *b, int64_t time_ns,
                  const struct site *site, struct event *start) {
    const int64_t submitted_ns = b->queued_ns < time_ns ? b->queued_ns : time_ns;
    const uint64_t number = d->to.flow(d->to.context);
    int error = b->queue.id == 0 ? announce_queue(d, b, submitted_ns) : 0;
    b->queue_ns = submitted_ns > b->queue_ns ? submitted_ns : b->queue_ns;
    struct event send = {
        .kind = EVENT_FLOW_SEND, .time_ns = b->queue_ns, .track = &b->queue, .site = site};
    send.u.flow.id = send.u.flow.number = number;
    send.u.flow.start_ns = submitted_ns;
    *start = (struct event){.kind = EVENT_FLOW_RECEIVE, .time_ns = time_ns, .site = site};
    start->u.flow = send.u.flow;
    b->device.submitted_ns = submitted_ns;
    return error != 0 ? error : d->to.event(d->to.context, &send);
}

static int say_queued(struct devices *d, struct device_block *b, int64_t time_ns) {
    char text[64];
    const int64_t waited = time_ns > b->queued_ns ? time_ns - b->queued_ns : 0;
    snprintf(text, sizeof text, "queued for %" PRId64 ".%03d us", waited / 1000,
             (int)(waited % 1000));
    b->queued = false;
    return note(d, b, text);
}

static int begin_zone(struct devices *d, struct device_block *b, int64_t time_ns,
                      const struct site *site) {
    if (b->depth == DEVICE_DEPTH_MAX) {
        b->beyond++;
        return repair(d, b, time_ns, REPAIR_TOO_DEEP);
    }
    if (!grow(&b->open, &b->capacity, b->depth, sizeof *b->open)) {
        return -ENOMEM;
    }
    struct event event = {.kind = EVENT_ZONE_BEGIN, .time_ns = time_ns, .site = site}, start;
    int error = device_announce(d, b, time_ns);
    b->device.submitted = b->queued;
    error = error == 0 && b->queued ? submit(d, b, time_ns, site, &start) : error;
    error = error == 0 ? emit(d, b, &event) : error;
    b->open[b->depth++] = (struct device_zone){site, event.time_ns, 0};
    if (error == 0 && b->device.in_run) {
        struct event run = {.kind = EVENT_ZONE_VALUE, .time_ns = event.time_ns, .site = site};
        run.u.value = b->device.run;
        error = emit(d, b, &run);
    }
    if (error == 0 && b->queued) {
        error = emit(d, b, &start);
        return error == 0 ? say_queued(d, b, event.time_ns) : error;
    }
    return error;
}

static int end_zone(struct devices *d, struct device_block *b, int64_t time_ns,
                    enum zone_repair why) {
    if (b->beyond != 0) {
        b->beyond--;
        return 0;
    }
    if (b->depth == 0) {
        return repair(d, b, time_ns, REPAIR_END_WITHOUT_ZONE);
    }
    const struct device_zone zone = b->open[--b->depth];
    struct event event = {.kind = EVENT_ZONE_END, .time_ns = time_ns, .site = zone.site};
    event.time_ns = time_ns > b->last_ns ? time_ns : b->last_ns;
    const int64_t length = event.time_ns - zone.start_ns;
    event.u.zone.start_ns = zone.start_ns;
    event.u.zone.self_ns = length > zone.inner_ns ? length - zone.inner_ns : 0;
    event.u.zone.repaired = why;
    d->totals.repairs += why != ZONE_ENDED;
    if (b->depth != 0) {
        b->open[b->depth - 1].inner_ns += length;
    }
    return emit(d, b, &event);
}

int device_close(struct devices *d, struct device_block *b, enum zone_repair why) {
    int error = 0;
    b->beyond = 0;
    b->value = NULL;
    b->queued = false;
    while (b->depth != 0 && error == 0) {
        error = end_zone(d, b, b->last_ns, why);
    }
    return error;
}

int device_lost(struct devices *d, struct device_block *b, int64_t time_ns, uint64_t count,
                enum gap_cause cause) {
    int error = cause == GAP_LINK ? device_close(d, b, ZONE_END_LOST) : 0;
    struct event event = {.kind = EVENT_GAP, .time_ns = time_ns};
    event.u.gap.start_ns = b->last_ns < time_ns ? b->last_ns : time_ns;
    event.u.gap.lost = count;
    event.u.gap.cause = cause;
    return error != 0 ? error : emit(d, b, &event);
}

static int value_data(struct devices *d, struct device_block *b, uint32_t low, uint32_t high) {
    if (b->value == NULL) {
        d->totals.repairs++;
        return 0;
    }
    const uint64_t bits = (uint64_t)(high >> 3) << 32 | low;
    struct event event = {.kind = EVENT_PLOT_INT, .time_ns = b->value_ns, .site = b->value};
    event.u.plot.type = PLOT_INT;
    event.u.plot.integer = (int64_t)(bits << 3) >> 3; /* of 61 bits */
    event.u.plot.real = (double)event.u.plot.integer;
    b->value = NULL;
    return emit(d, b, &event);
}

static int message(struct devices *d, struct device_block *b, int64_t time_ns,
                   const struct site *site) {
    struct event event = {.kind = EVENT_MESSAGE, .time_ns = time_ns, .site = site};
    event.u.text.bytes = site->name;
    event.u.text.length = strlen(site->name);
    return emit(d, b, &event);
}

static int count_tick(struct devices *d, struct device_block *b, enum device_tick tick,
                      int64_t time_ns) {
    int error = 0;
    d->totals.unsure += tick == DEVICE_TICK_UNSURE;
    if (tick == DEVICE_TICK_BACK) {
        d->totals.back++;
        error = repair(d, b, time_ns, REPAIR_TIME_BACK);
    } else if (tick == DEVICE_TICK_ANEW) {
        d->totals.restarts++;
        b->device.clock_restarts++;
        error = repair(d, b, time_ns, REPAIR_CLOCK_ANEW);
    }
    return error;
}

/* The zone before may still have run then: the time is before those of the records around. */
static int take_submission(struct devices *d, struct device_block *b, uint32_t first) {
    int64_t bound_ns;
    const uint64_t ticks = device_clock_near(&b->clock, first);
    b->queued = true;
    b->queued_ns = d->to.ns(d->to.context, device_clock_board_at(&b->clock, ticks, &bound_ns));
    return 0;
}

int device_record(struct devices *d, struct device_block *b, uint32_t first, uint32_t second,
                  const struct device_span *span) {
    const enum device_record record = (enum device_record)(second & 7u);
    int64_t bound_ns;
    if (record == RECORD_DATA) {
        return value_data(d, b, first, second);
    }
    if (second % 8 > RECORD_DATA) {
        d->totals.repairs++;
        return 0;
    }
    if (record == RECORD_QUEUED && b->clock.begun) {
        return take_submission(d, b, first);
    }
    const enum device_tick tick = device_clock_next(&b->clock, first, span);
    const uint64_t board = device_clock_board(&b->clock, &bound_ns);
    const int64_t time_ns = d->to.ns(d->to.context, board);
    int error = count_tick(d, b, tick, time_ns);
    b->device.bound_ns = bound_ns > b->device.bound_ns ? bound_ns : b->device.bound_ns;
    d->totals.bound_ns = bound_ns > d->totals.bound_ns ? bound_ns : d->totals.bound_ns;
    b->device.ticks = b->clock.ticks;
    b->value = NULL;
    const struct site *site = NULL;
    if (record == RECORD_BEGIN || record == RECORD_EVENT || record == RECORD_VALUE) {
        site = device_site(d, b, second & ~7u, record);
        error = site == NULL ? -ENOMEM : error;
    }
    if (error != 0) {
        return error;
    }
    switch (record) {
    case RECORD_BEGIN:
        return begin_zone(d, b, time_ns, site);
    case RECORD_END:
        return end_zone(d, b, time_ns, ZONE_ENDED);
    case RECORD_EVENT:
        return message(d, b, time_ns, site);
    case RECORD_VALUE:
        b->value = site;
        b->value_ns = time_ns;
        return 0;
    case RECORD_RUN:
        b->device.run = second >> 3;
        b->device.in_run = true;
        b->device.runs++;
        return 0;
    case RECORD_QUEUED:
    default:
        b->queued = true;
        b->queued_ns = time_ns;
        return 0;
    }
}
