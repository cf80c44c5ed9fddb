/* SPDX-License-Identifier: MIT */
/* A line of text, put together without the C library. What does not fit is left out. */
#ifndef TEXT_H
#define TEXT_H

#include <stddef.h>
#include <stdint.h>

/* Fits one text packet of every KYMO_PACKET_BYTES. */
#define TEXT_BYTES 176

struct text {
    char bytes[TEXT_BYTES];
    size_t length;
};

void text_start(struct text *text, const char *string);
void text_add(struct text *text, const char *string);
void text_add_number(struct text *text, uint32_t number);

#endif
