/* SPDX-License-Identifier: MIT */
#include "text.h"

void text_start(struct text *text, const char *string) {
    text->length = 0u;
    text_add(text, string);
}

void text_add(struct text *text, const char *string) {
    while (*string != '\0' && text->length < TEXT_BYTES) {
        text->bytes[text->length++] = *string++;
    }
}

void text_add_number(struct text *text, uint32_t number) {
    char digits[11]; /* 2^32 - 1 has ten */
    size_t at = sizeof digits - 1u;
    digits[at] = '\0';
    do {
        digits[--at] = (char)('0' + number % 10u);
        number /= 10u;
    } while (number != 0u);
    text_add(text, digits + at);
}
