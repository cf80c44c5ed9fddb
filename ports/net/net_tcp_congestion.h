/* SPDX-License-Identifier: MIT */
/* How much may be on its way, so that a network between the ends is not flooded: slow start,
 * congestion avoidance and fast recovery. RFC 5681, RFC 6582 (NewReno). */
#ifndef KYMO_NET_TCP_CONGESTION_H
#define KYMO_NET_TCP_CONGESTION_H

#include <stdbool.h>
#include <stdint.h>

#include "kymo/language.h"

KYMO_C_BEGIN

struct kymo_tcp_congestion {
    uint32_t mss;
    uint32_t window;    /* cwnd, bytes */
    uint32_t threshold; /* ssthresh, bytes */
    uint32_t counted;   /* bytes acknowledged since the window grew, in congestion avoidance */
    uint32_t recover;   /* the end of the bytes sent when the last loss was seen */
    uint8_t duplicates; /* acknowledgements in a row that said nothing new */
    bool recovering;
};

/* "sequence" is the first one to be sent. */
void kymo_tcp_congestion_init(struct kymo_tcp_congestion *congestion, uint32_t mss,
                              uint32_t sequence);

/* "count" bytes up to "acknowledgment" have arrived for the first time; "flight" are still on
 * their way. True: the segment that begins there is lost as well and must be sent again. */
bool kymo_tcp_congestion_acknowledged(struct kymo_tcp_congestion *congestion,
                                      uint32_t acknowledgment, uint32_t count, uint32_t flight);

/* An acknowledgement of "acknowledgment" came once more: a segment after a gap has arrived.
 * True: it is time to send the segment at the gap again. "highest" is the end of the bytes
 * sent. */
bool kymo_tcp_congestion_duplicate(struct kymo_tcp_congestion *congestion, uint32_t acknowledgment,
                                   uint32_t flight, uint32_t highest);

/* The retransmission timer has run out. */
void kymo_tcp_congestion_timeout(struct kymo_tcp_congestion *congestion, uint32_t flight,
                                 uint32_t highest);

KYMO_C_END

#endif
