/* SPDX-License-Identifier: MIT */
/* Commands to a board on a network: does it obey any, and their signatures (WIRE.md, section 7). */
#ifndef HOSTLINK_GUARD_H
#define HOSTLINK_GUARD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kymo/siphash.h"
#include "kymo/wire.h"

enum guard_state {
    GUARD_OPEN,     /* the board has not said otherwise: commands go as they are */
    GUARD_SIGNING,  /* they go signed */
    GUARD_CLOSED,   /* the board's image has no key, so it obeys no command */
    GUARD_KEYLESS,  /* it has one, and we have none */
    GUARD_WRONG_KEY /* signed commands go on, but the board refuses them */
};

/* All zero, but the key, is the start of a connection. */
struct guard {
    const uint8_t *key; /* KYMO_SIPHASH_KEY_BYTES, NULL = none */
    enum guard_state state;
    uint8_t challenge[KYMO_CHALLENGE_BYTES];
    uint32_t counter; /* of the last signed command, or that the board accepted */
    /* The first signed command of this challenge: its counter, 0 = none yet; when it went, and how
     * many the board had refused by then. */
    uint32_t first;
    uint64_t first_ns;
    uint64_t refused; /* by the board, as it told last */
    uint64_t refused_first;
    uint64_t
        unsigned_sent; /* before the board said that it wants signatures; it refuses them, in its time */
};

/* The board reported its guard; "challenge" NULL: it refuses all commands. */
void guard_answered(struct guard *guard, uint64_t refused, uint64_t accepted,
                    const uint8_t *challenge, uint64_t now_ns);
/* A command is of use: the board may obey it. */
bool guard_may_speak(const struct guard *guard);
/* A line for the user about the state, NULL = nothing to say. */
const char *guard_text(enum guard_state state);
/* Advice about a command that was not obeyed, NULL = the guard did not block it. */
const char *guard_cure(enum guard_state state);
/* Makes a command (of command_...()) ready to send. Its length; 0 if the board would not obey, or
 * "size" is short. */
size_t guard_packet(struct guard *guard, uint8_t *out, size_t size, const uint8_t *command,
                    size_t length, uint64_t now_ns);
/* The same after a zero byte, which ends a command before it whose own end was lost: a receive FIFO
 * that overruns loses the end. 0 too for a command of no bytes. */
size_t guard_line(struct guard *guard, uint8_t *out, size_t size, const uint8_t *command,
                  size_t length, uint64_t now_ns);

#endif
