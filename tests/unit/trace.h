/* SPDX-License-Identifier: MIT */
/* The runtime's stream, taken apart by hostlink's decoder: a transport into a check.
 *
 * The channel is perfect here, so everything must fit: no byte outside of packets, no gap in the
 * numbers of packets and events, and the head of each packet names the context that the last one
 * ended in. Any misfit fails the running test. */
#ifndef TESTS_TRACE_H
#define TESTS_TRACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kymo/config.h"
#include "kymo/transport.h"
#include "kymo/wire.h"
#include "wire/decode.h"
#include "wire/unpack.h"

#define TRACE_COMMAND_BYTES 256u

struct trace_lane {
    uint64_t events;    /* counted events that arrived */
    uint64_t lost;      /* events that loss records told of */
    uint64_t losses;    /* loss records */
    uint32_t context;   /* as it travels; 1 is the main context */
    uint64_t status[2]; /* of the last STATUS packet: events, losses not yet told */
};

struct trace {
    struct kymo_transport transport;
    /* An event, in the context in which it was made. May be NULL. */
    void (*event)(void *user, uint32_t lane, uint32_t context, const struct wire_event *event);
    /* Any packet, before it is looked at. May be NULL. */
    void (*packet)(void *user, const uint8_t *bytes, size_t length);
    void *user;
    size_t takes; /* bytes taken at one call, at most */
    size_t room;  /* bytes taken in all from now on; SIZE_MAX = no end */
    size_t bytes; /* taken so far */
    uint64_t packets[32];
    bool cut;              /* packets may end early: by a reset, or in a memory image */
    uint64_t junk;         /* bytes outside of packets, except the lone zero before a session */
    uint8_t flags;         /* of the last STATUS packet */
    uint64_t unknown_lane; /* by it, refused events of cores without a lane */
    uint64_t usage;        /* by it, how the runtime was called wrongly */
    uint8_t sequence;      /* expected in the next packet */
    bool any;
    struct trace_lane lane[64];
    struct unpack unpack;
    uint8_t command[TRACE_COMMAND_BYTES]; /* to be read by the board */
    size_t command_length, command_at;
};

/* Clears the recorder, as a board's start-up clears .bss. */
void trace_power_up(void);
/* Attach with kymo_init(&trace->transport, ...). */
void trace_init(struct trace *trace);
/* Queues bytes for the board to read. */
void trace_command(struct trace *trace, const uint8_t *bytes, size_t length);
/* kymo_finish() and drain to the end; then the final status must agree with what arrived. Returns
 * the events lost on all lanes, told and untold. */
uint64_t trace_finish(struct trace *trace);
/* Drains all that wants to leave now, without an end. */
void trace_drain(struct trace *trace);
/* Events that arrived, on all lanes. */
uint64_t trace_events(const struct trace *trace);

#endif
