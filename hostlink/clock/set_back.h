/* SPDX-License-Identifier: MIT */
/* Finds where the counter of a board's clock was set back: a board that widens 32 bits takes that for a wrap, and its
 * clock jumps ahead by nearly 2^32 ticks, while the host's does not. */
#ifndef HOSTLINK_SET_BACK_H
#define HOSTLINK_SET_BACK_H

#include "clock/clockfit.h"
#include "clock/host_epoch.h"
#include "wire/fields.h"

#define SET_BACK_STEPS 256u
#define SET_BACK_TEXT 400

/* All zero is the start. */
struct set_back {
    bool heard; /* in this session */
    uint64_t host_ns, host_unix_ns, ticks;
    struct set_back_step {
        uint32_t session;
        struct clockfit_step step;
    } steps[SET_BACK_STEPS]; /* further ones are reported, and not taken into account */
    unsigned count, last;    /* from "last" on, those that the last packet showed */
    uint64_t by;             /* of these together, in ticks */
    bool known, said;        /* one was found, and reported */
};

/* A packet of the session, which may contain the board's clock; its rate, 0 = unknown. True: the counter was set back
 * since the last one. */
bool set_back_packet(struct set_back *watch, uint32_t session, const struct wire_packet *packet,
                     const struct host_epoch *host, uint64_t hz);
/* Before a jump is known, for events that are shown as they arrive: the ticks that only a clock after a jump can
 * have. */
void set_back_guard(const struct set_back *watch, const struct host_epoch *host, uint64_t hz,
                    struct clockfit_guard *guard);
/* Another session begins. */
void set_back_restart(struct set_back *watch);
/* The steps of a session, for the fit of a later pass: how many follow each other from *steps on. */
unsigned set_back_steps(const struct set_back *watch, uint32_t session,
                        struct clockfit_step steps[SET_BACK_STEPS]);
/* A message about the jump that the last packet showed. */
void set_back_text(const struct set_back *watch, uint64_t hz, char text[SET_BACK_TEXT]);

#endif
