/* SPDX-License-Identifier: MIT */
/* Text of an image that counts, by put_char() of the file that includes this. */
#ifndef BENCH_PRINT_H
#define BENCH_PRINT_H

#include <stdint.h>

static void put_char(char character);

static void print_text(const char *text) {
    for (; *text != '\0'; text++) {
        put_char(*text);
    }
}

/* With a blank before it. */
static void print_number(uint64_t value) {
    char digits[24];
    char *at = digits + sizeof digits - 1u;
    *at = '\0';
    do {
        *--at = (char)('0' + value % 10u);
        value /= 10u;
    } while (value != 0u);
    print_text(" ");
    print_text(at);
}

#endif
