/* SPDX-License-Identifier: MIT */
/* DEVICE packets: finds the block, its known facts and its missing records. */
#include "device/devices.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "device/device_block.h"
#include "kymo/wire.h"

#define BLOCKS_MAX 65536u
#define NAMES_MAX 65536u
/* A packet that claims more earlier records is not of a board. */
#define RECORDS_MAX (UINT64_C(1) << 56)
#define RECORD_BYTES 8u
/* Pairs of clocks may come with each packet. */
#define PAIR_WINDOW_NS INT64_C(1000000)

struct device_packet {
    uint8_t flags;
    uint64_t number, first, refused;
    struct device_span span;
};

static const struct device_block *known_block(const struct devices *d, uint32_t number) {
    const uint64_t key = (uint64_t)d->session << 32 | number;
    if (d->known == NULL) {
        return NULL;
    }
    struct intmap numbers = d->known->numbers; /* a look-up counts its steps */
    const uint32_t found = intmap_get(&numbers, key);
    return found != 0 ? d->known->list[found - 1] : NULL;
}

static bool reserve(struct devices *d) {
    return grow(&d->list, &d->capacity, d->count, sizeof *d->list);
}

/* NULL: no memory. */
static struct device_block *make(struct devices *d, uint32_t number) {
    struct device_block *b = reserve(d) ? calloc(1, sizeof *b) : NULL;
    if (b == NULL ||
        intmap_add(&d->numbers, (uint64_t)d->session << 32 | number, d->count + 1) != 0) {
        free(b);
        return NULL;
    }
    b->session = d->session;
    b->number = number;
    d->list[d->count++] = b;
    return b;
}

/* Sets up its row, as far as the description says. */
static int describe(struct devices *d, struct device_block *b, const struct device *device,
                    uint8_t sites) {
    char name[sizeof "0123456789/" + 512];
    const int64_t core = keytable_add(&d->cores, device->core, strlen(device->core));
    snprintf(name, sizeof name, "%u/%.500s", d->session, device->name);
    const int64_t group = keytable_add(&d->groups, name, strlen(name));
    snprintf(name, sizeof name, "%u,%u %.64s", device->x, device->y, device->core);
    const char *row = names_text(d->to.names, name, strlen(name));
    if (core < 0 || group < 0 || row == NULL) {
        return -ENOMEM;
    }
    b->core = (uint32_t)core;
    b->sites = sites;
    b->device = *device;
    b->device.number = (uint32_t)group;
    b->clock.hz = device->hz;
    b->clock.board_hz = d->board_hz;
    b->clock.learnt.window_ns = PAIR_WINDOW_NS;
    b->track = (struct track){.id = d->to.row(d->to.context),
                              .core = WIRE_LANES + b->number,
                              .session = d->session,
                              .kind = KYMO_CONTEXT_TASK,
                              .name = row,
                              .device = &b->device};
    b->device.engine = b->clock.late = sites == DEVICE_SITES_OWN;
    b->described = true;
    d->totals.blocks++;
    return 0;
}

static const char *text(struct devices *d, const char *bytes, size_t length) {
    return names_text(d->to.names, bytes != NULL ? bytes : "", bytes != NULL ? length : 0);
}

static int take_description(struct devices *d, struct device_block *b, struct reader *r) {
    struct device device = {0};
    size_t lengths[2] = {0, 0};
    const uint8_t sites = read_u8(r);
    device.x = (uint32_t)read_varint(r);
    device.y = (uint32_t)read_varint(r);
    device.hz = read_varint(r);
    const char *name = read_string(r, &lengths[0]);
    const char *core = read_string(r, &lengths[1]);
    if (r->bad || b->described) {
        return 0;
    }
    device.name = text(d, name, lengths[0]);
    device.core = text(d, core, lengths[1]);
    return device.name == NULL || device.core == NULL ? -ENOMEM : describe(d, b, &device, sites);
}

/* Uses the results of an earlier pass from the start. */
static int take_known(struct devices *d, struct device_block *b) {
    const struct device_block *known = known_block(d, b->number);
    if (known == NULL || !known->described) {
        return 0;
    }
    b->names = known->name_count == 0 ? NULL : malloc(known->name_count * sizeof *b->names);
    if (b->names != NULL) {
        memcpy(b->names, known->names, known->name_count * sizeof *b->names);
        b->name_count = known->name_count;
    }
    b->clock.known = &known->clock.learnt;
    struct device device = known->device;
    device.run = device.ticks = 0;
    device.in_run = false;
    device.bound_ns = 0;
    device.queue = NULL;
    device.restarts = device.clock_restarts = 0;
    return known->name_count != 0 && b->names == NULL ? -ENOMEM
                                                      : describe(d, b, &device, known->sites);
}

/* NULL with *error 0: more than are kept. */
static struct device_block *block_of(struct devices *d, uint64_t number, int *error) {
    const uint64_t key = (uint64_t)d->session << 32 | number;
    const uint32_t found = number < BLOCKS_MAX ? intmap_get(&d->numbers, key) : 0;
    if (found != 0) {
        return d->list[found - 1];
    }
    if (number >= BLOCKS_MAX || d->count >= BLOCKS_MAX) {
        return NULL;
    }
    struct device_block *b = make(d, (uint32_t)number);
    *error = b == NULL ? -ENOMEM : take_known(d, b);
    return b;
}

/* Order of rows by their places, if they are known: the first packet of a session shows them all. */
static int by_place(const void *left, const void *right) {
    const struct device_block *a = *(const struct device_block *const *)left;
    const struct device_block *b = *(const struct device_block *const *)right;
    const struct device *p = &a->device, *q = &b->device;
    return p->number != q->number ? (p->number < q->number ? -1 : 1)
           : p->y != q->y         ? (p->y < q->y ? -1 : 1)
           : p->x != q->x         ? (p->x < q->x ? -1 : 1)
                                  : (a->number < b->number ? -1 : 1);
}

static int announce_known(struct devices *d) {
    const struct device_block **list = malloc((d->known->count + 1u) * sizeof *list);
    uint32_t count = 0;
    for (uint32_t i = 0; list != NULL && i < d->known->count; i++) {
        const struct device_block *known = d->known->list[i];
        if (known->session == d->session && known->described) {
            list[count++] = known;
        }
    }
    if (count != 0) {
        qsort(list, count, sizeof *list, by_place);
    }
    int error = list != NULL ? 0 : -ENOMEM;
    for (uint32_t i = 0; i < count && error == 0; i++) {
        struct device_block *b = block_of(d, list[i]->number, &error);
        if (b != NULL && error == 0) {
            error = device_announce(d, b, d->to.ns(d->to.context, 0));
        }
    }
    free(list);
    d->known_announced = true;
    return error;
}

static int take_names(struct devices *d, struct device_block *b, struct reader *r) {
    uint64_t at = read_varint(r);
    while (r->at < r->length && !r->bad && at < NAMES_MAX) {
        size_t length = 0;
        const char *bytes = read_string(r, &length);
        if (r->bad) {
            break;
        }
        if (!grow_zeroed(&b->names, &b->name_count, at, sizeof *b->names)) {
            return -ENOMEM;
        }
        b->names[at] = text(d, bytes, length);
        if (b->names[at++] == NULL) {
            return -ENOMEM;
        }
    }
    return 0;
}

static int take_pair(struct device_block *b, struct reader *r) {
    const uint32_t ticks = (uint32_t)read_varint(r);
    const uint64_t within = read_varint(r);
    const uint64_t before = read_varint(r);
    const struct device_span span = {before, before + within};
    return r->bad || !b->described || b->clock.hz == 0 ? 0
                                                       : device_clock_pair(&b->clock, ticks, &span);
}

/* The writer started again: what it had open has no ends. */
static int restart(struct devices *d, struct device_block *b) {
    const int error = b->seen ? device_close(d, b, ZONE_END_OPEN) : 0;
    device_clock_restart(&b->clock);
    b->device.run = 0;
    b->device.in_run = false;
    b->device.restarts += b->started || b->next != 0;
    b->started = true;
    b->refused = b->refused_shown = 0;
    return error;
}

/* The time of the end of a packet without a record, by the clock's current state. */
static int show_losses(struct devices *d, struct device_block *b,
                       const struct device_packet *packet) {
    int error = 0;
    if (b->lost != 0) {
        const int64_t until = d->to.ns(d->to.context, packet->span.since);
        error = device_lost(d, b, until, b->lost, GAP_LINK);
        b->lost = 0;
    }
    if (error == 0 && b->refused > b->refused_shown) {
        const uint64_t refused = b->refused - b->refused_shown;
        d->totals.refused += refused;
        error = device_lost(d, b, b->last_ns, refused, GAP_RING_FULL);
        b->refused_shown = b->refused;
    }
    return error;
}

static int take_records(struct devices *d, struct device_block *b,
                        const struct device_packet *packet, struct reader *r) {
    const uint64_t count = (r->length - r->at) / RECORD_BYTES;
    if (packet->first >= RECORDS_MAX || packet->first < b->next) {
        return 0; /* a copy */
    }
    if (b->seen || packet->first != 0) {
        b->lost += packet->first - b->next;
        d->totals.lost += packet->first - b->next;
    }
    b->seen = true;
    b->next = packet->first + count;
    d->totals.records += count;
    if (!b->described) {
        d->totals.undescribed += count;
        return 0;
    }
    int error = b->lost != 0 ? show_losses(d, b, packet) : 0;
    for (uint64_t i = 0; i < count && error == 0; i++) {
        const uint32_t first = read_u32(r);
        error = device_record(d, b, first, read_u32(r), &packet->span);
        if (error == 0 && (i <= 1 || i + 1 == count)) {
            error = device_clock_bound(&b->clock, &packet->span);
        }
    }
    b->refused = packet->refused;
    return error != 0 ? error : show_losses(d, b, packet);
}

int devices_take(struct devices *d, struct reader *r) {
    struct device_packet packet = {.flags = read_u8(r)};
    packet.number = read_varint(r);
    int error = d->known != NULL && !d->known_announced ? announce_known(d) : 0;
    if (error != 0) {
        return error;
    }
    struct device_block *b = r->bad ? NULL : block_of(d, packet.number, &error);
    if (b == NULL || error != 0) {
        return error;
    }
    if ((packet.flags & KYMO_DEVICE_NAMED) != 0) {
        return take_names(d, b, r);
    }
    packet.first = read_varint(r);
    packet.refused = read_varint(r);
    packet.span.now = read_varint(r);
    const uint64_t ago = read_varint(r);
    packet.span.since = ago < packet.span.now ? packet.span.now - ago : 0;
    if (!r->bad && (packet.flags & KYMO_DEVICE_DESCRIBED) != 0) {
        error = take_description(d, b, r);
    }
    if (!r->bad && error == 0 && (packet.flags & KYMO_DEVICE_STARTED) != 0 &&
        packet.first >= b->next) {
        error = restart(d, b);
    }
    if (!r->bad && error == 0 && (packet.flags & KYMO_DEVICE_PAIR) != 0) {
        error = take_pair(b, r);
    }
    d->totals.damaged += !b->damaged && (packet.flags & KYMO_DEVICE_DAMAGED) != 0;
    b->damaged = b->damaged || (packet.flags & KYMO_DEVICE_DAMAGED) != 0;
    return r->bad || error != 0 ? error : take_records(d, b, &packet, r);
}

void devices_session(struct devices *d, uint32_t session, uint64_t board_hz) {
    d->session = session;
    d->known_announced = false;
    d->board_hz = board_hz != 0 ? board_hz : UINT64_C(1000000000);
}

int devices_end(struct devices *d) {
    int error = 0;
    for (uint32_t i = 0; i < d->count && error == 0; i++) {
        struct device_block *b = d->list[i];
        if (b->session == d->session && b->described) {
            error = device_close(d, b, ZONE_END_OPEN);
        }
    }
    return error;
}

int devices_settle(struct devices *d) {
    int error = 0;
    for (uint32_t i = 0; i < d->count && error == 0; i++) {
        struct device_clock *clock = &d->list[i]->clock;
        error = clock->known == NULL ? host_fit_settle(&clock->learnt) : 0;
    }
    return error;
}

void devices_free(struct devices *d) {
    for (uint32_t i = 0; i < d->count; i++) {
        struct device_block *b = d->list[i];
        host_fit_free(&b->clock.learnt);
        free(b->names);
        free(b->open);
        free(b);
    }
    for (uint32_t i = 0; i < d->site_count; i++) {
        free(d->sites[i]);
    }
    free(d->list);
    free(d->sites);
    intmap_free(&d->numbers);
    intmap_free(&d->site_numbers);
    keytable_free(&d->groups);
    keytable_free(&d->cores);
}
