/* SPDX-License-Identifier: MIT */
#include "wire/fields.h"

/* The identity is the last of the body, as the names before it may stop early. */
static uint32_t take_identity(struct reader *r) {
    if (r->bad || r->length - r->at < KYMO_IDENTITY_BYTES) {
        r->bad = true;
        return 0;
    }
    r->length -= KYMO_IDENTITY_BYTES;
    struct reader end = {
        .bytes = r->bytes, .length = r->length + KYMO_IDENTITY_BYTES, .at = r->length};
    return read_u32(&end);
}

void read_session(struct reader *r, struct session_packet *session) {
    session->id = read_u32(r);
    session->clock_hz = read_varint(r);
    session->ticks = read_varint(r);
    session->flags = read_u8(r);
    uint64_t sites = read_varint(r);
    session->sites = sites < UINT32_MAX ? (uint32_t)sites : UINT32_MAX;
    session->pointer_bytes = read_u8(r);
    session->image = read_string(r, &session->image_bytes);
    session->lanes = read_u8(r);
    session->identity = (session->flags & KYMO_SESSION_NAMES_IN_ELF) != 0 ? take_identity(r) : 0;
}

void read_status(struct reader *r, struct status_packet *status) {
    status->flags = read_u8(r);
    status->ticks = read_varint(r);
    status->lanes = read_u8(r);
}

uint64_t read_status_usage(struct reader *r, const struct status_packet *status) {
    if ((status->flags & KYMO_STATUS_UNKNOWN_LANE) != 0) {
        (void)read_varint(r);
    }
    const uint64_t usage = (status->flags & KYMO_STATUS_USAGE) != 0 ? read_varint(r) : 0;
    return r->bad ? 0 : usage;
}

void read_pong(struct reader *r, struct pong_packet *pong) {
    pong->cookie = read_u64(r);
    pong->ticks = read_varint(r);
    pong->answered = read_varint(r);
}

void read_board(struct reader *r, struct board_packet *board) {
    board->number = read_varint(r);
    board->bytes = read_varint(r);
    board->name = read_string(r, &board->name_bytes);
}

bool read_site(struct reader *r, struct site_entry *entry) {
    entry->kind = read_u8(r);
    entry->level = read_u8(r);
    uint8_t flags = read_u8(r);
    entry->line = (uint32_t)read_varint(r);
    entry->detail = (uint32_t)read_varint(r);
    entry->color = (uint32_t)read_varint(r);
    entry->cut = flags >> KYMO_SITE_CUT_SHIFT;
    entry->name = NULL;
    if ((flags & KYMO_SITE_HAS_NAME) != 0) {
        entry->name = read_string(r, &entry->name_bytes);
    }
    if ((flags & KYMO_SITE_SAME_FUNCTION) == 0) {
        entry->function = read_string(r, &entry->function_bytes);
    }
    if ((flags & KYMO_SITE_SAME_FILE) == 0) {
        entry->file = read_string(r, &entry->file_bytes);
    }
    return !r->bad;
}
