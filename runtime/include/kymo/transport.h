/* The contract between the runtime and a transport: bytes out, bytes in, never waiting. */
#ifndef KYMO_TRANSPORT_H
#define KYMO_TRANSPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kymo/language.h"

struct kymo_transport {
    /* Takes up to "length" bytes now and returns how many; 0 when it has no room. Must not wait. */
    size_t (*write)(void *context, const uint8_t *bytes, size_t length);
    /* Gives up to "length" received bytes and returns how many; 0 when there are none. NULL for a
     * one-way transport, which then repeats the names. Must not wait. */
    size_t (*read)(void *context, uint8_t *bytes, size_t length);
    void *context;
    /* True where the other end may be anybody who reaches the board over a network. Commands from there
     * are refused, or must be signed: see KYMO_COMMAND_KEY. "read" is called all the same. */
    bool network;
};

/* A transport of the board's own, not of a network. Field by field: see bytes.h. */
static inline KYMO_NO_FUNCTION void kymo_transport_set(
    struct kymo_transport *transport, size_t (*write)(void *, const uint8_t *, size_t),
    size_t (*read)(void *, uint8_t *, size_t), void *context) {
    transport->write = write;
    transport->read = read;
    transport->context = context;
    transport->network = false;
}

#endif
