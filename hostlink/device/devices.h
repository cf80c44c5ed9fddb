/* SPDX-License-Identifier: MIT */
/* Device blocks (runtime/DEVICE.md): turns the DEVICE packets of a board into events of the devices' own rows. */
#ifndef HOSTLINK_DEVICES_H
#define HOSTLINK_DEVICES_H

#include "device/device_clock.h"
#include "model/event.h"
#include "model/names.h"
#include "wire/decode.h"

/* Another source of the names of a device's sites: the device's own ELF file. */
struct device_names {
    void *context;
    /* False: it has no such site. Strings are the owner's. */
    bool (*find)(void *context, const struct device *device, uint32_t site,
                 struct site_entry *entry);
};

/* Receiver of the events, and the board's clock. */
struct devices_to {
    struct names *names;
    void *context;
    int (*event)(void *context, struct event *event);
    int64_t (*ns)(void *context, uint64_t ticks); /* of the board */
    uint32_t (*row)(void *context);               /* the number of another row */
    uint64_t (*flow)(void *context);              /* and of another flow */
};

struct device_totals {
    uint32_t blocks, damaged; /* that were described; that said what cannot be */
    uint64_t records, lost;   /* that came; that were lost on the way */
    uint64_t refused;         /* by their writers, for want of room */
    uint64_t undescribed;     /* records of blocks whose description did not come */
    uint64_t back, restarts;  /* times before the previous one; restarts of a clock */
    uint64_t unsure;          /* records that are of one of several wraps of the clock */
    uint64_t repairs;         /* ends without zones, zones without ends, unknown records */
    uint64_t nameless;        /* sites without names */
    char nameless_of[128];    /* DEVICE/CORE of one */
    int64_t bound_ns;         /* the greatest error of a clock */
};

struct device_block;

/* All zero but "to" is the start. */
struct devices {
    struct devices_to to;
    const struct device_names *names;
    const struct devices *known; /* of an earlier pass, or NULL */
    uint32_t session;            /* that runs */
    bool known_announced;        /* what an earlier pass knows of it was announced */
    uint64_t board_hz;
    struct device_block **list;
    uint32_t count, capacity;
    struct intmap numbers;  /* in "list", + 1, by session and number */
    struct keytable groups; /* by session and name */
    struct keytable cores;
    struct site **sites;
    uint32_t site_count, site_capacity;
    struct intmap site_numbers; /* in "sites", + 1, by core, number and kind of record */
    struct device_totals totals;
};

/* Another session begins; "board_hz" is the rate of its clock, 0: it is not known. */
void devices_session(struct devices *devices, uint32_t session, uint64_t board_hz);
/* The body of a DEVICE packet. 0, -ENOMEM, or the value of the event callback. */
int devices_take(struct devices *devices, struct reader *reader);
/* The session is over: ends everything that is open. */
int devices_end(struct devices *devices);
/* For a later pass, which must end before this is freed. 0 or -ENOMEM. */
int devices_settle(struct devices *devices);
void devices_free(struct devices *devices);

#endif
