/* SPDX-License-Identifier: MIT */
#include "tracy_scene.h"

#include "kymo/wire.h"

#define SITE(kind_, detail_, name_, function_)                                                     \
    {                                                                                              \
        .kind = (kind_), .detail = (detail_), .known = true, .level = KYMO_LEVEL_WARNING,          \
        .line = __LINE__, .name = (name_), .function = (function_), .file = "scene.c"              \
    }

static const struct track main0 = {1, 0, 0, KYMO_CONTEXT_MAIN, "core 0", NULL, NULL, 0};
static const struct track timer = {2, 0, 0, KYMO_CONTEXT_INTERRUPT, "timer", NULL, NULL, 0};
static const struct track main1 = {3, 1, 0, KYMO_CONTEXT_MAIN, "core 1", NULL, NULL, 0};
static const struct track again = {4, 0, 1, KYMO_CONTEXT_MAIN, "core 0", NULL, NULL, 0};

static const struct site work = SITE(KYMO_SITE_ZONE, 0, "work", "work");
static const struct site step = SITE(KYMO_SITE_ZONE, 0, "step", "work");
static const struct site tick = SITE(KYMO_SITE_ZONE, 0, "tick", "on_timer");
static const struct site note = SITE(KYMO_SITE_MESSAGE, 0, "note %d", "work");
static const struct site load =
    SITE(KYMO_SITE_PLOT, KYMO_PLOT_PERCENT | KYMO_PLOT_FILL, "load", "work");
static const struct site heat = SITE(KYMO_SITE_PLOT, 0, "heat", "work");
static const struct site room =
    SITE(KYMO_SITE_PLOT, KYMO_PLOT_BYTES | KYMO_PLOT_STEP, "room", "work");
static const struct site frame = SITE(KYMO_SITE_FRAME, 0, "Frame", "work");
static const struct site image = SITE(KYMO_SITE_FRAME, 0, "image", "work");
static const struct site burst = SITE(KYMO_SITE_FRAME, 0, "burst", "work");
static const struct site heap = SITE(KYMO_SITE_POOL, 0, "heap", "");
static const struct site pool = SITE(KYMO_SITE_POOL, 0, "pool", "");

#define TEXT(words) .u.text = {.bytes = (words), .length = sizeof(words) - 1}

static const struct event events[] = {
    {EVENT_SESSION, 0, NULL, NULL, .u.session = {"scene", NULL, 10000000, 0, 0, 0, NULL}},
    {EVENT_TRACK, 0, &main0, NULL, .u.value = 0},
    {EVENT_APP_INFO, 5, &main0, NULL, TEXT("a fixed scene")},
    {EVENT_ZONE_BEGIN, 100, &main0, &work, .u.value = 0},
    {EVENT_ZONE_TEXT, 100, &main0, &work, TEXT("first")},
    {EVENT_ZONE_NAME, 110, &main0, &work, TEXT("work of another name")},
    {EVENT_ZONE_VALUE, 120, &main0, &work, .u.value = UINT64_C(0x123456789abcdef0)},
    {EVENT_ZONE_COLOR, 130, &main0, &work, .u.value = 0x40a0ff},
    {EVENT_ZONE_BEGIN, 200, &main0, &step, .u.value = 0},
    {EVENT_ZONE_BEGIN, 210, &timer, &tick, .u.value = 0},
    {EVENT_ZONE_END, 260, &timer, &tick, .u.zone = {210, 50, false}},
    {EVENT_MESSAGE, 270, &main0, &note, TEXT("note 1")},
    {EVENT_PLOT_INT, 300, &main0, &load, .u.plot = {PLOT_INT, 42, 42.0}},
    {EVENT_PLOT_INT, 310, &main0, &heat, .u.plot = {PLOT_FLOAT, 0, 1.5}},
    {EVENT_PLOT_INT, 320, &main0, &room, .u.plot = {PLOT_DOUBLE, 0, 4096.0}},
    {EVENT_ALLOC, 330, &main0, &heap, .u.memory = {.address = 0x80001000, .bytes = 64}},
    {EVENT_ALLOC, 340, &main0, &pool, .u.memory = {.address = 0x80001000, .bytes = 32}},
    {EVENT_FREE, 350, &main0, &heap, .u.memory = {.address = 0x80001000, .bytes = 64}},
    {EVENT_FRAME, 360, &main0, &frame, .u.value = 0},
    {EVENT_FRAME, 370, &main0, &image, .u.value = 0},
    {EVENT_FRAME_START, 380, &main0, &burst, .u.value = 0},
    {EVENT_FRAME_END, 390, &main0, &burst, .u.value = 0},
    {EVENT_ZONE_END, 400, &main0, &step, .u.zone = {200, 200, false}},
    {EVENT_ZONE_BEGIN, 350, &main1, &step, .u.value = 0},
    {EVENT_ZONE_END, 70000, &main1, &step, .u.zone = {350, 69650, false}},
    {EVENT_ZONE_END, 80000, &main0, &work, .u.zone = {100, 79700, true}},
    {EVENT_GAP, 90000, &main0, NULL, .u.gap = {80000, 17, GAP_LINK}},
    {EVENT_SESSION, 100000, NULL, NULL, .u.session = {"scene", NULL, 10000000, 1, 1, 0, NULL}},
    {EVENT_ZONE_BEGIN, 100100, &again, &work, .u.value = 0},
    {EVENT_ZONE_END, INT64_C(9000000000), &again, &work, .u.zone = {100100, 8999899900, false}},
};

int tracy_scene(int (*sink)(void *context, const struct event *event), void *context) {
    int error = 0;
    for (size_t i = 0; i < sizeof events / sizeof events[0] && error == 0; i++) {
        error = sink(context, &events[i]);
    }
    return error;
}
