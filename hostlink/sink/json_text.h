/* SPDX-License-Identifier: MIT */
/* Strings and times in the notation of JSON. */
#ifndef HOSTLINK_JSON_TEXT_H
#define HOSTLINK_JSON_TEXT_H

#include <stddef.h>
#include <stdint.h>

#include "sink/outfile.h"

/* The text in quotes, escaped as RFC 8259 section 7 asks, and so that it is no markup in a page and can stand in a
 * script: '<', U+2028 and U+2029 as well. Invalid UTF-8 becomes U+FFFD. */
void json_text(struct outfile *out, const char *bytes, size_t length);

/* The number of bytes at the start that need no escape. */
size_t json_plain_length(const char *bytes, size_t length);

void json_number(struct outfile *out, uint64_t value);
/* Nanoseconds as microseconds with three decimals: "12.345", to "at", which has room for JSON_TIME_BYTES. Below 0 is
 * written as 0. Returns the end. */
#define JSON_TIME_BYTES 24u
char *json_put_time(char *at, int64_t ns);

#endif
