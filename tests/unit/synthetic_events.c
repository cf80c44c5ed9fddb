/* SPDX-License-Identifier: MIT */
#include "synthetic_events.h"

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "kymo/wire.h"

/* Coarse, as a timer of 10 MHz is, so that many events have equal times. */
#define TICK_NS 100

enum track_name { CORE0, TIMER, CORE1, WORKER, FIBER, UART, TRACKS };

static const struct track first_tracks[TRACKS] = {
    [CORE0] = {1, 0, 0, KYMO_CONTEXT_MAIN, "core 0", NULL, NULL, 0},
    [TIMER] = {2, 0, 0, KYMO_CONTEXT_INTERRUPT, "timer", NULL, NULL, 0},
    [CORE1] = {3, 1, 0, KYMO_CONTEXT_MAIN, "sensors \"A\", \\ \xc3\xbc", NULL, NULL, 0},
    [WORKER] = {4, 1, 0, KYMO_CONTEXT_TASK, "worker", NULL, NULL, 0},
    [FIBER] = {5, 1, 0, KYMO_CONTEXT_FIBER, "fiber", NULL, NULL, 0},
    [UART] = {6, 1, 0, KYMO_CONTEXT_INTERRUPT, "uart", NULL, NULL, 0},
};
static const struct track second_tracks[] = {
    {7, 0, 1, KYMO_CONTEXT_MAIN, "core 0", NULL, NULL, 0},
};

#define SITE(id_, kind_, level_, detail_, name_, line_)                                            \
    {                                                                                              \
        .id = (id_), .kind = (kind_), .level = (level_), .line = (line_), .detail = (detail_),     \
        .known = true, .name = (name_), .function = "work", .file = "src/firmware.c"               \
    }

enum site_name {
    OUTER,
    INNER,
    EMPTY,
    TICK,
    STEP,
    AWKWARD,
    RENAMED,
    MESSAGE,
    ALARM,
    LOAD,
    LEVEL,
    HEAT,
    FRAME,
    BURST,
    HEAP,
    POOL,
    SITES
};

static const struct site sites[SITES] = {
    [OUTER] = SITE(0, KYMO_SITE_ZONE, 0, 0, "outer", 10),
    [INNER] = SITE(1, KYMO_SITE_ZONE, 0, 0, "inner", 20),
    [EMPTY] = SITE(2, KYMO_SITE_ZONE, 0, 0, "empty", 30),
    [TICK] = SITE(3, KYMO_SITE_ZONE, 0, 0, "tick", 40),
    [STEP] = SITE(4, KYMO_SITE_ZONE, 0, 0, "step", 50),
    [AWKWARD] = SITE(5, KYMO_SITE_ZONE, 0, 0, "a, \"quoted\"\nname \xe2\x82\xac", 60),
    [RENAMED] = SITE(6, KYMO_SITE_ZONE, 0, 0, "renamed", 70),
    [MESSAGE] = SITE(7, KYMO_SITE_MESSAGE, KYMO_LEVEL_INFO, 0, "round %u", 80),
    [ALARM] = SITE(8, KYMO_SITE_MESSAGE, KYMO_LEVEL_FATAL, 0, "alarm", 90),
    [LOAD] = SITE(9, KYMO_SITE_PLOT, 0, KYMO_PLOT_PERCENT, "load", 100),
    [LEVEL] = SITE(10, KYMO_SITE_PLOT, 0, KYMO_PLOT_BYTES, "level", 110),
    [HEAT] = SITE(11, KYMO_SITE_PLOT, 0, KYMO_PLOT_NUMBER, "heat", 120),
    [FRAME] = SITE(12, KYMO_SITE_FRAME, 0, 0, "image", 130),
    [BURST] = SITE(13, KYMO_SITE_FRAME, 0, 0, "burst", 140),
    [HEAP] = SITE(14, KYMO_SITE_POOL, 0, 0, "heap", 150),
    [POOL] = SITE(15, KYMO_SITE_POOL, 0, 0, "pool", 160),
};

struct stream {
    synthetic_sink *sink;
    void *context;
    struct synthetic_counts counts;
    int result;
    int64_t now_ns[2]; /* by core */
    uint32_t random;
    struct open { /* open zones, enough for one track at a time */
        const struct site *site;
        int64_t start_ns, inner_ns;
    } open[TRACKS + 1][8];
    unsigned depth[TRACKS + 1];
};

static void send(struct stream *s, struct event event) {
    if (s->result == 0) {
        s->result = s->sink(s->context, &event);
        s->counts.events++;
        if (event.time_ns > s->counts.last_ns) {
            s->counts.last_ns = event.time_ns;
        }
    }
}

static int64_t advance(struct stream *s, const struct track *track) {
    s->random = s->random * 1664525u + 1013904223u;
    s->now_ns[track->core] += (int64_t)(s->random >> 24) * TICK_NS;
    return s->now_ns[track->core];
}

static struct event on(struct stream *s, enum event_kind kind, const struct track *track,
                       const struct site *site) {
    return (struct event){
        .kind = kind, .time_ns = s->now_ns[track->core], .track = track, .site = site};
}

/* Two functions at one address, one at another, nothing known of the third. */
static const struct code_place *find_symbol(void *state, uint64_t address) {
    static const struct code_line two[] = {{"inner", "src/inner.h", 3}, {"outer", "src/a.c", 40}};
    static const struct code_line awkward[] = {{"a<b>::c(\"d\", \xe2\x82\xac)", "src/b.cpp", 7}};
    static const struct code_place places[] = {{0x80001000, 64, 2, two, false},
                                               {0x80002000, 64, 1, awkward, false}};
    (void)state;
    return address >= 0x80003000 ? NULL : &places[address >= 0x80002000];
}

static const struct symbols symbols = {.find = find_symbol};
static const struct callstack stack = {
    .count = 3, .symbols = &symbols, .address = {0x80001010, 0x80002020, 0x80003030}};

static const struct callstack *stack_of(struct stream *s, const struct site *site) {
    if (site != &sites[INNER]) {
        return NULL;
    }
    s->counts.called++;
    return &stack;
}

static void begin(struct stream *s, const struct track *track, const struct site *site) {
    unsigned row = track->id - 1;
    struct event event = on(s, EVENT_ZONE_BEGIN, track, site);
    event.stack = stack_of(s, site);
    send(s, event);
    s->open[row][s->depth[row]++] = (struct open){site, s->now_ns[track->core], 0};
}

static void end(struct stream *s, const struct track *track, bool repaired) {
    unsigned row = track->id - 1;
    struct open *open = &s->open[row][--s->depth[row]];
    struct event event = on(s, EVENT_ZONE_END, track, open->site);
    int64_t duration_ns = event.time_ns - open->start_ns;
    event.u.zone.start_ns = open->start_ns;
    event.u.zone.self_ns = duration_ns - open->inner_ns;
    event.u.zone.repaired = repaired ? ZONE_END_LOST : ZONE_ENDED;
    if (s->depth[row] > 0) {
        open[-1].inner_ns += duration_ns;
    }
    s->counts.zones += repaired ? 0 : 1;
    s->counts.repaired += repaired ? 1 : 0;
    send(s, event);
}

static void text(struct stream *s, enum event_kind kind, const struct track *track,
                 const struct site *site, const char *bytes) {
    struct event event = on(s, kind, track, site);
    event.u.text.bytes = bytes;
    event.u.text.length = strlen(bytes);
    s->counts.messages += kind == EVENT_MESSAGE ? 1 : 0;
    s->counts.app_infos += kind == EVENT_APP_INFO ? 1 : 0;
    send(s, event);
}

static void value(struct stream *s, enum event_kind kind, const struct track *track,
                  const struct site *site, uint64_t number) {
    struct event event = on(s, kind, track, site);
    event.u.value = number;
    send(s, event);
}

static void plot_int(struct stream *s, const struct track *track, const struct site *site,
                     int64_t number) {
    struct event event = on(s, EVENT_PLOT_INT, track, site);
    event.u.plot.type = PLOT_INT;
    event.u.plot.integer = number;
    event.u.plot.real = (double)number;
    s->counts.plots++;
    send(s, event);
}

static void plot_real(struct stream *s, const struct track *track, const struct site *site,
                      bool single, double number) {
    struct event event = on(s, single ? EVENT_PLOT_FLOAT : EVENT_PLOT_DOUBLE, track, site);
    event.u.plot.type = single ? PLOT_FLOAT : PLOT_DOUBLE;
    event.u.plot.real = number;
    s->counts.plots++;
    s->counts.not_finite += isfinite(number) ? 0 : 1;
    send(s, event);
}

static void memory(struct stream *s, enum event_kind kind, const struct track *track,
                   const struct site *pool, uint64_t address, uint64_t bytes) {
    struct event event = on(s, kind, track, pool);
    event.u.memory.address = address;
    event.u.memory.bytes = bytes;
    s->counts.allocs += kind == EVENT_ALLOC ? 1 : 0;
    s->counts.frees += kind == EVENT_FREE ? 1 : 0;
    send(s, event);
}

static void frame(struct stream *s, enum event_kind kind, const struct track *track,
                  const struct site *site) {
    s->counts.frames += kind == EVENT_FRAME ? 1 : 0;
    s->counts.discontinuous_frames += kind == EVENT_FRAME_START ? 1 : 0;
    send(s, on(s, kind, track, site));
}

static void run(struct stream *s, const struct track *track) {
    s->counts.interrupts += track->kind == KYMO_CONTEXT_INTERRUPT ? 1 : 0;
    send(s, on(s, EVENT_SWITCH, track, NULL));
}

static void gap(struct stream *s, const struct track *track, int64_t length_ns, uint64_t lost,
                enum gap_cause cause) {
    struct event event = on(s, EVENT_GAP, track, NULL);
    event.u.gap.start_ns = event.time_ns - length_ns;
    event.u.gap.lost = lost;
    event.u.gap.cause = cause;
    s->counts.gaps++;
    s->counts.lost += lost;
    send(s, event);
}

static void session(struct stream *s, uint32_t number, const struct track *tracks, size_t count) {
    struct event event = {.kind = EVENT_SESSION, .time_ns = s->now_ns[0]};
    event.u.session.image = "synthetic";
    event.u.session.clock_hz = 1000000000 / TICK_NS;
    event.u.session.session = event.u.session.resets = number;
    event.u.session.epoch_ns = INT64_C(1700000000123456789);
    send(s, event);
    s->counts.sessions++;
    for (size_t i = 0; i < count; i++) {
        send(s, on(s, EVENT_TRACK, &tracks[i], NULL));
        s->counts.tracks++;
    }
}

/* One without a stack met something, too. */
static void sample(struct stream *s, const struct track *track, bool has_stack, uint64_t missed) {
    struct event event = on(s, EVENT_SAMPLE, track, NULL);
    event.stack = has_stack ? &stack : NULL;
    event.u.sample.period_ns = 1000000;
    event.u.sample.missed = missed;
    s->counts.samples++;
    s->counts.sampled += has_stack ? 1 : 0;
    s->counts.late_samples += missed != 0 ? 1 : 0;
    send(s, event);
}

/* ---- scenes ---- */

static void interrupt_scene(struct stream *s) {
    const struct track *timer = &first_tracks[TIMER];
    run(s, timer);
    begin(s, timer, &sites[TICK]);
    sample(s, timer, false, 0);
    text(s, EVENT_MESSAGE, timer, &sites[ALARM], "from an interrupt");
    advance(s, timer);
    end(s, timer, false);
    run(s, &first_tracks[CORE0]);
}

static void main_scene(struct stream *s, unsigned round) {
    const struct track *core0 = &first_tracks[CORE0];
    begin(s, core0, &sites[OUTER]);
    begin(s, core0, &sites[INNER]); /* begins with the outer one */
    sample(s, core0, true, round % 8 == 7 ? round : 0);
    plot_int(s, core0, &sites[LEVEL], (int64_t)round * 4096 - 8192);
    interrupt_scene(s);
    end(s, core0, false);
    begin(s, core0, &sites[EMPTY]); /* takes no time */
    end(s, core0, false);
    memory(s, EVENT_ALLOC, core0, &sites[HEAP], 0xffffffff80000000u + round * 64u, 64u + round);
    text(s, EVENT_MESSAGE, core0, &sites[MESSAGE], "round");
    advance(s, core0);
    end(s, core0, false);
    frame(s, EVENT_FRAME, core0, &sites[FRAME]);
    memory(s, EVENT_FREE, core0, &sites[HEAP], 0xffffffff80000000u + round * 64u, 64u + round);
}

static void task_scene(struct stream *s, unsigned round) {
    const struct track *worker = &first_tracks[round % 2 ? WORKER : FIBER];
    run(s, worker);
    begin(s, worker, &sites[STEP]);
    plot_real(s, worker, &sites[LOAD], true, (double)(round % 100) / 4);
    plot_real(s, worker, &sites[HEAT], false, 1.0 / (double)(round + 1));
    advance(s, worker);
    end(s, worker, false);
    run(s, &first_tracks[CORE1]);
    advance(s, worker);
}

/* All that can be said about a zone, early and late, and after a zone inside it. */
static void notes_scene(struct stream *s) {
    const struct track *core1 = &first_tracks[CORE1];
    const struct site *site = &sites[RENAMED];
    begin(s, core1, site);
    text(s, EVENT_ZONE_NAME, core1, site, "named at once");
    value(s, EVENT_ZONE_VALUE, core1, site, UINT64_MAX);
    advance(s, core1);
    begin(s, core1, &sites[AWKWARD]);
    text(s, EVENT_ZONE_TEXT, core1, &sites[AWKWARD], "inside");
    end(s, core1, false);
    text(s, EVENT_ZONE_NAME, core1, site, "named late");
    text(s, EVENT_ZONE_TEXT, core1, site, "first \"line\"");
    text(s, EVENT_ZONE_TEXT, core1, site, "second line \xf0\x9f\x98\x80");
    value(s, EVENT_ZONE_COLOR, core1, site, 0x12abef);
    value(s, EVENT_ZONE_VALUE, core1, site, 7);
    advance(s, core1);
    end(s, core1, false);
}

static void odd_scene(struct stream *s) {
    const struct track *core0 = &first_tracks[CORE0], *core1 = &first_tracks[CORE1];
    text(s, EVENT_APP_INFO, core0, NULL, "version 1.2 \"beta\"");
    plot_real(s, core1, &sites[HEAT], false, (double)NAN);
    plot_real(s, core1, &sites[HEAT], false, (double)INFINITY);
    plot_real(s, core1, &sites[HEAT], false, 1e300);
    plot_int(s, core1, &sites[LEVEL], INT64_MIN);
    plot_int(s, core1, &sites[LEVEL], INT64_C(9007199254740991)); /* 2^53 - 1 */
    memory(s, EVENT_ALLOC, core1, &sites[POOL], 0x20000000u, 1000);
    memory(s, EVENT_FREE, core1, &sites[POOL], 0x30000000u, 0); /* from before the capture */
    frame(s, EVENT_FRAME_START, core0, &sites[BURST]);
    advance(s, core0);
    frame(s, EVENT_FRAME_END, core0, &sites[BURST]);
}

static void loss_scene(struct stream *s) {
    const struct track *core0 = &first_tracks[CORE0], *core1 = &first_tracks[CORE1];
    advance(s, core0);
    gap(s, core0, 500, 12, GAP_RING_FULL);
    gap(s, core0, 800, 3, GAP_LINK); /* overlaps the one before */
    gap(s, core1, 0, 1, GAP_LINK);
}

/* A reset: the zone that was open is closed by hostlink, the next session has its own tracks. */
static void reset_scene(struct stream *s) {
    begin(s, &first_tracks[CORE0], &sites[OUTER]);
    advance(s, &first_tracks[CORE0]);
    end(s, &first_tracks[CORE0], true);
    gap(s, &first_tracks[CORE0], 0, 2, GAP_RESET);
    session(s, 1, second_tracks, 1);
    begin(s, &second_tracks[0], &sites[OUTER]);
    plot_int(s, &second_tracks[0], &sites[LEVEL], 1);
    advance(s, &second_tracks[0]);
    end(s, &second_tracks[0], false);
}

int synthetic_events(synthetic_sink *sink, void *context, unsigned rounds,
                     struct synthetic_counts *counts) {
    struct stream s = {.sink = sink, .context = context, .random = 1};
    session(&s, 0, first_tracks, TRACKS);
    run(&s, &first_tracks[CORE0]);
    run(&s, &first_tracks[CORE1]);
    odd_scene(&s);
    notes_scene(&s);
    for (unsigned round = 0; round < rounds; round++) {
        main_scene(&s, round);
        task_scene(&s, round);
    }
    run(&s, &first_tracks[UART]); /* still running when the board is reset */
    loss_scene(&s);
    reset_scene(&s);
    if (counts) {
        *counts = s.counts;
    }
    return s.result;
}
