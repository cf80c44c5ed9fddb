/* SPDX-License-Identifier: MIT */
/* Texts that a board sent, each kept once. */
#ifndef HOSTLINK_TEXTS_H
#define HOSTLINK_TEXTS_H

#include <stddef.h>
#include <stdint.h>

struct text;

/* All zero is empty. */
struct texts {
    struct text **slots; /* by hash, NULL = free */
    uint32_t slot_count; /* a power of two, at least half of them free */
    uint32_t count;
};

/* Cleans the text: bytes that are not UTF-8 and characters that would upset a terminal become '?'. "out" has room for
 * "length" and a NUL; returns the new length, never more than "length". */
size_t texts_clean(char *out, const char *text, size_t length);
/* A clean copy of the text; equal texts are one copy. NULL: no memory. */
const char *texts_keep(struct texts *texts, const char *text, size_t length);
void texts_free(struct texts *texts);

#endif
