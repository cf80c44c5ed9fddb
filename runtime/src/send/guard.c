/* SPDX-License-Identifier: MIT */
#include "guard.h"

#include "kymo/arch.h"
#include "kymo/bytes.h"
#include "kymo/kymo.h"
#include "packet.h"

#if KYMO_ENABLE && KYMO_COMMANDS

#if KYMO_GUARD_KEYED

#include "kymo/siphash.h"

/* SIGNED: head, counter, the signed command with a head of its own, signature. */
#define COUNTER_AT 2u
#define COMMAND_AT 6u
#define SIGNED_LEAST_BYTES (COMMAND_AT + 2u + KYMO_SIPHASH_BYTES)

static const uint8_t key[] = {KYMO_COMMAND_KEY};
_Static_assert(sizeof key == KYMO_SIPHASH_KEY_BYTES,
               "KYMO_COMMAND_KEY must be 16 bytes, separated by commas");

static void put_word(uint8_t *bytes, uint64_t word) {
    for (uint32_t i = 0u; i < 8u; i++) {
        bytes[i] = (uint8_t)word;
        word >>= 8;
    }
}

/* The challenge, hashed with the key: an attacker that plays the board could have a challenge signed in advance if it
 * could foresee it. The zero after the number keeps this apart from all that is ever signed, which has a packet's
 * first byte there. The clock tells two sessions of one power-up apart. */
void kymo_guard_start(struct kymo_guard *guard, const struct kymo_transport *transport) {
    uint8_t seed[17];
    guard->refused = guard->accepted = 0u;
    if (transport == NULL || !transport->network || transport->read == NULL) {
        return;
    }
    put_word(seed, kymo_command_nonce());
    seed[8] = 0u;
    put_word(seed + 9, kymo_arch_clock64());
    put_word(guard->challenge, kymo_siphash(key, seed, sizeof seed));
}

/* In a time that does not depend on where they differ: the compiler must not know "difference". */
static bool are_equal(const uint8_t *a, const uint8_t *b) {
    uint32_t difference = 0u;
    for (uint32_t i = 0u; i < KYMO_SIPHASH_BYTES; i++) {
        difference |= (uint32_t)(a[i] ^ b[i]);
        __asm__("" : "+r"(difference));
    }
    return difference == 0u;
}

static bool is_signed(const struct kymo_guard *guard, const struct kymo_command *command) {
    uint8_t text[KYMO_CHALLENGE_BYTES + KYMO_COMMAND_BYTES];
    uint8_t signature[KYMO_SIPHASH_BYTES];
    uint32_t length = command->length - KYMO_SIPHASH_BYTES;
    kymo_put_bytes(text, guard->challenge, KYMO_CHALLENGE_BYTES);
    kymo_put_bytes(text + KYMO_CHALLENGE_BYTES, command->bytes, length);
    put_word(signature, kymo_siphash(key, text, KYMO_CHALLENGE_BYTES + length));
    return are_equal(signature, command->bytes + length);
}

static bool opens(struct kymo_guard *guard, struct kymo_command *command) {
    const uint8_t *bytes = command->bytes;
    if (command->length < SIGNED_LEAST_BYTES || command->length > KYMO_COMMAND_BYTES ||
        bytes[0] != (KYMO_WIRE_VERSION << KYMO_WIRE_VERSION_SHIFT | KYMO_PACKET_SIGNED) ||
        !is_signed(guard, command)) {
        return false;
    }
    uint32_t counter = (uint32_t)kymo_siphash_word(bytes + COUNTER_AT, 4u);
    if (counter <= guard->accepted) {
        return false; /* a repetition, or out of its order */
    }
    guard->accepted = counter;
    *command = (struct kymo_command){.bytes = bytes + COMMAND_AT,
                                     .length = command->length - COMMAND_AT - KYMO_SIPHASH_BYTES};
    return true;
}

#else

static bool opens(struct kymo_guard *guard, struct kymo_command *command) {
    (void)guard;
    (void)command;
    return false;
}

#endif

bool kymo_guard_admits(struct kymo_guard *guard, struct kymo_command *command) {
    if (opens(guard, command)) {
        return true;
    }
    guard->refused++;
    guard->news = true;
    return false;
}

#endif
