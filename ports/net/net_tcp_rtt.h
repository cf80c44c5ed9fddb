/* SPDX-License-Identifier: MIT */
/* How long to wait for an acknowledgement: the retransmission timeout of RFC 6298, in whole
 * milliseconds. */
#ifndef KYMO_NET_TCP_RTT_H
#define KYMO_NET_TCP_RTT_H

#include <stdbool.h>
#include <stdint.h>

#include "kymo/language.h"

KYMO_C_BEGIN

/* RFC 6298 says 1 s at least and, if anything, 60 s at most. That is for machines with memory
 * for the data made meanwhile; here a second of waiting is a hole in the trace. The lower end is
 * above the time for which receivers may hold an acknowledgement back (200 ms in Linux), the upper
 * one costs a lost network one frame in four seconds. */
#define KYMO_TCP_TIMEOUT_LEAST_MS 250u
#define KYMO_TCP_TIMEOUT_MOST_MS 4000u
#define KYMO_TCP_TIMEOUT_FIRST_MS 1000u /* section 2.1 */

struct kymo_tcp_rtt {
    uint32_t smoothed_8;  /* SRTT, in eighths of a millisecond; 0 before the first sample */
    uint32_t variation_4; /* RTTVAR, in quarters */
    uint32_t timeout_ms;
    bool timing; /* one segment at a time is timed, the one that ends at "sequence" */
    uint32_t sequence;
    uint32_t since_ms;
};

void kymo_tcp_rtt_init(struct kymo_tcp_rtt *rtt);

/* A segment that ends at "sequence" is sent for the first time. */
void kymo_tcp_rtt_sent(struct kymo_tcp_rtt *rtt, uint32_t sequence, uint32_t now_ms);

/* All before "acknowledgment" has arrived. */
void kymo_tcp_rtt_acknowledged(struct kymo_tcp_rtt *rtt, uint32_t acknowledgment, uint32_t now_ms);

/* A segment is sent again: the timed one may be that one (Karn's algorithm, section 3). */
void kymo_tcp_rtt_again(struct kymo_tcp_rtt *rtt);

/* The timeout has passed: the next one is twice as long (section 5.5). */
void kymo_tcp_rtt_back_off(struct kymo_tcp_rtt *rtt);

KYMO_C_END

#endif
