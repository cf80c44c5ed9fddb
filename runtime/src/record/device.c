/* SPDX-License-Identifier: MIT */
/* Device blocks: their announcement, and records for engines that report their work afterwards. */
#include "device.h"

#include "../ring/lane.h"
#include "../send/link.h"

#if KYMO_ENABLE && KYMO_DEVICES

void kymo_device(struct kymo_device_row *device) {
    struct kymo_devices_sent *all = &kymo_link.devices;
    struct kymo_device_row **last = all->first == NULL ? &all->first : all->last;
    if (device == NULL || device->block == NULL || device->bytes < 2u * sizeof *device->block) {
        return;
    }
    device->number = all->count++;
    device->round = (uint8_t)(all->round - 1u);
    device->next = NULL;
    *last = device;
    all->last = &device->next;
}

void kymo_device_clock_pair(struct kymo_device_row *device, uint32_t ticks, uint64_t before,
                            uint64_t after) {
    if (KYMO_ACQUIRE(device->pair_state) != KYMO_PAIR_NONE) {
        return;
    }
    const uint64_t within = after - before;
    device->pair_ticks = ticks;
    device->pair_before = before;
    device->pair_within = within < UINT32_MAX ? (uint32_t)within : UINT32_MAX;
    KYMO_PUBLISH(device->pair_state, KYMO_PAIR_WAITS);
}

/* Its site as a number of the device's. */
static uint32_t device_site_of(const struct kymo_site *site) {
    return kymo_wire_reference((uint32_t)(uintptr_t)site) << 2 & ~7u;
}

bool kymo_device_zone(struct kymo_device_row *device, const struct kymo_site *site, uint32_t begin,
                      uint32_t end) {
    struct kymo_device_block *block = device->block;
    if (!kymo_device_record(block, 16u, begin, device_site_of(site))) {
        return false;
    }
    kymo_device_put(block, end, KYMO_DEVICE_END);
    return true;
}

bool kymo_device_zone_queued(struct kymo_device_row *device, const struct kymo_site *site,
                             uint32_t submitted, uint32_t begin, uint32_t end) {
    struct kymo_device_block *block = device->block;
    if (!kymo_device_record(block, 24u, submitted, KYMO_DEVICE_QUEUED)) {
        return false;
    }
    kymo_device_put(block, begin, device_site_of(site));
    kymo_device_put(block, end, KYMO_DEVICE_END);
    return true;
}

#endif
