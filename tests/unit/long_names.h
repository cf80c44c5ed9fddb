/* SPDX-License-Identifier: MIT */
/* Strings of 4096 bytes on their way over a link: they arrive as long as the wire has them, and are shown to be cut. */
#ifndef TESTS_LONG_NAMES_H
#define TESTS_LONG_NAMES_H

#include <stddef.h>
#include <stdint.h>

#include "kymo/transport.h"

/* The recorder sends a zone at a place with such a name, function and file by this transport; "take" moves the link on
 * and gives bytes that arrived at its far end. */
void long_names_arrive(const struct kymo_transport *transport,
                       size_t (*take)(uint8_t *bytes, size_t room));

#endif
