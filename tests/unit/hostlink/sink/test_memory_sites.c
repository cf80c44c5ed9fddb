/* SPDX-License-Identifier: MIT */
/* Allocation sites of a profile: each use of a macro is a place of its own, and pools of one name are one. */
#include "cases.h"
#include "sink/profile.h"

static struct profile profile;
static const struct track row = {.id = 1, .name = "row"};

static void take(enum event_kind kind, const struct site *site, uint64_t address, uint64_t bytes) {
    struct event event = {.kind = kind, .track = &row, .site = site};
    event.u.memory.address = address;
    event.u.memory.bytes = bytes;
    assert_int_equal(profile_event(&profile, &event), 0);
}

static uint64_t live_bytes(void) {
    uint64_t live = 0;
    for (uint32_t i = 0; i < profile.count; i++) {
        live += profile.nodes[i].live_bytes;
    }
    return live;
}

FIXTURE(tear_down) {
    profile_free(&profile);
    profile = (struct profile){0};
    return 0;
}

CASE(another_place_of_the_pool_frees, NULL, tear_down) {
    static const struct site allocates = {.id = 4, .name = "pool", .pool = 5};
    static const struct site frees = {.id = 9, .name = "pool", .pool = 5};
    take(EVENT_ALLOC, &allocates, 0x1000, 100);
    assert_int_equal(live_bytes(), 100);
    take(EVENT_FREE, &frees, 0x1000, 100);
    assert_int_equal(live_bytes(), 0);
}

CASE(another_pool_does_not, NULL, tear_down) {
    static const struct site allocates = {.id = 4, .name = "pool", .pool = 5};
    static const struct site frees = {.id = 9, .name = "other", .pool = 10};
    take(EVENT_ALLOC, &allocates, 0x1000, 100);
    take(EVENT_FREE, &frees, 0x1000, 100);
    assert_int_equal(live_bytes(), 100);
}
