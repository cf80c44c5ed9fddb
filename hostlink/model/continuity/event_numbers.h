/* SPDX-License-Identifier: MIT */
/* Checks the number of events that a lane claims to have recorded. A packet whose CRC is right may still have a wrong
 * number: the board's memory was overwritten, or it is no board. The number in one packet alone is accepted only if
 * it fits the time that has passed; two packets that agree are followed, without counting impossible numbers as
 * lost. */
#ifndef HOSTLINK_EVENT_NUMBERS_H
#define HOSTLINK_EVENT_NUMBERS_H

#include <stdbool.h>
#include <stdint.h>

/* The position of a packet relative to its lane so far. */
enum packet_order {
    PACKET_FOLLOWS,   /* goes on where the lane is, or later */
    PACKET_FIRST,     /* the same, of a lane that has brought nothing yet */
    PACKET_REPEATED,  /* it was there: the same packet again, or from a board that was reset */
    PACKET_ANEW,      /* the first packet, but another one: only after a reset of the board */
    PACKET_INCREDIBLE /* it claims more lost events than any board records */
};

/* All zero is the start of a session. */
struct event_numbers {
    uint64_t ticks; /* of the latest event */
    /* The last packet that was refused: what would follow it. */
    bool refused;
    uint64_t refused_next, refused_ticks, refused_events;
    /* The last large leap that was accepted: the lane's number before it, and the events that it counted. */
    uint64_t before, leap; /* before 0: it is the first packet, which has nothing to go back to */
};

enum event_number {
    NUMBER_FITS,       /* fits the time that has passed */
    NUMBER_CONFIRMED,  /* does not, but agrees with the packet before, which was refused */
    NUMBER_TAKES_BACK, /* goes on where the lane stood before a large leap: that was wrong */
    NUMBER_BEHIND,     /* was there before */
    NUMBER_INCREDIBLE  /* refuse it */
};

/* "next": number of the lane's next event, as expected; "first", "ticks": from a packet. */
enum event_number event_numbers_judge(const struct event_numbers *numbers, uint64_t next,
                                      uint64_t first, uint64_t ticks);
/* For NUMBER_INCREDIBLE: the packet, with "count" events, is left out. */
void event_numbers_refuse(struct event_numbers *numbers, uint64_t first, uint64_t count,
                          uint64_t ticks);
/* For the first three: how many events are missing before "first", and how many that were counted before are not. */
uint64_t event_numbers_accept(struct event_numbers *numbers, uint64_t next, uint64_t first,
                              uint64_t ticks, uint64_t *taken_back);
/* The lane's events have come so far. */
static inline void event_numbers_reached(struct event_numbers *numbers, uint64_t ticks) {
    numbers->ticks = ticks > numbers->ticks ? ticks : numbers->ticks;
}

#endif
