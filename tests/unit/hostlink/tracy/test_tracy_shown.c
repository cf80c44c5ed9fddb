/* SPDX-License-Identifier: MIT */
/* A viewer's display of each kind of event, in every protocol: names, colours, losses. */
#include <errno.h>

#include <stdio.h>
#include <string.h>

#include "cases.h"
#include "kymo/wire.h"
#include "tracy_run.h"

#define SITE(kind_, name_)                                                                         \
    .kind = (kind_), .known = true, .name = (name_), .function = "f", .file = "f.c"

static const struct track core0 = {1, 0, 0, KYMO_CONTEXT_MAIN, "core 0", NULL, NULL, 0};
static const struct track timer = {2, 0, 0, KYMO_CONTEXT_INTERRUPT, "timer", NULL, NULL, 0};
static const struct track anew = {3, 0, 1, KYMO_CONTEXT_MAIN, "core 0", NULL, NULL, 0};
static const struct site zone = {SITE(KYMO_SITE_ZONE, "zone")};
static const struct site pool = {SITE(KYMO_SITE_POOL, "heap")};
static const struct site marks = {SITE(KYMO_SITE_FRAME, "audio")};
static const struct site spans = {SITE(KYMO_SITE_FRAME, "dma")};
static const struct site plot = {SITE(KYMO_SITE_PLOT, "level"), .detail = KYMO_PLOT_PERCENT,
                                 .color = 0x00ff00};
static const struct site colored = {SITE(KYMO_SITE_MESSAGE, ""), .level = KYMO_LEVEL_INFO,
                                    .color = 0x123456};
static const struct site error = {SITE(KYMO_SITE_MESSAGE, ""), .level = KYMO_LEVEL_ERROR};
static const struct site plain = {SITE(KYMO_SITE_MESSAGE, ""), .level = KYMO_LEVEL_INFO};

static struct {
    size_t count;
    char text[8][128];
    uint32_t color[8];
} messages;

static void on_message(void *context, const char *text) {
    const struct tracy_run *run = context;
    assert_true(messages.count < 8);
    (void)strncpy(messages.text[messages.count], text, 127);
    messages.color[messages.count++] = run->peer->color;
}

static struct tracy_run *start(uint32_t protocol) {
    struct tracy_run *run = tracy_run_new();
    memset(&messages, 0, sizeof messages);
    tracy_run_connect(run, protocol);
    run->peer->message = on_message;
    run->peer->context = run;
    return run;
}

static void end(struct tracy_run *run) {
    tracy_run_end(run);
    assert_string_equal(run->peer->failure, "");
    assert_int_equal(run->terminates, 1);
    assert_int_equal(run->encode->repairs.total, 0);
}

static void give(struct tracy_run *run, struct event event) {
    assert_int_equal(tracy_run_event(run, &event), 0);
}

static bool has_name(const struct tracy_run *run, enum tracy_query query, const char *text) {
    for (size_t i = 0; i < run->peer->name_count; i++) {
        const struct peer_name *name = &run->peer->names[i];
        if (name->query == query && name->text != NULL && strcmp(name->text, text) == 0) {
            return true;
        }
    }
    return false;
}

static void say(struct tracy_run *run, const struct site *site, const char *text) {
    struct event event = {.kind = EVENT_MESSAGE, .time_ns = 1, .track = &core0, .site = site};
    event.u.text.bytes = text;
    event.u.text.length = strlen(text);
    give(run, event);
}

static void messages_have_their_colors(struct tracy_run *run) {
    say(run, &colored, "own");
    say(run, &error, "of its level");
    say(run, &plain, "none");
    end(run);
    assert_int_equal(messages.count, 3);
    assert_string_equal(messages.text[0], "own");
    assert_int_equal(messages.color[0], 0x123456);
    /* From 0.14 on viewers know levels, and colour them by themselves. */
    assert_int_equal(messages.color[1], run->peer->proto.message_metadata ? 0 : 0xff4040);
    assert_int_equal(messages.color[2], 0);
}

static void sets_and_rows_have_their_names(struct tracy_run *run) {
    const enum event_kind kinds[] = {EVENT_FRAME_START, EVENT_FRAME_END, EVENT_FRAME_START,
                                     EVENT_FRAME_END};
    for (int i = 0; i < 4; i++) {
        give(run,
             (struct event){.kind = EVENT_FRAME, .time_ns = i, .track = &core0, .site = &marks});
        give(run, (struct event){.kind = kinds[i], .time_ns = i, .track = &core0, .site = &spans});
    }
    struct event event = {.kind = EVENT_ALLOC, .time_ns = 9, .track = &timer, .site = &pool};
    event.u.memory.address = 0x1000;
    event.u.memory.bytes = 16;
    give(run, event);
    event = (struct event){.kind = EVENT_PLOT_INT, .time_ns = 9, .track = &timer, .site = &plot};
    event.u.plot.type = PLOT_INT;
    event.u.plot.integer = 50;
    give(run, event);
    give(run,
         (struct event){.kind = EVENT_ZONE_BEGIN, .time_ns = 9, .track = &timer, .site = &zone});
    give(run, (struct event){.kind = EVENT_ZONE_END, .time_ns = 9, .track = &timer, .site = &zone});
    end(run);
    assert_int_equal(run->peer->counts.frames, 4);
    assert_int_equal(run->peer->counts.frame_starts, 2);
    assert_int_equal(run->peer->counts.frame_ends, 2);
    assert_int_equal(run->peer->counts.plot_configs, 1);
    assert_true(has_name(run, TRACY_QUERY_FRAME_NAME, "audio"));
    assert_true(has_name(run, TRACY_QUERY_FRAME_NAME, "dma"));
    assert_true(has_name(run, TRACY_QUERY_STRING, "heap"));
    assert_true(has_name(run, TRACY_QUERY_PLOT_NAME, "level"));
    assert_true(has_name(run, TRACY_QUERY_THREAD_STRING, "timer"));
}

static void what_was_lost_stands_on_the_timeline(struct tracy_run *run) {
    struct event gap = {.kind = EVENT_GAP, .time_ns = 5000, .track = &core0};
    gap.u.gap.start_ns = 2000;
    gap.u.gap.lost = 5;
    gap.u.gap.cause = GAP_RING_FULL;
    give(run, gap);
    end(run);
    assert_int_equal(tracy_peer_place(run->peer, "events lost")->total_ns, 3000);
    assert_true(has_name(run, TRACY_QUERY_THREAD_STRING, "core 0: lost"));
    assert_string_equal(messages.text[0], "5 events lost: the board's ring was full");
    assert_int_equal(messages.color[0], 0xff4040);
}

static void a_reset_begins_new_rows(struct tracy_run *run) {
    say(run, &plain, "before");
    struct event session = {.kind = EVENT_SESSION, .time_ns = 10};
    session.u.session.image = "demo";
    session.u.session.session = session.u.session.resets = 1;
    give(run, session);
    give(run,
         (struct event){.kind = EVENT_ZONE_BEGIN, .time_ns = 20, .track = &anew, .site = &zone});
    give(run, (struct event){.kind = EVENT_ZONE_END, .time_ns = 30, .track = &anew, .site = &zone});
    end(run);
    assert_true(has_name(run, TRACY_QUERY_THREAD_STRING, "core 0"));
    assert_true(has_name(run, TRACY_QUERY_THREAD_STRING, "core 0 (after reset 1)"));
    assert_string_equal(messages.text[1], "the board was reset: a new session begins");
}

CASE(in_every_protocol) {
    static void (*const shown[])(struct tracy_run * run) = {
        messages_have_their_colors, sets_and_rows_have_their_names,
        what_was_lost_stands_on_the_timeline, a_reset_begins_new_rows};
    for (size_t i = 0; tracy_proto_known(i) != 0; i++) {
        for (size_t n = 0; n < sizeof shown / sizeof shown[0]; n++) {
            struct tracy_run *run = start(tracy_proto_known(i));
            shown[n](run);
            tracy_run_free(run);
        }
    }
}

/* All open at one time: each is known by its own name. */
CASE(many_sets_of_frames) {
    enum { SETS = 100 };
    static struct site sets[SETS];
    static char names[SETS][16];
    struct tracy_run *run = start(66);
    for (int i = 0; i < SETS; i++) {
        (void)snprintf(names[i], sizeof names[i], "set %d", i);
        sets[i] = (struct site){SITE(KYMO_SITE_FRAME, names[i])};
        give(run, (struct event){
                      .kind = EVENT_FRAME_START, .time_ns = i, .track = &core0, .site = &sets[i]});
    }
    for (int i = 0; i < SETS; i++) {
        give(run,
             (struct event){
                 .kind = EVENT_FRAME_END, .time_ns = SETS + i, .track = &core0, .site = &sets[i]});
    }
    end(run);
    assert_int_equal(run->peer->counts.frame_starts, SETS);
    assert_int_equal(run->peer->counts.frame_ends, SETS);
    for (int i = 0; i < SETS; i++) {
        assert_true(has_name(run, TRACY_QUERY_FRAME_NAME, names[i]));
    }
    tracy_run_free(run);
}

/* The viewer is dropped then, but the next one receives the zone, and the zone ends. */
CASE(what_no_viewer_can_hold_is_kept) {
    struct tracy_run *run = start(82);
    struct event begin = {.kind = EVENT_ZONE_BEGIN, .track = &core0, .site = &zone};
    struct event end = {.kind = EVENT_ZONE_END, .track = &core0, .site = &zone};
    begin.time_ns = run->encode->base_ns + TRACY_TIME_LIMIT_NS;
    end.time_ns = begin.time_ns + 1;
    assert_int_equal(tracy_encode_event(run->encode, &begin), -EOVERFLOW);
    assert_int_equal(tracy_tracks_find(&run->encode->tracks, core0.id)->depth, 1);
    assert_int_equal(tracy_encode_event(run->encode, &end), -EOVERFLOW);
    assert_int_equal(tracy_tracks_find(&run->encode->tracks, core0.id)->depth, 0);
    tracy_run_free(run);
}
