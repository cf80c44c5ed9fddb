/* SPDX-License-Identifier: MIT */
/* The firmware's other calls about sending: what waits, the end, and text. */
#include "../ring/lane.h"
#include "../ring/ring.h"
#include "link.h"

#if KYMO_ENABLE

/* The longest text, and the space before it for its encoding: its head, and all its codes. */
#define TEXT_BYTES (KYMO_PACKET_BYTES - 16u)
#define TEXT_AHEAD (KYMO_STUFFING_BYTES + 2u)

/* Calls that do not drain leave the work to the handler, so that they need little stack. */
static void raise_turned_away(struct kymo_link *link) {
    if (link->turned_away && link->transport->again != NULL) {
        link->transport->again(link->transport->context);
    }
}

/* An interrupting call returns at once. */
bool kymo_pending(void) {
    struct kymo_link *link = &kymo_link;
    if (link->transport == NULL) {
        return false;
    }
    if (!kymo_link_enter(link)) {
        return true;
    }
    const bool pending = link->owed != 0u || kymo_packet_is_owed(link) ||
                         !kymo_sites_introduced(link) || link->finish_asked || link->closing ||
                         kymo_events_waiting() || kymo_large_waits() || kymo_devices_wait(link) ||
                         !kymo_ring_is_current();
    kymo_link_leave(link);
    raise_turned_away(link);
    return pending;
}

void kymo_finish(void) {
    kymo_link.begin_final = kymo_final_begin;
    kymo_link.finish_asked = true;
}

/* The text waits in the free part of the buffer, so far ahead that encoding it cannot overwrite it. */
static void keep_text(struct kymo_link *link, const char *text, uint32_t length) {
    uint32_t at = link->out.write + TEXT_AHEAD;
    at -= at < KYMO_OUT_BYTES ? 0u : KYMO_OUT_BYTES;
    link->packet.of.text.at = (uint16_t)at;
    link->packet.of.text.left = (uint16_t)length;
    for (uint32_t i = 0u; i < length; i++) {
        link->out.bytes[at++] = (uint8_t)text[i];
        at = at < KYMO_OUT_BYTES ? at : 0u;
    }
}

bool kymo_print(const char *text, size_t length) {
    struct kymo_link *link = &kymo_link;
    const uint32_t bytes = text == NULL ? 0u : length < TEXT_BYTES ? (uint32_t)length : TEXT_BYTES;
    if (link->transport == NULL || !kymo_link_enter(link)) {
        return false;
    }
    const bool fits = link->packet.type == 0u &&
                      kymo_out_room(&link->out) >= TEXT_AHEAD + bytes + KYMO_OUT_END_ROOM;
    link->text_waits = !fits;
    link->quiet_ticks = 0u;
    if (fits) {
        keep_text(link, text, bytes);
        kymo_packet_begin(link, KYMO_PACKET_TEXT, kymo_describe_text);
    }
    kymo_link_leave(link);
    raise_turned_away(link);
    return fits;
}

#endif
