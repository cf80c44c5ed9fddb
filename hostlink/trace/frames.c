#include "trace/frames.h"

void read_session(struct reader *r, struct session_frame *session) {
    session->id = read_u32(r);
    session->clock_hz = read_varint(r);
    session->ticks = read_varint(r);
    session->flags = read_u8(r);
    (void)read_varint(r); /* sites */
    (void)read_u8(r);     /* bytes of a pointer */
    session->image = read_string(r, &session->image_bytes);
    session->lanes = read_u8(r);
}

void read_status(struct reader *r, struct status_frame *status) {
    status->flags = read_u8(r);
    status->ticks = read_varint(r);
    status->lanes = read_u8(r);
}

void read_pong(struct reader *r, struct pong_frame *pong) {
    pong->cookie = read_u64(r);
    pong->ticks = read_varint(r);
}

bool read_site(struct reader *r, struct site_entry *entry) {
    entry->kind = read_u8(r);
    entry->level = read_u8(r);
    uint8_t flags = read_u8(r);
    entry->line = (uint32_t)read_varint(r);
    entry->detail = (uint32_t)read_varint(r);
    entry->color = (uint32_t)read_varint(r);
    entry->name = NULL;
    if ((flags & SITE_HAS_NAME) != 0) {
        entry->name = read_string(r, &entry->name_bytes);
    }
    if ((flags & SITE_SAME_FUNCTION) == 0) {
        entry->function = read_string(r, &entry->function_bytes);
    }
    if ((flags & SITE_SAME_FILE) == 0) {
        entry->file = read_string(r, &entry->file_bytes);
    }
    return !r->bad;
}
