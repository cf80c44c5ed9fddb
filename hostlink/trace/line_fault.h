/* SPDX-License-Identifier: MIT */
/* What a line does to bytes, by the damaged packets: by what is never in them. */
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
/* What is wrong, and what to do, as the end of a sentence; NULL: nothing that is known. */
const char *line_fault(const struct line_bytes *line);
/* The one of these that means that the bytes are text, so that the rate is right. */
extern const char line_fault_text[];

#endif
