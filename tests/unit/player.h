/* SPDX-License-Identifier: MIT */
/* Plays random events into the runtime on the fake port, and reports each to a witness. One player is
 * one context of one lane. */
#ifndef TESTS_PLAYER_H
#define TESTS_PLAYER_H

#include <stdbool.h>
#include <stdint.h>

#include "kymo/kymo.h"
#include "trace.h"
#include "witness.h"

#define PLAYER_DEPTH 12u

struct player {
    struct witness *witness;
    uint32_t context; /* of the witness */
    uint32_t depth;
    kymo_zone open[PLAYER_DEPTH];
    uint32_t serial; /* tells the events of this player apart */
};

/* Called right before and right after each call of the runtime, if it is set. */
extern void (*player_around)(bool before);

/* xorshift64 of Marsaglia, "Xorshift RNGs", 2003: the same numbers on every machine. */
uint32_t player_random(uint64_t *state);

void player_init(struct player *player, struct witness *witness, uint32_t lane, uint32_t reference);
/* Begins a zone; false if it was refused. */
bool player_begin(struct player *player);
/* Ends the innermost zone. */
void player_end(struct player *player);
void player_plot(struct player *player);
void player_message(struct player *player);
void player_frame(struct player *player);
void player_alloc(struct player *player);
/* One of the above. */
void player_step(struct player *player, uint64_t *random);
/* Ends all that is open. */
void player_close(struct player *player);

#endif
