/* SPDX-License-Identifier: MIT */
/* A board with a flight recorder: its start-up, its events, and the arrived ones, session by session.
 *
 * Every event is a plot or a message that carries its number, counted on its lane in its run: the number must
 * be that of the event's place in the trace, losses counted. */
#ifndef TESTS_NEWEST_BOARD_H
#define TESTS_NEWEST_BOARD_H

#include "ring/newest.h"
#include "trace.h"

#define LANES 2u
#define SESSIONS 8u

extern struct trace trace;
extern uint32_t emitted[LANES]; /* in this run */

/* Arrived parts of a session. */
struct board_session {
    uint32_t id, flags;
    uint64_t arrived[LANES], lost[LANES];
    uint32_t contexts; /* events in other contexts than the main one */
};
extern struct board_session session[SESSIONS];
extern uint32_t sessions;

/* Garbage in all that is not cleared, then boot(); a cmocka fixture. */
int power_up(void **state);
/* The start-up after a reset: all variables but those that survive are cleared. */
void boot(void);
void attach(void);
void emit(uint32_t lane);
void emit_many(uint32_t lane, uint32_t count);
void drain(void);
/* Events of the session that is read: arrived, or told to be lost. */
uint64_t known(uint32_t lane);
void assert_session(uint32_t number, uint32_t lane, uint64_t arrived, uint64_t lost);

#endif
