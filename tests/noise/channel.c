/* SPDX-License-Identifier: MIT */
#include "channel.h"

#include <math.h>

enum damage { FLIP, LOSE, DOUBLE, INSERT };

uint64_t channel_random(uint64_t *state) {
    uint64_t x = *state;
    x ^= x >> 12;
    x ^= x << 25;
    x ^= x >> 27;
    *state = x;
    return x * UINT64_C(0x2545f4914f6cdd1d);
}

/* Bytes until the next damage: geometric. */
static uint64_t interval(struct channel *c, double rate) {
    if (rate <= 0.0) {
        return UINT64_MAX;
    }
    double uniform = ((double)(channel_random(&c->random) >> 11) + 1.0) * 0x1p-53;
    return (uint64_t)(log(uniform) / log1p(-rate));
}

static double rate_of(const struct channel *c, enum damage damage) {
    return damage == FLIP ? 8.0 * c->rate : c->rate;
}

void channel_init(struct channel *c, uint64_t seed, double rate) {
    *c = (struct channel){.random = seed * 2u + 1u, .rate = rate, .empty = true};
    for (enum damage damage = FLIP; damage <= INSERT; damage++) {
        c->until[damage] = interval(c, rate_of(c, damage));
    }
}

static bool preempts(struct channel *c, enum damage damage) {
    if (c->until[damage]-- != 0) {
        return false;
    }
    c->until[damage] = interval(c, rate_of(c, damage));
    c->damaged++;
    return true;
}

/* The zero byte after a packet ends it, and is the one before the next. */
static void end_packet(struct channel *c, bool zero_damaged) {
    if (!c->empty) {
        c->packets++;
        c->clean += !c->own_damage && !zero_damaged ? 1 : 0;
        c->sure += !c->own_damage && !zero_damaged && !c->lead_damage ? 1 : 0;
    }
    c->lead_damage = zero_damaged || (c->empty && c->lead_damage);
    c->own_damage = false;
    c->empty = true;
}

size_t channel_pass(struct channel *c, uint8_t byte, uint8_t *out) {
    size_t count = 0;
    uint8_t sent = byte;
    bool damaged = false;
    if (preempts(c, INSERT)) {
        out[count++] = (uint8_t)channel_random(&c->random);
        damaged = true;
    }
    if (preempts(c, FLIP)) {
        sent ^= (uint8_t)(1u << (channel_random(&c->random) >> 61));
        damaged = true;
    }
    if (preempts(c, LOSE)) {
        damaged = true;
    } else {
        out[count++] = sent;
        if (preempts(c, DOUBLE)) {
            out[count++] = sent;
            damaged = damaged || sent != 0; /* an empty packet more */
        }
    }
    if (byte == 0) {
        end_packet(c, damaged);
    } else {
        c->empty = false;
        c->own_damage = c->own_damage || damaged;
    }
    return count;
}
