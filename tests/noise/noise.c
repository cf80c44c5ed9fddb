/* SPDX-License-Identifier: MIT */
/* The runtime and hostlink with a bad line between them.
 *
 * Every event is made at a tick of its own, and the ticks are nanoseconds; so an event that comes
 * out can be looked up by its time, and anything that was never sent is found out. Shown at each
 * rate of damage: no event that was not sent, none twice, delivered + lost = emitted to the unit,
 * and every packet that came through whole is taken, also the one right after a damaged one. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "channel.h"
#include "kymo/kymo.h"
#include "kymo_arch.h"
#include "trace/pipeline.h"

#define LANES 2u
#define DEPTH 8u

struct sent {
    const char *name; /* of the site, NULL = nothing was sent at this tick */
    uint8_t kind;     /* enum event_kind */
    bool seen;
    uint32_t value;
};

static struct sent *sent;
static uint64_t sent_capacity;
static uint64_t emitted;
static struct channel channel;
static struct pipeline *pipeline;
static uint64_t wrong, checked;

KYMO_CONTEXT(timer, "timer", KYMO_CONTEXT_INTERRUPT);
KYMO_POOL(heap, "heap");

static void fail(const char *what) {
    (void)fprintf(stderr, "noise: %s\n", what);
    exit(1);
}

static void note_sent(enum event_kind kind, const char *name, uint32_t value) {
    if (fake.clock >= sent_capacity) {
        fail("the log of sent events is too small");
    }
    sent[fake.clock++] = (struct sent){name, (uint8_t)kind, false, value};
    emitted += KYMO_KIND_IS_COUNTED(kind) ? 1u : 0u;
}

static void complain(const struct event *event, const char *what) {
    if (wrong++ < 5) {
        (void)fprintf(stderr, "noise: event of kind %d at %" PRId64 " ns: %s\n", (int)event->kind,
                      event->time_ns, what);
    }
}

static bool matches(const struct event *event, const struct sent *at) {
    if (at->name == NULL || at->kind != (uint8_t)event->kind) {
        return false;
    }
    if (event->kind == EVENT_PLOT_INT) {
        return (uint32_t)event->u.plot.integer == at->value;
    }
    if (event->kind == EVENT_ALLOC) {
        return event->u.memory.bytes == at->value;
    }
    return true;
}

static int on_event(void *context, const struct event *event) {
    (void)context;
    if (event->kind == EVENT_SESSION || event->kind == EVENT_TRACK || event->kind == EVENT_SWITCH ||
        event->kind == EVENT_TRACK_END || event->kind == EVENT_GAP || event->kind == EVENT_REPAIR ||
        event->kind == EVENT_HOLD_END || (event->kind == EVENT_OBJECT && !event->object->named) ||
        (event->kind == EVENT_FREE && event->u.memory.repaired) ||
        (event->kind == EVENT_ZONE_END && event->u.zone.repaired)) {
        return 0;
    }
    struct sent *at = &sent[(uint64_t)event->time_ns < sent_capacity ? event->time_ns : 0];
    checked++;
    if (!matches(event, at)) {
        complain(event, "was never sent");
    } else if (at->seen) {
        complain(event, "came twice");
    } else if (event->site != NULL && event->site->known &&
               strcmp(event->site->name, at->name) != 0) {
        complain(event, "names another place");
    } else if (event->object != NULL && event->object->named &&
               strcmp(event->object->name, at->name) != 0) {
        complain(event, "names another object");
    }
    at->seen = true;
    return 0;
}

static size_t write_line(void *context, const uint8_t *bytes, size_t length) {
    uint8_t out[3];
    (void)context;
    for (size_t i = 0; i < length; i++) {
        size_t count = channel_pass(&channel, bytes[i], out);
        if (pipeline_feed(pipeline, out, count) != 0) {
            fail("the pipeline stopped");
        }
    }
    return length;
}

static const struct kymo_transport line = {.write = write_line};

struct open_zones {
    kymo_zone zone[DEPTH];
    const char *name[DEPTH];
    unsigned depth;
};

static void end_zone(struct open_zones *open) {
    kymo_zone zone = open->zone[--open->depth];
    kymo_zone_end(zone);
    if (zone != NULL) {
        note_sent(EVENT_ZONE_END, open->name[open->depth], 0);
    } else {
        emitted++; /* refused with its begin */
    }
}

/* The board counts the end of a refused zone with its begin. */
static void end_all(struct open_zones *open) {
    while (open->depth != 0) {
        end_zone(open);
    }
}

static void begin_or_end(struct open_zones *open, uint64_t random) {
    KYMO_SITE_DEFINE(outer, KYMO_SITE_ZONE, "outer", 0u, 0u, 0u, NULL);
    KYMO_SITE_DEFINE(inner, KYMO_SITE_ZONE, "inner", 0u, 0u, 0u, NULL);
    bool begin = open->depth == 0 || (open->depth < DEPTH && (random & 1u) != 0);
    if (begin) {
        bool first = (random & 2u) != 0;
        kymo_zone zone = kymo_zone_begin(first ? &outer : &inner);
        open->name[open->depth] = first ? "outer" : "inner";
        note_sent(EVENT_ZONE_BEGIN, open->name[open->depth], 0);
        open->zone[open->depth++] = zone;
        return;
    }
    end_zone(open);
}

/* Each lane has a lock of its own: where a lost packet leaves hostlink without the order of the lanes, an obtain on
 * one lane would move the times of another. */
static void use_lock(unsigned lane) {
    static enum { FREE, WAITED_FOR, HELD, STATES } lock[LANES];
    static const enum event_kind kinds[STATES] = {EVENT_LOCK_WAIT, EVENT_LOCK_OBTAIN,
                                                  EVENT_LOCK_RELEASE};
    if (lock[lane] == FREE && fake.clock % 8u == 0) {
        KYMO_LOCK(&lock[lane], "bus");
        note_sent(EVENT_OBJECT, "bus", 0);
    }
    kymo_object_event((enum kymo_event_kind)kinds[lock[lane]], (uintptr_t)&lock[lane]);
    note_sent(kinds[lock[lane]], "bus", 0);
    lock[lane] = (lock[lane] + 1) % STATES;
}

static void use_object(unsigned lane) {
    static bool lives[LANES];
    if (lives[lane]) {
        KYMO_OBJECT_END(&lives[lane]);
        note_sent(EVENT_OBJECT_END, "inbox", 0);
    } else {
        KYMO_OBJECT(&lives[lane], KYMO_OBJECT_QUEUE, "inbox");
        note_sent(EVENT_OBJECT, "inbox", 0);
    }
    lives[lane] = !lives[lane];
}

/* One event or two of a lane. */
static void play(struct open_zones *open, uint64_t random) {
    unsigned what = (unsigned)(random >> 32) % 20u;
    if (what < 10u) {
        begin_or_end(open, random);
    } else if (what < 13u) {
        uint32_t value = (uint32_t)(random >> 7) & 0xffffffu;
        KYMO_PLOT("level", (int)value);
        note_sent(EVENT_PLOT_INT, "level", value);
    } else if (what < 14u) {
        KYMO_ALLOC(heap, (const void *)(uintptr_t)(random & 0xfff0u), (size_t)(random >> 52));
        note_sent(EVENT_ALLOC, "heap", (uint32_t)(random >> 52));
    } else if (what < 17u) {
        use_lock((unsigned)fake.lane);
    } else if (what < 18u) {
        use_object((unsigned)fake.lane);
    } else if (what < 19u) {
        KYMO_FRAME_NAMED("turn");
        note_sent(EVENT_FRAME, "turn", 0);
    } else {
        kymo_context before = KYMO_CONTEXT_SWITCH(&timer);
        note_sent(EVENT_SWITCH, "timer", 0);
        KYMO_PLOT("ticks", 1);
        note_sent(EVENT_PLOT_INT, "ticks", 1);
        (void)KYMO_CONTEXT_SWITCH(before);
        note_sent(EVENT_SWITCH, "main", 0);
    }
    fake.clock += random >> 63;
}

static void drain_all(void) {
    while (kymo_pending()) {
        (void)kymo_drain(0);
    }
}

/* The last status may be damaged like any packet: a board that goes on would send the next. */
static void finish(struct pipeline_totals *totals) {
    do {
        kymo_finish();
        drain_all();
        pipeline_totals(pipeline, totals);
    } while (!totals->final);
    if (pipeline_end(pipeline) != 0) {
        fail("the pipeline stopped at the end");
    }
    pipeline_totals(pipeline, totals);
}

/* A run without a loss on the board, or with no damage where there should be some, would prove
 * little. */
static bool is_worth(double rate, const struct pipeline_totals *t) {
    return checked != 0 && (rate <= 0.0 ? t->lost_ring != 0 : channel.damaged != 0);
}

static bool judge(double rate, const struct pipeline_totals *t) {
    bool sums = t->delivered + t->lost == t->emitted && t->emitted == emitted;
    bool whole = t->packets >= channel.sure && t->packets <= channel.clean;
    printf("  damage   emitted delivered      lost   packets    taken     sure    whole\n"
           "%8.0e %9" PRIu64 " %9" PRIu64 " %9" PRIu64 " %8" PRIu64 " %8" PRIu64 " %8" PRIu64
           " %8" PRIu64 "  %s\n",
           rate, emitted, t->delivered, t->lost, channel.packets, t->packets, channel.sure,
           channel.clean, sums && whole && wrong == 0 ? "ok" : "WRONG");
    if (!sums) {
        (void)fprintf(stderr,
                      "noise: hostlink says %" PRIu64 " emitted = %" PRIu64 " + %" PRIu64 "\n",
                      t->emitted, t->delivered, t->lost);
    }
    return sums && whole && wrong == 0 && is_worth(rate, t);
}

static bool run(double rate, uint64_t events, uint64_t seed) {
    static struct open_zones open[LANES];
    struct pipeline_totals totals;
    uint64_t random = seed * 2u + 1u;
    uint64_t first = emitted;
    channel_init(&channel, seed, rate);
    for (uint64_t i = 0; emitted - first < events; i++) {
        uint64_t chance = channel_random(&random);
        fake.lane = (chance >> 20) % LANES;
        play(&open[fake.lane], chance);
        if ((chance & 0x1fu) == 0 &&
            (i >> 13) % 4 != 3) { /* every fourth stretch overflows the ring */
            while (kymo_drain(0)) {}
        }
    }
    for (fake.lane = 0; fake.lane < LANES; fake.lane++) {
        end_all(&open[fake.lane]);
    }
    finish(&totals);
    return judge(rate, &totals);
}

int main(int argc, char **argv) {
    static const double rates[] = {0.0, 1e-6, 1e-5, 1e-4, 5e-4, 1e-3};
    unsigned which = argc > 1 ? (unsigned)strtoul(argv[1], NULL, 10) : 0;
    uint64_t events = argc > 2 ? strtoull(argv[2], NULL, 10) : 100000;
    if (which >= sizeof rates / sizeof rates[0]) {
        fail("usage: noise RATE-INDEX EVENTS");
    }
    const struct pipeline_callbacks callbacks = {.event = on_event};
    sent_capacity = events * 12u + 1000000u;
    sent = calloc(sent_capacity, sizeof *sent);
    pipeline = pipeline_new(&callbacks, NULL);
    if (sent == NULL || pipeline == NULL) {
        fail("no memory");
    }
    fake_reset();
    fake.clock_hz = 1000000000u;
    kymo_init(&line, "noise");
    bool good = run(rates[which], events, 20261121u + which);
    pipeline_free(pipeline);
    free(sent);
    return good ? 0 : 1;
}
