/* SPDX-License-Identifier: MIT */
#include "net_tcp_rtt.h"

#include "net_bytes.h"

void kymo_tcp_rtt_init(struct kymo_tcp_rtt *rtt) {
    kymo_put_zeros(rtt, sizeof *rtt);
    rtt->timeout_ms = KYMO_TCP_TIMEOUT_FIRST_MS;
}

void kymo_tcp_rtt_sent(struct kymo_tcp_rtt *rtt, uint32_t sequence, uint32_t now_ms) {
    if (!rtt->timing) {
        rtt->timing = true;
        rtt->sequence = sequence;
        rtt->since_ms = now_ms;
    }
}

static uint32_t within_bounds(uint32_t timeout_ms) {
    timeout_ms = timeout_ms < KYMO_TCP_TIMEOUT_LEAST_MS ? KYMO_TCP_TIMEOUT_LEAST_MS : timeout_ms;
    return timeout_ms > KYMO_TCP_TIMEOUT_MOST_MS ? KYMO_TCP_TIMEOUT_MOST_MS : timeout_ms;
}

/* Sections 2.2 and 2.3, with alpha 1/8, beta 1/4 and K 4. */
static void sample(struct kymo_tcp_rtt *rtt, uint32_t took_ms) {
    took_ms = took_ms > KYMO_TCP_TIMEOUT_MOST_MS ? KYMO_TCP_TIMEOUT_MOST_MS : took_ms;
    if (rtt->smoothed_8 == 0u) {
        rtt->smoothed_8 = took_ms * 8u + 1u;
        rtt->variation_4 = took_ms * 2u;
    } else {
        const uint32_t smoothed = rtt->smoothed_8 / 8u;
        const uint32_t off = smoothed > took_ms ? smoothed - took_ms : took_ms - smoothed;
        rtt->variation_4 += off - rtt->variation_4 / 4u;
        rtt->smoothed_8 += took_ms - smoothed;
    }
    rtt->timeout_ms = within_bounds(rtt->smoothed_8 / 8u + rtt->variation_4);
}

void kymo_tcp_rtt_acknowledged(struct kymo_tcp_rtt *rtt, uint32_t acknowledgment, uint32_t now_ms) {
    if (rtt->timing && kymo_reached(acknowledgment, rtt->sequence)) {
        rtt->timing = false;
        sample(rtt, now_ms - rtt->since_ms);
    }
}

void kymo_tcp_rtt_again(struct kymo_tcp_rtt *rtt) { rtt->timing = false; }

void kymo_tcp_rtt_back_off(struct kymo_tcp_rtt *rtt) {
    rtt->timeout_ms = within_bounds(rtt->timeout_ms * 2u);
}
