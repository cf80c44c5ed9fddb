/* SPDX-License-Identifier: MIT */
/* Device blocks (runtime/DEVICE.md): kymo_drain() sends the records of a core or an engine without kymo.
 * Needs KYMO_DEVICES 1. */
#ifndef KYMO_DEVICES_H
#define KYMO_DEVICES_H

#include "kymo/device.h"
#include "kymo/kymo.h"

KYMO_C_BEGIN

/* A row of the timeline: one writer and its block. Rows whose "device" is equal are shown together, ordered
 * by y, x and their announcement. The structure, its strings and the block belong to the firmware and stay for
 * ever; the members after "names" start with 0. */
struct kymo_device_row {
    struct kymo_device_block *block;
    uint32_t bytes;     /* of the block's memory */
    const char *device; /* "npu 0"; cut to 24 bytes */
    const char *core;   /* "brisc", "dma"; cut to 24 bytes */
    uint32_t x, y;      /* its place */
    uint32_t
        clock_hz;  /* of its own clock; 0: it reads the clock of the events, or its low 32 bits */
    uint8_t sites; /* enum kymo_device_sites */
    uint16_t name_count;      /* with KYMO_DEVICE_NAMES_SENT */
    const char *const *names; /* of sites 0, 1, ...; cut to 64 bytes */
    /* Private to kymo. */
    struct kymo_device_row *next;
    uint64_t carried, since, pair_before;
    uint32_t number, starts, self, capacity, read, refused, pair_ticks, pair_within;
    uint16_t names_sent;
    uint8_t round, pair_state, news;
    bool damaged;
};
/* Where the names of its sites are. */
enum kymo_device_sites {
    KYMO_DEVICE_NAMES_IN_ELF = 0, /* in the device's program: hostlink --elf NAME=FILE */
    KYMO_DEVICE_NAMES_SENT = 1,   /* in "names", which kymo_drain() sends */
    KYMO_DEVICE_NAMES_OWN = 2     /* they are sites of this image: kymo_device_zone() */
};

/* Announces a block: from here on kymo_drain() sends its records. The device may start before or later.
 * Once for each block, where you call kymo_drain(). */
#if KYMO_ENABLE
void kymo_device(struct kymo_device_row *device) KYMO_NOEXCEPT;
/* The device's clock showed "ticks" (the low 32 bits) between two readings of this core's, kymo_arch_clock64() of
 * kymo/arch.h.
 * The host then knows the device's times to half of the distance between the two. Record some at the start and one
 * or more a second; of those between two packets of the device the first is sent. One context, any. */
void kymo_device_clock_pair(struct kymo_device_row *device, uint32_t ticks, uint64_t before,
                            uint64_t after) KYMO_NOEXCEPT;
/* Records a zone of an engine that reports its work afterwards, by a completion interrupt or a command queue, in
 * ticks of its clock. "site" is one of this image. Its block is in this core's memory, kymo_device_start() was
 * called there, and one context writes to it. 16 bytes. Returns false if there was no room, which is counted. The
 * second also has the time when the work was submitted to the engine's queue, less than half a wrap of its clock ago:
 * 24 bytes. */
bool kymo_device_zone(struct kymo_device_row *device, const struct kymo_site *site, uint32_t begin,
                      uint32_t end) KYMO_NOEXCEPT;
bool kymo_device_zone_queued(struct kymo_device_row *device, const struct kymo_site *site,
                             uint32_t submitted, uint32_t begin, uint32_t end) KYMO_NOEXCEPT;
#else
#define kymo_device(device) KYMO_OFF_(device)
#define kymo_device_clock_pair(device, ticks, before, after)                                       \
    KYMO_OFF_4_(device, ticks, before, after)
#define kymo_device_zone(device, site, begin, end)                                                 \
    (KYMO_OFF_4_(device, site, begin, end), kymo_off_false())
#define kymo_device_zone_queued(device, site, submitted, begin, end)                               \
    (KYMO_OFF_(submitted), KYMO_OFF_4_(device, site, begin, end), kymo_off_false())
#endif

KYMO_C_END

#endif
