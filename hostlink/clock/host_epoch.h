/* SPDX-License-Identifier: MIT */
/* The host's clocks, as a recorder wrote them down in the stream. */
#ifndef HOSTLINK_HOST_EPOCH_H
#define HOSTLINK_HOST_EPOCH_H

#include <stdbool.h>
#include <stdint.h>

#include "wire/decode.h"

/* All zero is the start. */
struct host_epoch {
    uint64_t now_ns,
        now_unix_ns; /* monotonic, which may stand still while the host sleeps; and Unix time */
    uint64_t first_ns, first_unix_ns; /* both clocks at the first time */
    bool known;
};

/* A HOST_CLOCK packet. */
void host_epoch_take(struct host_epoch *host, struct reader *reader);
/* Unix time of now, as near as these packets say; 0 = unknown. */
int64_t host_epoch_unix_ns(const struct host_epoch *host);

#endif
