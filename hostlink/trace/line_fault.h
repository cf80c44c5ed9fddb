/* SPDX-License-Identifier: MIT */
/* Finds how a line damages bytes: by the values that never occur in damaged packets. */
#ifndef HOSTLINK_LINE_FAULT_H
#define HOSTLINK_LINE_FAULT_H

#include <stddef.h>
#include <stdint.h>

/* All zero is the start. */
struct line_bytes {
    uint64_t count[256]; /* of each value */
    uint64_t all, bare_newlines;
};

void line_note(struct line_bytes *line, const uint8_t *bytes, size_t length);
/* The fault and the fix, as the end of a sentence; NULL: unknown. */
const char *line_fault(const struct line_bytes *line);
/* The one of these that means that the bytes are text, so that the rate is right. */
extern const char line_fault_text[];

#endif
