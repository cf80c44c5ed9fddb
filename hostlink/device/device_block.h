/* SPDX-License-Identifier: MIT */
/* One device block, as the host sees it. Private to hostlink/device. */
#ifndef HOSTLINK_DEVICE_BLOCK_H
#define HOSTLINK_DEVICE_BLOCK_H

#include "device/devices.h"

/* Zones beyond are left out, begins and ends. */
#define DEVICE_DEPTH_MAX 4096u

/* The place of its sites' names, as kymo/devices.h numbers it. */
enum { DEVICE_SITES_IN_ELF, DEVICE_SITES_SENT, DEVICE_SITES_OWN };

struct device_zone {
    const struct site *site;
    int64_t start_ns, inner_ns;
};

struct device_block {
    uint32_t session, number;
    bool described, announced, seen, started, damaged;
    uint8_t sites; /* DEVICE_SITES_IN_ELF ... */
    struct device device;
    struct track track, queue; /* the latter: for submitted work that waits, once there was any */
    struct device_clock clock;
    uint64_t next;    /* number of the record expected */
    uint64_t lost;    /* before it, not shown yet */
    uint64_t refused; /* as the writer last reported */
    uint64_t refused_shown;
    const char **names; /* sent, NULL: not come */
    uint32_t name_count;
    uint32_t core; /* number of its name */
    struct device_zone *open;
    uint32_t depth, capacity, beyond;
    int64_t last_ns;
    const struct site *value; /* of which the number comes next, or NULL */
    int64_t value_ns;
    bool queued;                 /* the next zone was submitted at queued_ns */
    int64_t queued_ns, queue_ns; /* the latter: of the last event of the queue's row */
};

/* Type of a record, from bits 2..0 of its second word. */
enum device_record {
    RECORD_BEGIN,
    RECORD_END,
    RECORD_EVENT,
    RECORD_VALUE,
    RECORD_RUN,
    RECORD_QUEUED,
    RECORD_DATA
};

/* The site that a record names. NULL: no memory. */
const struct site *device_site(struct devices *devices, struct device_block *block, uint32_t number,
                               enum device_record record);
/* One record of a described block. 0, -ENOMEM, or the value of the event callback. */
int device_record(struct devices *devices, struct device_block *block, uint32_t first,
                  uint32_t second, const struct device_span *span);
/* Records are missing up to here: open zones have no known end. */
int device_lost(struct devices *devices, struct device_block *block, int64_t time_ns,
                uint64_t count, enum gap_cause cause);
/* All open zones end. */
int device_close(struct devices *devices, struct device_block *block, enum zone_repair why);
/* Its row, before its first event. */
int device_announce(struct devices *devices, struct device_block *block, int64_t time_ns);

#endif
