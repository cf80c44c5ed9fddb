/* SPDX-License-Identifier: MIT */
/* Bytes outside of packets: text of a console that writes to the UART of the trace, and damage by the line. */
#ifndef HOSTLINK_STRAY_TEXT_H
#define HOSTLINK_STRAY_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define STRAY_TEXT_BYTES 64

/* All zero is the start. */
struct stray_text {
    uint64_t count;               /* damaged packets that hold text */
    char first[STRAY_TEXT_BYTES]; /* of the first one */
    char notice[STRAY_TEXT_BYTES + 160];
};

/* All of it is text: a line that the board printed. */
bool text_is_all(const uint8_t *bytes, size_t length);
/* Looks into a damaged packet; "bytes" are its first UNPACK_CHUNK_BYTES. Returns a line for the user if it is the
 * first that holds text, else NULL. Packets hold names and messages, and bytes that look like text: so bytes are text
 * if the packet is whole without them. */
const char *text_note(struct stray_text *stray, const uint8_t *bytes, size_t length);

/* Finds how a line damages bytes: by the values that never occur in damaged packets. All zero is the start. */
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
