/* SPDX-License-Identifier: MIT */
/* The sites of an image, as its board or its ELF file gives them. */
#ifndef HOSTLINK_SITE_ENTRY_H
#define HOSTLINK_SITE_ENTRY_H

#include <stddef.h>
#include <stdint.h>

/* More sites than this are refused: the index would only waste memory. */
#define WIRE_SITES (1u << 20)
#define WIRE_LANES 64u /* a packet cannot name more */

enum site_string { SITE_NAME, SITE_FUNCTION, SITE_FILE };

/* Contents of a SITES entry. Strings are bytes of the packet; "name" NULL = not given. */
struct site_entry {
    uint8_t kind, level;
    uint8_t cut; /* a bit for each enum site_string that was longer */
    uint32_t line, detail, color;
    const char *name, *function, *file;
    size_t name_bytes, function_bytes, file_bytes;
};
/* The sites of an image that are known from elsewhere than the board. */
struct site_list {
    const void *context;
    uint32_t count;
    void (*get)(const void *context, uint32_t index, struct site_entry *entry);
};

#endif
