/* SPDX-License-Identifier: MIT */
/* The contract between the runtime and a transport, which sends and receives bytes and never waits. kymo_drain() and
 * kymo_init() call its functions, in the context that called them. */
#ifndef KYMO_TRANSPORT_H
#define KYMO_TRANSPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kymo/language.h"

struct kymo_transport {
    /* Accepts up to "length" bytes and returns how many; 0: no room. Must not wait. */
    size_t (*write)(void *context, const uint8_t *bytes, size_t length);
    /* Copies up to "length" received bytes to "bytes" and returns how many; 0: none. Must not wait. NULL for a
     * transport that only sends; the runtime then repeats the names. */
    size_t (*read)(void *context, uint8_t *bytes, size_t length);
    void *context;
    /* True if anybody on a network can send to the board. The runtime then ignores commands, or carries out only signed
     * ones: see KYMO_COMMAND_KEY. It calls "read" in any case. */
    bool network;
    /* Raises the transmit interrupt once more if the UART is empty. kymo_drain() calls it at its end where it has more
     * to do. NULL while there is no such interrupt. */
    void (*again)(void *context);
};

/* Fills in a transport that is not a network. Assigns field by field: see bytes.h. */
static inline KYMO_NO_FUNCTION void kymo_transport_set(
    struct kymo_transport *transport, size_t (*write)(void *, const uint8_t *, size_t),
    size_t (*read)(void *, uint8_t *, size_t), void *context) {
    transport->write = write;
    transport->read = read;
    transport->context = context;
    transport->network = false;
    transport->again = KYMO_NULL_;
}

#endif
