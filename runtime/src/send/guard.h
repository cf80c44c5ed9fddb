/* SPDX-License-Identifier: MIT */
/* Commands that come over a network (WIRE.md, section 7): refused and counted, or, in an image with
 * a key, obeyed when they are signed with it. */
#ifndef KYMO_GUARD_H
#define KYMO_GUARD_H

#include <stdbool.h>
#include <stdint.h>

#include "kymo/config.h"
#include "kymo/transport.h"
#include "kymo/wire.h"

#ifdef KYMO_COMMAND_KEY
#define KYMO_GUARD_KEYED 1
#else
#define KYMO_GUARD_KEYED 0
#endif

/* All zero is a link whose host is trusted. */
struct kymo_guard {
    bool due;         /* a GUARD packet goes with the session */
    bool news;        /* and soon, that something was refused */
    uint32_t at;      /* when it was told last, low 32 bits of the clock */
    uint32_t refused; /* commands, since the start */
#if KYMO_GUARD_KEYED
    uint32_t accepted; /* counter of the last command that was obeyed */
    uint8_t challenge[KYMO_CHALLENGE_BYTES];
#endif
};

/* A command, as a packet without its CRC. */
struct kymo_command {
    const uint8_t *bytes;
    uint32_t length;
};

#if KYMO_GUARD_KEYED
/* A new session, with a challenge that none before had. */
void kymo_guard_start(struct kymo_guard *guard, const struct kymo_transport *transport);
#endif
/* True if a command from a network may be obeyed; a signed one is then replaced by its signed content. Else the
 * command was counted as refused. */
bool kymo_guard_admits(struct kymo_guard *guard, struct kymo_command *command);

/* True if the board at the other end of this transport obeys commands of some kind. */
static inline bool kymo_guard_obeys(const struct kymo_transport *transport) {
    return KYMO_COMMANDS && transport->read != NULL && (KYMO_GUARD_KEYED || !transport->network);
}

#endif
