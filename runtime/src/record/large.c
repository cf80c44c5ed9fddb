/* SPDX-License-Identifier: MIT */
/* Large things: the sender takes a place, and then an id, in one step each; the drain sends them piece by piece,
 * straight from their bytes, in the order of their ids, and gives the places back. A sender that is preempted between
 * the id and the end of kymo_large_send() holds up those after it: ids on the wire rise, and equal those of events. */
#include "large.h"

#include "../ring/claim.h"
#include "../ring/ring.h"
#include "../send/link.h"

#if KYMO_ENABLE && KYMO_LARGE

_Static_assert(KYMO_LANES == 1 || !KYMO_CLAIM_ONE_LANE,
               "KYMO_LARGE with more than one lane needs atomic words, which this core lacks");

/* A place is free, then taken by the context that fills it, then visible to the one that drains. */
#define TAKEN 1u
#define WAITS 2u
/* Packets of events that go before the next piece, while they wait. */
#define EVENTS_BETWEEN 4u

struct kymo_larges kymo_larges;

static struct kymo_large_slot *take_slot(void) {
    for (uint32_t i = 0u; i < KYMO_LARGE; i++) {
        if (kymo_claim(&kymo_larges.slot[i].taken, 0u, TAKEN)) {
            return &kymo_larges.slot[i];
        }
    }
    (void)kymo_claim_add(&kymo_larges.refused, 1u);
    return NULL;
}

bool kymo_large_send(struct kymo_large *large) {
    if (large == NULL || (large->bytes == NULL && large->length != 0u)) {
        return false;
    }
    if (large->length > KYMO_LARGE_BYTES_MAX || KYMO_LOAD(large->state) == KYMO_LARGE_WAITING) {
        return false;
    }
    struct kymo_large_slot *slot = take_slot();
    if (slot == NULL) {
        return false;
    }
    slot->large = large;
    slot->bytes = large->bytes;
    slot->length = large->length;
    slot->id = kymo_claim_add(&kymo_larges.ids, 1u) + 1u;
    KYMO_STORE(large->cancelled, 0u);
    KYMO_STORE(large->state, KYMO_LARGE_WAITING);
    kymo_record_large(slot->id, large);
    KYMO_PUBLISH(slot->taken, WAITS);
    return true;
}

void kymo_large_cancel(struct kymo_large *large) {
    if (large != NULL) {
        KYMO_STORE(large->cancelled, 1u);
    }
}

enum kymo_large_state kymo_large_state(const struct kymo_large *large) {
    return large != NULL ? (enum kymo_large_state)KYMO_ACQUIRE(large->state) : KYMO_LARGE_IDLE;
}

/* ---- the side that drains ---- */

/* The one whose turn it is; NULL: no large thing waits, or its sender is not done with it. */
static struct kymo_large_slot *next_slot(void) {
    const uint32_t id = KYMO_LOAD(kymo_larges.ended) + 1u;
    for (uint32_t i = 0u; i < KYMO_LARGE; i++) {
        struct kymo_large_slot *slot = &kymo_larges.slot[i];
        if (KYMO_ACQUIRE(slot->taken) == WAITS && slot->id == id) {
            return slot;
        }
    }
    return NULL;
}

/* The next piece: as many bytes as the packet takes, sent from the caller's memory. */
static void piece(struct kymo_link *link) {
    struct kymo_large_sent *sent = &link->large;
    const uint32_t left = sent->slot->length - sent->offset;
    const uint32_t space = kymo_out_space(&link->out);
    const bool is_cancelled = (link->packet.flags & KYMO_LARGE_CANCELLED) != 0u;
    sent->bytes = (uint16_t)(is_cancelled ? 0u : left < space ? left : space);
    kymo_follow(link, (const uint8_t *)sent->slot->bytes + sent->offset, sent->bytes);
}

static uint8_t *describe_large(struct kymo_link *link, uint8_t *at, uint32_t part) {
    const struct kymo_large_slot *slot = link->large.slot;
    switch (part) {
    case 0u:
        *at++ = link->packet.flags;
        at = kymo_put_varint(at, slot->id);
        at = kymo_put_varint(at, slot->length);
        return kymo_put_varint(at, link->large.offset);
    case 1u:
        if ((link->packet.flags & KYMO_LARGE_FIRST) != 0u) {
            *at++ = slot->large->type;
            at = kymo_put_text(link, at, slot->large->name, KYMO_LARGE_NAME_BYTES);
        }
        return at;
    case 2u:
        piece(link);
        return at;
    default:
        return NULL;
    }
}

bool kymo_large_begin(struct kymo_link *link, bool events_wait) {
    struct kymo_large_sent *sent = &link->large;
    if ((events_wait && sent->events != 0u) || !kymo_ring_is_current()) {
        return false;
    }
    if (sent->slot == NULL) {
        link->out.work -= KYMO_WORK_LARGE * KYMO_LARGE;
        sent->slot = next_slot();
        sent->offset = 0u;
    }
    if (sent->slot == NULL) {
        return false;
    }
    sent->events = EVENTS_BETWEEN;
    link->packet.flags =
        (uint8_t)((sent->offset == 0u ? KYMO_LARGE_FIRST : 0u) |
                  (KYMO_LOAD(sent->slot->large->cancelled) != 0u ? KYMO_LARGE_CANCELLED : 0u));
    kymo_packet_begin(link, KYMO_PACKET_LARGE, describe_large);
    return true;
}

void kymo_large_end(struct kymo_link *link) {
    struct kymo_large_sent *sent = &link->large;
    if (link->packet.type != KYMO_PACKET_LARGE) {
        return;
    }
    struct kymo_large_slot *slot = sent->slot;
    struct kymo_large *large = slot->large;
    const bool is_cancelled = (link->packet.flags & KYMO_LARGE_CANCELLED) != 0u;
    sent->offset += sent->bytes;
    if (!is_cancelled && sent->offset != slot->length) {
        return;
    }
    sent->slot = NULL;
    KYMO_STORE(kymo_larges.ended, slot->id);
    KYMO_PUBLISH(slot->taken, 0u);
    KYMO_PUBLISH(large->state, is_cancelled ? KYMO_LARGE_GIVEN_UP : KYMO_LARGE_SENT);
    if (large->done != NULL) {
        large->done(large, !is_cancelled);
    }
}

bool kymo_large_waits(void) { return next_slot() != NULL; }

#endif
