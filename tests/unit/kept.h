/* SPDX-License-Identifier: MIT */
/* A transport that keeps the board's bytes, to be read later. */
#ifndef TESTS_KEPT_H
#define TESTS_KEPT_H

#include <stddef.h>
#include <stdint.h>

#include "kymo/transport.h"

#define KEPT_BYTES (4u * 1024u * 1024u)

extern struct kept {
    uint8_t bytes[KEPT_BYTES];
    size_t length;
} kept;
/* More than KEPT_BYTES end the program. */
extern const struct kymo_transport kept_transport;

#endif
