/* SPDX-License-Identifier: MIT */
/* Messages are formatted here: the site has the format string and the classes of the arguments, the
 * event has their words (runtime/WIRE.md, "Messages"). */
#ifndef HOSTLINK_FORMAT_H
#define HOSTLINK_FORMAT_H

#include <stddef.h>
#include <stdint.h>

#include "model/event.h"

#define FORMAT_BYTES_MAX 4096u

/* Finds the string of a KYMO_ARG_SITE argument; never NULL. */
typedef const char *format_lookup(void *context, uint32_t index);

/* Writes the text with a NUL after it, cut to "size" bytes, and returns its length. The language is
 * printf's without %n, which is printed as it is, as is any conversion without an argument. */
size_t format_message(char *out, size_t size, const struct site *site, const uint32_t *words,
                      uint32_t count, format_lookup *lookup, void *context);

#endif
