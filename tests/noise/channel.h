/* SPDX-License-Identifier: MIT */
/* A bad line: flips bits, loses, doubles and inserts bytes, by a seeded generator. It remembers
 * which packets came through whole, so that a test knows the packets that a receiver must accept. */
#ifndef TESTS_NOISE_CHANNEL_H
#define TESTS_NOISE_CHANNEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct channel {
    uint64_t random;
    double
        rate; /* chance of damage to a byte, of each kind but the flip; a flip is 8 times as likely */
    uint64_t until[4];             /* bytes up to the next damage of each kind */
    bool own_damage;               /* of the packet that is passing */
    bool lead_damage;              /* of the zero byte before it */
    bool empty;                    /* no byte of a packet has passed since the last zero byte */
    uint64_t damaged;              /* bytes */
    uint64_t packets, clean, sure; /* all; undamaged; undamaged after an undamaged zero byte */
};

void channel_init(struct channel *channel, uint64_t seed, double rate);

/* Passes one byte of the board's; writes at most 3 bytes to "out" and returns how many. */
size_t channel_pass(struct channel *channel, uint8_t byte, uint8_t *out);

/* xorshift64*, Vigna 2016. */
uint64_t channel_random(uint64_t *state);

#endif
