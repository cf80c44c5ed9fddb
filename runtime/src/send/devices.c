/* SPDX-License-Identifier: MIT */
/* Device blocks on their way to the host: their records as they are. Each call looks at some of them in turn, as
 * far as its work goes. The writer is another core, and its memory may hold anything: of a block nothing is
 * believed that leads beyond its bytes. */
#include "../record/device.h"

#include "../ring/lane.h"
#include "../ring/ring.h"
#include "link.h"

#if KYMO_ENABLE && KYMO_DEVICES

/* Work to look at a device; to begin the packet that may follow. */
#define DEVICE_LOOK_WORK 90
#define DEVICE_LOOK_MORE_WORK (260 + KYMO_WORK_CLOCK * KYMO_CLOCK_CHANGES)
#define DEVICE_NAME_BYTES 24u
#define DEVICE_SITE_NAME_BYTES 64u
#define DEVICE_RECORD_BYTES 8u

/* Another core has stored the data before, and does not change it until it has been read. */
#define SEE_DEVICE() __atomic_thread_fence(__ATOMIC_ACQUIRE)
#define SHOW_DEVICE() __atomic_thread_fence(__ATOMIC_RELEASE)

/* The writer has started: where its ring lies. */
static void take_device_start(struct kymo_device_row *device, uint32_t starts) {
    struct kymo_device_block *block = device->block;
    const uint32_t capacity = block->capacity;
    device->starts = starts;
    device->self = block->self;
    device->capacity = capacity;
    device->read = 0u;
    device->damaged = capacity % DEVICE_RECORD_BYTES != 0u ||
                      capacity > device->bytes - (uint32_t)sizeof *block ||
                      block->version != KYMO_DEVICE_VERSION;
    device->news |= KYMO_DEVICE_STARTED | (device->damaged ? KYMO_DEVICE_DAMAGED : 0u);
    block->read = 0u;
    SHOW_DEVICE();
    block->read_of = starts;
}

/* It has something to say besides records. */
static bool device_tells(const struct kymo_devices_sent *all,
                         const struct kymo_device_row *device) {
    return device->round != all->round || device->names_sent < device->name_count ||
           device->news != 0u || KYMO_LOAD(device->pair_state) != KYMO_PAIR_NONE;
}

/* Its records go up to there, or around the ring's end. */
static bool device_may_be(const struct kymo_devices_sent *all, const struct kymo_device_row *device,
                          uint32_t to) {
    const bool wraps = to < device->read;
    return to <= device->capacity && to % DEVICE_RECORD_BYTES == 0u &&
           (!wraps || (all->wrapped <= device->capacity && all->wrapped >= device->read &&
                       all->wrapped % DEVICE_RECORD_BYTES == 0u));
}

/* Looks how far its records go. False: there is nothing to send. */
static bool look_at_device(struct kymo_devices_sent *all, struct kymo_device_row *device) {
    struct kymo_device_block *block = device->block;
    all->looked = kymo_arch_clock64();
    all->to = device->read;
    if (block->magic != KYMO_DEVICE_MAGIC) {
        device->since = all->looked;
        return device_tells(all, device);
    }
    SEE_DEVICE();
    if (block->starts != device->starts) {
        take_device_start(device, block->starts);
    }
    if (device->damaged) {
        return device_tells(all, device);
    }
    const uint32_t to = block->at - device->self;
    SEE_DEVICE();
    all->wrapped = block->wrapped;
    if (!device_may_be(all, device, to)) {
        device->damaged = true;
        device->news |= KYMO_DEVICE_DAMAGED;
        return true;
    }
    all->to = to;
    device->since = to == device->read ? all->looked : device->since;
    return to != device->read || device_tells(all, device);
}

static uint32_t device_flags(const struct kymo_devices_sent *all,
                             const struct kymo_device_row *device) {
    if (device->round == all->round && device->names_sent < device->name_count) {
        return KYMO_DEVICE_NAMED;
    }
    return (device->round != all->round ? KYMO_DEVICE_DESCRIBED : 0u) |
           (KYMO_ACQUIRE(device->pair_state) != KYMO_PAIR_NONE ? KYMO_DEVICE_PAIR : 0u) |
           device->news;
}

static const char *device_text(const struct kymo_device_row *device, uint32_t part) {
    return part == 0u ? device->device : device->core;
}

/* The records in one or two pieces, as many as the packet takes. */
static void plan_records(struct kymo_link *link) {
    struct kymo_devices_sent *all = &link->devices;
    const struct kymo_device_row *device = all->device;
    const uint32_t room = kymo_out_space(&link->out) / DEVICE_RECORD_BYTES * DEVICE_RECORD_BYTES;
    const bool wraps = all->to < device->read;
    const uint32_t first = (wraps ? all->wrapped : all->to) - device->read;
    const uint32_t second = wraps ? all->to : 0u;
    all->run_bytes[0] = first < room ? first : room;
    all->run_bytes[1] = second < room - all->run_bytes[0] ? second : room - all->run_bytes[0];
}

static void follow_records(struct kymo_link *link, uint32_t from, uint32_t bytes) {
    kymo_follow(link, (const uint8_t *)(link->devices.device->block + 1) + from, bytes);
}

static uint8_t *put_device_place(const struct kymo_device_row *device, uint8_t *at) {
    *at++ = device->sites;
    at = kymo_put_varint(at, device->x);
    at = kymo_put_varint(at, device->y);
    return kymo_put_varint(at, device->clock_hz);
}

enum device_part {
    PART_HEAD,
    PART_TIMES,
    PART_SINCE,
    PART_PLACE,
    PART_DEVICE,
    PART_CORE,
    PART_TICKS,
    PART_BEFORE,
    PART_NAMES,
    PART_FIRST,
    PART_SECOND,
    PART_PARTS
};

/* Names to the end of the packet, of which any fits a new one. */
static uint8_t *put_device_name(struct kymo_link *link, uint8_t *at) {
    struct kymo_device_row *device = link->devices.device;
    if (device->names_sent == device->name_count ||
        kymo_out_space(&link->out) < DEVICE_SITE_NAME_BYTES + 1u) {
        link->packet.next = PART_PARTS;
        return at;
    }
    link->packet.next = PART_NAMES + 1u; /* the next one, too */
    return kymo_put_text(link, at, device->names[device->names_sent++], DEVICE_SITE_NAME_BYTES);
}

static uint8_t *describe_device_names(struct kymo_link *link, uint8_t *at, uint32_t part) {
    const struct kymo_device_row *device = link->devices.device;
    if (part == PART_HEAD) {
        *at++ = KYMO_DEVICE_NAMED;
        at = kymo_put_varint(at, device->number);
        link->packet.next = PART_NAMES;
        return kymo_put_varint(at, device->names_sent);
    }
    return part < PART_PARTS ? put_device_name(link, at) : NULL;
}

static uint8_t *describe_device(struct kymo_link *link, uint8_t *at, uint32_t part) {
    struct kymo_devices_sent *all = &link->devices;
    struct kymo_device_row *device = all->device;
    const uint32_t flags = link->packet.flags;
    if (part >= PART_PLACE && part <= PART_CORE && (flags & KYMO_DEVICE_DESCRIBED) == 0u) {
        return at;
    }
    if (part >= PART_TICKS && part <= PART_BEFORE && (flags & KYMO_DEVICE_PAIR) == 0u) {
        return at;
    }
    switch ((enum device_part)part) {
    case PART_HEAD:
        *at++ = (uint8_t)flags;
        at = kymo_put_varint(at, device->number);
        return kymo_put_varint(at, device->carried);
    case PART_TIMES:
        at = kymo_put_varint(at, device->refused);
        return kymo_put_varint(at, all->now);
    case PART_SINCE:
        return kymo_put_varint(at, all->now - device->since);
    case PART_PLACE:
        return put_device_place(device, at);
    case PART_DEVICE:
    case PART_CORE:
        return kymo_put_text(link, at, device_text(device, part - PART_DEVICE), DEVICE_NAME_BYTES);
    case PART_TICKS:
        at = kymo_put_varint(at, device->pair_ticks);
        return kymo_put_varint(at, device->pair_within);
    case PART_BEFORE:
        return kymo_put_varint(at, device->pair_before);
    case PART_NAMES:
        plan_records(link);
        return at;
    case PART_FIRST:
        follow_records(link, device->read, all->run_bytes[0]);
        return at;
    case PART_SECOND:
        follow_records(link, 0u, all->run_bytes[1]);
        return at;
    default:
        return NULL;
    }
}

static void begin_device(struct kymo_link *link, struct kymo_device_row *device) {
    struct kymo_devices_sent *all = &link->devices;
    all->device = device;
    all->turn = false;
    all->now = kymo_arch_clock64();
    device->refused = device->block->refused;
    link->packet.flags = (uint8_t)device_flags(all, device);
    kymo_packet_begin(link, KYMO_PACKET_DEVICE,
                      (link->packet.flags & KYMO_DEVICE_NAMED) != 0u ? describe_device_names
                                                                     : describe_device);
}

enum kymo_step kymo_devices_begin(struct kymo_link *link, bool events_wait) {
    struct kymo_devices_sent *all = &link->devices;
    if ((events_wait && !all->turn) || all->first == NULL || !kymo_ring_is_current()) {
        return KYMO_STEP_DONE;
    }
    all->unseen = all->unseen == 0u ? all->count : all->unseen;
    while (all->unseen != 0u && link->out.work >= DEVICE_LOOK_WORK + DEVICE_LOOK_MORE_WORK) {
        struct kymo_device_row *device = all->at != NULL ? all->at : all->first;
        link->out.work -= DEVICE_LOOK_WORK;
        all->at = device->next;
        all->unseen--;
        if (look_at_device(all, device)) {
            begin_device(link, device);
            all->unseen = 0u;
            return KYMO_STEP_FURTHER;
        }
    }
    all->turn = all->turn && all->unseen != 0u;
    link->moved = link->moved || all->unseen != 0u;
    return all->unseen != 0u ? KYMO_STEP_WAIT : KYMO_STEP_DONE;
}

void kymo_devices_end(struct kymo_link *link) {
    struct kymo_devices_sent *all = &link->devices;
    struct kymo_device_row *device = all->device;
    if (link->packet.type != KYMO_PACKET_DEVICE || (link->packet.flags & KYMO_DEVICE_NAMED) != 0u) {
        return;
    }
    const uint32_t bytes = all->run_bytes[0] + all->run_bytes[1];
    const bool wraps = all->to < device->read && device->read + all->run_bytes[0] == all->wrapped;
    device->read = wraps ? all->run_bytes[1] : device->read + bytes;
    device->carried += bytes / DEVICE_RECORD_BYTES;
    device->since = device->read == all->to ? all->looked : device->since;
    if (bytes != 0u || wraps) {
        SHOW_DEVICE();
        device->block->read = device->read;
    }
    if ((link->packet.flags & KYMO_DEVICE_DESCRIBED) != 0u) {
        device->round = all->round;
        device->names_sent = 0u;
    }
    device->news &= (uint8_t)~link->packet.flags;
    if ((link->packet.flags & KYMO_DEVICE_PAIR) != 0u) {
        KYMO_PUBLISH(device->pair_state, KYMO_PAIR_NONE);
    }
}

bool kymo_devices_wait(const struct kymo_link *link) {
    for (const struct kymo_device_row *device = link->devices.first; device != NULL;
         device = device->next) {
        const struct kymo_device_block *block = device->block;
        if (device->round != link->devices.round || device->names_sent < device->name_count ||
            (block->magic == KYMO_DEVICE_MAGIC && !device->damaged &&
             (block->starts != device->starts || block->at - device->self != device->read))) {
            return true;
        }
    }
    return false;
}

#endif
