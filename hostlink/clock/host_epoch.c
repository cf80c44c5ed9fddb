/* SPDX-License-Identifier: MIT */
#include "clock/host_epoch.h"

void host_epoch_take(struct host_epoch *host, struct reader *r) {
    uint64_t now_ns = read_u64(r);
    uint64_t unix_ns = read_u64(r);
    if (r->bad) {
        return;
    }
    if (!host->known) {
        host->first_ns = now_ns;
        host->first_unix_ns = unix_ns;
    }
    host->known = true;
    host->now_ns = now_ns;
    host->now_unix_ns = unix_ns;
}

int64_t host_epoch_unix_ns(const struct host_epoch *host) {
    return host->first_unix_ns == 0
               ? 0
               : (int64_t)(host->first_unix_ns + (host->now_ns - host->first_ns));
}
