/* SPDX-License-Identifier: MIT */
/* Text from outside, one character at a time. */
#ifndef HOSTLINK_UTF8_H
#define HOSTLINK_UTF8_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define UTF8_REPLACEMENT 0xfffdu

/* Reads the character at the start of "length" > 0 bytes and returns how many bytes it takes. Invalid UTF-8 (Unicode
 * 15, table 3-7: also overlong forms, surrogates, above U+10FFFF) gives UTF8_REPLACEMENT and takes one byte. */
size_t utf8_next(const char *bytes, size_t length, uint32_t *character);

/* True if every byte belongs to a character that utf8_next() would not replace. */
bool utf8_valid(const char *bytes, size_t length);

/* At most "limit" bytes of the text, ended between two characters. */
size_t utf8_cut(const char *bytes, size_t length, size_t limit);

/* Copies text for a terminal and a table: control characters and bytes that are not UTF-8 become '?'. Whole
 * characters, as many as fit; ended by NUL. */
void utf8_clean(char *out, size_t size, const char *bytes, size_t length);

/* True for characters that move a terminal's cursor or change its state, U+0000-001F and U+007F-009F, and for those
 * that reverse the direction of the text after them, U+202A-202E and U+2066-2069. */
bool utf8_is_control(uint32_t character);

#endif
