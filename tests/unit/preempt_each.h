/* SPDX-License-Identifier: MIT */
/* A call that an interrupt preempts at each of its instructions, one a run. */
#ifndef TESTS_PREEMPT_EACH_H
#define TESTS_PREEMPT_EACH_H

#include <stdbool.h>
#include <stdint.h>

struct kymo_lane;

struct preempted_call {
    void (*begin)(void);          /* before each run, after power-up and kymo_init() */
    void (*call)(void);           /* the preempted call */
    void (*interrupt)(void);      /* called in the interrupt before it records */
    void (*check)(bool has_room); /* after each run */
};

/* The ring has so many events before the call, and the interrupt records so many. Returns in how many places it came;
 * loops are preempted in their first passes. */
uint32_t preempt_each(const struct preempted_call *test, uint32_t before, uint32_t inside,
                      bool has_room);
/* In an empty ring, and with a few events before and inside. */
void preempt_each_with_room(const struct preempted_call *test);
/* The call's record finds its room, or a part of it, or no room; or the interrupt takes it. In a
 * ring that keeps the newest events: in the block that is being written. */
void preempt_each_at_the_end(const struct preempted_call *test);
/* Counts a record that a test has read, as the drain does: a ring that keeps the newest makes up losses until they are
 * counted. */
void preempt_count_read(struct kymo_lane *lane, uint32_t header);

#endif
