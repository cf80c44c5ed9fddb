/* SPDX-License-Identifier: MIT */
#include "trace/answers.h"

#include "kymo/wire.h"
#include "wire/fields.h"

void answer_pong(const struct pipeline_callbacks *callbacks, struct reader *r) {
    struct pong_packet pong;
    read_pong(r, &pong);
    if (!r->bad && callbacks->pong != NULL) {
        callbacks->pong(callbacks->context, pong.cookie, pong.ticks);
    }
}

void answer_param(const struct pipeline_callbacks *callbacks, struct names *names, uint32_t session,
                  struct reader *r) {
    uint64_t index = read_varint(r);
    int32_t value = (int32_t)read_u32(r);
    int32_t minimum = (int32_t)read_u32(r);
    int32_t maximum = (int32_t)read_u32(r);
    const struct site *site =
        r->bad || index >= WIRE_SITES ? NULL : names_site(names, session, (uint32_t)index);
    if (site != NULL && callbacks->param != NULL) {
        callbacks->param(callbacks->context, site->id, site->name, value, minimum, maximum);
    }
}

/* Without a key in the board's image the packet ends after the first number. */
void answer_guard(const struct pipeline_callbacks *callbacks, struct reader *r) {
    uint64_t refused = read_varint(r);
    bool keyed = r->at < r->length;
    uint64_t accepted = keyed ? read_varint(r) : 0;
    const uint8_t *challenge = keyed ? r->bytes + r->at : NULL;
    if (keyed && r->length - r->at < KYMO_CHALLENGE_BYTES) {
        return;
    }
    if (!r->bad && callbacks->guard != NULL) {
        callbacks->guard(callbacks->context, refused, accepted, challenge);
    }
}
