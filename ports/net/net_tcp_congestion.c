/* SPDX-License-Identifier: MIT */
#include "net_tcp_congestion.h"

#include "net_bytes.h"

#define DUPLICATES_OF_LOSS 3u
/* Windows are not scaled, so more than this is never on its way. */
#define MOST_BYTES 65535u

static uint32_t most(uint32_t a, uint32_t b) { return a > b ? a : b; }
static uint32_t least(uint32_t a, uint32_t b) { return a < b ? a : b; }

void kymo_tcp_congestion_init(struct kymo_tcp_congestion *congestion, uint32_t mss,
                              uint32_t sequence) {
    kymo_put_zeros(congestion, sizeof *congestion);
    congestion->mss = mss;
    congestion->threshold = MOST_BYTES;
    congestion->recover = sequence;
    /* RFC 6928 section 2, the initial window */
    congestion->window = least(10u * mss, most(2u * mss, 14600u));
}

static void grow(struct kymo_tcp_congestion *congestion, uint32_t count) {
    if (congestion->window < congestion->threshold) {
        congestion->window += least(count, congestion->mss);
    } else {
        congestion->counted += count;
        if (congestion->counted >= congestion->window) {
            congestion->counted -= congestion->window;
            congestion->window += congestion->mss;
        }
    }
    congestion->window = least(congestion->window, MOST_BYTES);
}

bool kymo_tcp_congestion_acknowledged(struct kymo_tcp_congestion *congestion,
                                      uint32_t acknowledgment, uint32_t count, uint32_t flight) {
    congestion->duplicates = 0u;
    if (!congestion->recovering) {
        grow(congestion, count);
        return false;
    }
    /* RFC 6582 section 3.2, step 3 */
    if (kymo_reached(acknowledgment, congestion->recover)) {
        congestion->window =
            least(congestion->threshold, most(flight, congestion->mss) + congestion->mss);
        congestion->recovering = false;
        return false;
    }
    congestion->window -= least(count, congestion->window);
    congestion->window += congestion->mss;
    return true;
}

static uint32_t half_of(const struct kymo_tcp_congestion *congestion, uint32_t flight) {
    return most(flight / 2u, 2u * congestion->mss);
}

bool kymo_tcp_congestion_duplicate(struct kymo_tcp_congestion *congestion, uint32_t acknowledgment,
                                   uint32_t flight, uint32_t highest) {
    if (congestion->recovering) {
        congestion->window = least(congestion->window + congestion->mss, MOST_BYTES);
        return false;
    }
    if (congestion->duplicates < DUPLICATES_OF_LOSS) {
        congestion->duplicates++;
    }
    /* With few segments on their way there are not three to be acknowledged out of order: RFC
     * 5827. */
    const uint32_t segments = (flight + congestion->mss - 1u) / congestion->mss;
    const uint32_t enough =
        segments > DUPLICATES_OF_LOSS ? DUPLICATES_OF_LOSS : most(segments, 2u) - 1u;
    if (congestion->duplicates < enough || !kymo_reached(acknowledgment, congestion->recover)) {
        return false;
    }
    congestion->threshold = half_of(congestion, flight);
    congestion->window = congestion->threshold + congestion->duplicates * congestion->mss;
    congestion->recover = highest;
    congestion->recovering = true;
    return true;
}

void kymo_tcp_congestion_timeout(struct kymo_tcp_congestion *congestion, uint32_t flight,
                                 uint32_t highest) {
    congestion->threshold = half_of(congestion, flight);
    congestion->window = congestion->mss;
    congestion->counted = 0u;
    congestion->duplicates = 0u;
    congestion->recovering = false;
    congestion->recover = highest;
}
