/* SPDX-License-Identifier: MIT */
/* Packets wait until the rate of the board's clock is known: times without it would have to be corrected later. A
 * board that knows its rate sends it in its first packet; the rate of another board is measured. */
#ifndef HOSTLINK_CLOCK_WAIT_H
#define HOSTLINK_CLOCK_WAIT_H

#include "clock/clock_rate.h"
#include "wire/fields.h"

#define CLOCK_WAIT_BYTES_MAX (256u * 1024u)

/* All zero is the start. */
struct clock_wait {
    uint8_t *packets; /* each after its length and its CRC */
    size_t used;
    bool has_session;
    uint32_t session; /* its id, of a board that does not know its rate */
    uint64_t since_ns;
};

enum clock_wait_verdict {
    CLOCK_WAIT_KEPT,         /* the packet waits */
    CLOCK_WAIT_END,          /* it waits too, but the waiting is over */
    CLOCK_WAIT_END_BEHIND,   /* over: first what waits, then this packet */
    CLOCK_WAIT_END_BEFORE_IT /* over: first this packet, then what waits */
};

/* True for the types of packets that wait. */
bool clock_wait_wants(uint8_t type);
/* The verdict on a packet. */
enum clock_wait_verdict clock_wait_take(struct clock_wait *wait, const struct wire_packet *packet,
                                        uint64_t host_ns);
/* True when the rate is measured as well as may be waited for. */
bool clock_wait_is_over(const struct clock_wait *wait, const struct clock_rate *rate,
                        uint64_t host_ns);

/* The packet at "*at", which goes on to the next; false after the last. 0 is the first. */
bool clock_wait_next(const struct clock_wait *wait, size_t *at, struct wire_packet *packet);
void clock_wait_free(struct clock_wait *wait);

#endif
