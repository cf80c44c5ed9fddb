/* The state of the one link to the host. Touched only by the context that drains. */
#ifndef KYMO_LINK_H
#define KYMO_LINK_H

#include "encode.h"
#include "frame.h"
#include "guard.h"
#include "kymo/arch.h"
#include "kymo/kymo.h"
#include "kymo/memory.h"

struct kymo_link {
    const struct kymo_transport *transport;
    const char *image;
    struct kymo_outgoing out;
    struct kymo_incoming in;
    struct kymo_encoder encoder;
    struct kymo_guard guard;
    uint64_t pong_cookie;
    uint64_t pong_ticks;
    uint32_t session;
    uint32_t status_at; /* low 32 bits of the clock at the last status */
    bool status_due;
    uint32_t next_site;  /* sites from here on are still to be sent */
    uint32_t next_param; /* sites from here on are still to be looked through for parameters */
    uint8_t next_lane;   /* round robin */
    uint8_t finals_left; /* final status frames still to be sent, once everything else is out */
    bool finishing;
    bool held_up;        /* a record is not complete, since "held_up_at" */
    uint32_t held_up_at; /* low 32 bits of the clock */
    bool session_due, pong_due;
    bool names_turn;       /* names and events take turns */
    bool greeted;          /* a host has spoken: names are sent when it asks, not again and again */
    struct kymo_mark mark; /* for those who look at the memory */
};

extern struct kymo_link kymo_link;
extern const struct kymo_layout kymo_layout;

/* Milliseconds in ticks, of which the low 32 bits do for intervals; a clock of unknown rate is
 * taken for 1 MHz. By shifts, as 64-bit division needs a library on small cores: 2 % short. */
static inline uint32_t kymo_link_ticks(uint32_t milliseconds) {
    uint64_t hz = kymo_arch_clock_hz();
    uint64_t ticks = (hz == 0u ? 1000u : hz >> 10) * milliseconds;
    return ticks < 0x7fffffffu ? (uint32_t)ticks : 0x7fffffffu;
}

/* describe.c: each builds its frame in link->out; false if there is none to build. */
void kymo_describe_session(struct kymo_link *link);
bool kymo_describe_sites(struct kymo_link *link);
void kymo_describe_status(struct kymo_link *link, uint8_t flags);
bool kymo_describe_param(struct kymo_link *link);
void kymo_describe_pong(struct kymo_link *link);
void kymo_describe_guard(struct kymo_link *link);
uint32_t kymo_site_count(void);
#if KYMO_NAMES == 0
/* Of facts of the linker that the ELF file knows too: which image this is. */
uint32_t kymo_image_identity(void);
#endif
/* A reference as it travels: twice the index of a site, or an odd number for anything else. */
uint32_t kymo_wire_reference(uint32_t reference);

/* command.c: one correct frame from the host, without its CRC. */
void kymo_command_take(struct kymo_link *link, const uint8_t *bytes, uint32_t length);

/* events.c: builds an EVENTS frame of the next lane that is ready; false if none is. */
bool kymo_events_build(struct kymo_link *link, uint32_t now);
/* True while a lane holds complete records. */
bool kymo_events_waiting(void);
/* At the end: true while a lane holds one that is not complete. Who has not written it in KYMO_PATIENCE_MS never
 * will: then it is passed over, and counted as lost. */
bool kymo_events_held_up(struct kymo_link *link);

#endif
