/* SPDX-License-Identifier: MIT */
/* An image that records nothing yet: it has no site. */
#include "kymo/kymo.h"

void _start(void);

static size_t nowhere(void *context, const uint8_t *bytes, size_t length) {
    (void)context;
    (void)bytes;
    return length;
}

void _start(void) {
    static const struct kymo_transport transport = {.write = nowhere};
    kymo_init(&transport, "nothing");
    for (;;) {
        (void)kymo_drain(0u);
    }
}
