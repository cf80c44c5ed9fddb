/* SPDX-License-Identifier: MIT */
#include "player.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "kymo_arch.h"
#include "ring/lane.h"
#include "send/link.h"

KYMO_SITE_DEFINE_GLOBAL(zone_a, KYMO_SITE_ZONE, "a", 0u, 0u, NULL);
KYMO_SITE_DEFINE_GLOBAL(zone_b, KYMO_SITE_ZONE, "b", 0u, 0u, NULL);
KYMO_SITE_DEFINE_GLOBAL(zone_c, KYMO_SITE_ZONE, "c", 0u, 0u, NULL);
KYMO_SITE_DEFINE_GLOBAL(plot, KYMO_SITE_PLOT, "plot", 0u, 0u, NULL);
KYMO_SITE_DEFINE_GLOBAL(frame, KYMO_SITE_FRAME, "frame", 0u, 0u, NULL);
KYMO_SITE_DEFINE_GLOBAL(message, KYMO_SITE_MESSAGE, "%llu %s %u", 0u,
                        (uint32_t)KYMO_ARG_U64 | (uint32_t)KYMO_ARG_STRING << 4 |
                            (uint32_t)KYMO_ARG_U32 << 8,
                        NULL);
KYMO_POOL(pool, "pool");

static const struct kymo_site *const zones[3] = {&zone_a, &zone_b, &zone_c};

uint32_t player_random(uint64_t *state) {
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return (uint32_t)(*state >> 32);
}

void player_init(struct player *player, struct witness *witness, uint32_t lane,
                 uint32_t reference) {
    *player = (struct player){.witness = witness};
    player->context = witness_context(witness, lane, reference);
}

void (*player_around)(bool before);

static void around(bool before) {
    if (player_around != NULL) {
        player_around(before);
    }
}

static uint32_t wire(const struct kymo_site *site) {
    return kymo_wire_reference((uint32_t)(uintptr_t)site);
}

/* Events refused while recording is stopped do not count: nothing is noted then. */
static struct witness_entry *note(struct player *player, uint8_t kind, const struct kymo_site *site,
                                  uint32_t value) {
    if (kymo_stopped) {
        return NULL;
    }
    struct witness_entry *entry =
        witness_emit(player->witness, player->context, kind, site == NULL ? 0u : wire(site), value);
    if (entry == NULL) {
        fake_broken("more events wait than a ring can hold");
        return NULL;
    }
    entry->from = fake.clock;
    return entry;
}

static void done(struct witness_entry *entry, enum witness_fate fate) {
    if (entry != NULL) {
        witness_done(entry, fake.clock, fate);
    }
}

bool player_begin(struct player *player) {
    const struct kymo_site *site = zones[player->serial++ % 3u];
    struct witness_entry *entry = note(player, KYMO_KIND_ZONE_BEGIN, site, 0u);
    if (entry != NULL) {
        entry->weight = 2u;
    }
    around(true);
    kymo_zone zone = kymo_zone_begin(site);
    around(false);
    done(entry, zone != NULL ? WITNESS_ACCEPTED : WITNESS_REFUSED);
    if (entry == NULL && zone != NULL) {
        fake_broken("a zone began while recording was stopped");
    }
    if (zone != NULL) {
        player->open[player->depth++] = zone;
    }
    return zone != NULL;
}

/* The end of a zone that was accepted is recorded in any case, also while stopped. */
void player_end(struct player *player) {
    struct witness_entry *entry =
        witness_emit(player->witness, player->context, KYMO_KIND_ZONE_END, 0u, 0u);
    if (entry == NULL) {
        fake_broken("more events wait than a ring can hold");
        return;
    }
    entry->from = fake.clock;
    kymo_zone zone = player->open[--player->depth];
    around(true);
    kymo_zone_end(zone);
    around(false);
    witness_done(entry, fake.clock, WITNESS_ACCEPTED);
}

void player_plot(struct player *player) {
    uint32_t value = ++player->serial & 0x7fffffffu;
    struct witness_entry *entry = note(player, KYMO_KIND_PLOT_INT, &plot, value);
    around(true);
    kymo_plot_int(&plot, (int64_t)value);
    around(false);
    done(entry, WITNESS_UNKNOWN);
}

void player_message(struct player *player) {
    static const char text[] = "some text of the message";
    uint32_t value = ++player->serial;
    const uint64_t args[3] = {UINT64_C(0x123456789abcdef0),
                              (uint64_t)(uintptr_t)&text[value % (sizeof text - 1u)], value};
    struct witness_entry *entry = note(player, KYMO_KIND_MESSAGE, &message, value);
    around(true);
    kymo_message(&message, args);
    around(false);
    done(entry, WITNESS_UNKNOWN);
}

void player_frame(struct player *player) {
    struct witness_entry *entry = note(player, KYMO_KIND_FRAME, &frame, 0u);
    around(true);
    kymo_frame(&frame);
    around(false);
    done(entry, WITNESS_UNKNOWN);
}

/* The address' high word is made of the serial number, which is its last payload word then. */
void player_alloc(struct player *player) {
    uint32_t value = ++player->serial | 1u;
    struct witness_entry *entry = note(player, KYMO_KIND_FREE, &pool, value);
    around(true);
    kymo_free(&pool, (const void *)(uintptr_t)((uint64_t)value << 32 | 0xfffffff0u));
    around(false);
    done(entry, WITNESS_UNKNOWN);
}

void player_step(struct player *player, uint64_t *random) {
    switch (player_random(random) % 12u) {
    case 0u:
        player_plot(player);
        break;
    case 1u:
        player_message(player);
        break;
    case 2u:
        player_frame(player);
        break;
    case 3u:
        player_alloc(player);
        break;
    case 4u:
    case 5u:
    case 6u:
    case 7u:
        if (player->depth < PLAYER_DEPTH) {
            (void)player_begin(player);
        }
        break;
    default:
        if (player->depth != 0u) {
            player_end(player);
        }
        break;
    }
}

void player_close(struct player *player) {
    while (player->depth != 0u) {
        player_end(player);
    }
}
