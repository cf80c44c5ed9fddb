/* SPDX-License-Identifier: MIT */
#include "wire/guard.h"

#include <string.h>

#include "base/host_clock.h"
#include "wire/fields.h"
#include "wire/unpack.h"

#define COUNTER_BYTES 4u
#define COMMAND_MAX 16u
/* A board that reads its commands answers within this time. */
#define ANSWER_NS NS_PER_S

/* The board goes on refusing, more than can have been on the way, and has accepted nothing of ours
 * since its requirements are known. */
static bool is_refused(const struct guard *guard, uint64_t accepted, uint64_t now_ns) {
    return guard->first != 0 && accepted < guard->first &&
           guard->refused > guard->refused_first + guard->unsigned_sent &&
           now_ns - guard->first_ns >= ANSWER_NS;
}

void guard_answered(struct guard *guard, uint64_t refused, uint64_t accepted,
                    const uint8_t *challenge, uint64_t now_ns) {
    guard->refused = refused;
    if (!challenge) {
        guard->state = GUARD_CLOSED;
        return;
    }
    if (guard->state == GUARD_OPEN || guard->state == GUARD_CLOSED ||
        memcmp(guard->challenge, challenge, sizeof guard->challenge) != 0) {
        memcpy(guard->challenge, challenge, sizeof guard->challenge);
        guard->counter = 0;
        guard->first = 0;
    }
    /* Another host may have been faster; a larger number is no board's. */
    if (accepted > guard->counter && accepted <= UINT32_MAX) {
        guard->counter = (uint32_t)accepted;
    }
    guard->state = !guard->key                           ? GUARD_KEYLESS
                   : is_refused(guard, accepted, now_ns) ? GUARD_WRONG_KEY
                                                         : GUARD_SIGNING;
}

bool guard_may_speak(const struct guard *guard) {
    return guard->state != GUARD_CLOSED && guard->state != GUARD_KEYLESS;
}

const char *guard_cure(enum guard_state state) {
    switch (state) {
    case GUARD_CLOSED:
        return "build the board's image with COMMAND_KEY_FILE, and give --key FILE";
    case GUARD_KEYLESS:
    case GUARD_WRONG_KEY:
        return "give the key of the board's image by --key FILE";
    case GUARD_OPEN:
    case GUARD_SIGNING:
    default:
        return NULL;
    }
}

const char *guard_text(enum guard_state state) {
    switch (state) {
    case GUARD_CLOSED:
        return "over a network this board only sends, as its image has no key for commands: its "
               "parameters cannot be set, and its clock is not compared";
    case GUARD_KEYLESS:
        return "over a network this board obeys signed commands alone: give --key FILE to set its "
               "parameters and compare clocks";
    case GUARD_WRONG_KEY:
        return "the board refuses commands signed with this key: its image has another one";
    case GUARD_OPEN:
    case GUARD_SIGNING:
    default:
        return NULL;
    }
}

static size_t put(uint8_t *bytes, uint64_t value, unsigned count) {
    for (unsigned i = 0; i < count; i++) {
        bytes[i] = (uint8_t)(value >> (8 * i));
    }
    return count;
}

/* The challenge precedes the packet, as both are signed in one piece. 0: the text has no room. */
static size_t sign(struct guard *guard, uint8_t *text, size_t size, const uint8_t *command,
                   size_t length) {
    if (KYMO_CHALLENGE_BYTES + PACKET_HEAD_BYTES + COUNTER_BYTES + length + KYMO_SIPHASH_BYTES >
        size) {
        return 0;
    }
    uint8_t *packet = text + KYMO_CHALLENGE_BYTES;
    memcpy(text, guard->challenge, KYMO_CHALLENGE_BYTES);
    packet[0] = (uint8_t)(KYMO_WIRE_VERSION << KYMO_WIRE_VERSION_SHIFT | KYMO_PACKET_SIGNED);
    packet[1] = 0;
    size_t at =
        PACKET_HEAD_BYTES + put(packet + PACKET_HEAD_BYTES, ++guard->counter, COUNTER_BYTES);
    memcpy(packet + at, command, length);
    at += length;
    uint64_t signature = kymo_siphash(guard->key, text, KYMO_CHALLENGE_BYTES + at);
    return at + put(packet + at, signature, KYMO_SIPHASH_BYTES);
}

size_t guard_packet(struct guard *guard, uint8_t *out, size_t size, const uint8_t *command,
                    size_t length, uint64_t now_ns) {
    uint8_t text[KYMO_CHALLENGE_BYTES + PACKET_HEAD_BYTES + COUNTER_BYTES + COMMAND_MAX +
                 KYMO_SIPHASH_BYTES];
    if (guard->state == GUARD_OPEN) {
        guard->unsigned_sent++;
        return packet_encode(out, size, command, length);
    }
    if (!guard_may_speak(guard) || guard->counter == UINT32_MAX) {
        return 0;
    }
    const uint32_t before = guard->counter;
    const size_t signed_length = sign(guard, text, sizeof text, command, length);
    if (signed_length == 0) {
        return 0;
    }
    if (guard->first == 0) {
        guard->first = before + 1;
        guard->first_ns = now_ns;
        guard->refused_first = guard->refused;
    }
    return packet_encode(out, size, text + KYMO_CHALLENGE_BYTES, signed_length);
}

size_t guard_line(struct guard *guard, uint8_t *out, size_t size, const uint8_t *command,
                  size_t length, uint64_t now_ns) {
    if (size == 0 || length == 0) {
        return 0;
    }
    out[0] = 0;
    size_t framed = guard_packet(guard, out + 1, size - 1, command, length, now_ns);
    return framed == 0 ? 0 : framed + 1;
}
