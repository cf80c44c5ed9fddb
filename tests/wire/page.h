/* SPDX-License-Identifier: MIT */
/* The examples of runtime/WIRE.md, section 9. */
#ifndef TESTS_WIRE_PAGE_H
#define TESTS_WIRE_PAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define EXAMPLES_MAX 48u
#define EXAMPLE_BYTES 512u
#define EXAMPLE_LINES 32u

struct example {
    char *line[EXAMPLE_LINES]; /* [0] is the packet, the others are its contents */
    size_t lines;
    uint8_t packet[EXAMPLE_BYTES]; /* with CRC, before stuffing */
    size_t packet_bytes;
    uint8_t wire[EXAMPLE_BYTES];
    size_t wire_bytes;
};

struct page {
    char *text;
    struct example example[EXAMPLES_MAX];
    size_t count;
};

/* Ends the program if the page cannot be read or has not the form that is expected. */
void page_read(struct page *page, const char *path);
void page_free(struct page *page);

/* True if the line begins with the word "name". */
bool line_is(const char *line, const char *name);
/* The number after " key=", decimal or 0x..., or 0 if there is no such key. */
uint64_t line_number(const char *line, const char *key);
/* The words after " words="; returns how many. */
uint32_t line_words(const char *line, uint32_t *words, uint32_t limit);
/* The text after " # ", or NULL. */
const char *line_meaning(const char *line);

#endif
