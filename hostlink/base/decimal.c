/* SPDX-License-Identifier: MIT */
#include "base/decimal.h"

#include <string.h>

/* 00 to 99. */
static const char pairs[] =
    "00010203040506070809101112131415161718192021222324252627282930313233343536373839"
    "40414243444546474849505152535455565758596061626364656667686970717273747576777879"
    "8081828384858687888990919293949596979899";

char *decimal_put(char *at, uint64_t value) {
    char digits[DECIMAL_BYTES];
    char *first = digits + sizeof digits;
    while (value >= 100) {
        first -= 2;
        memcpy(first, pairs + value % 100 * 2, 2);
        value /= 100;
    }
    if (value >= 10) {
        first -= 2;
        memcpy(first, pairs + value * 2, 2);
    } else {
        *--first = (char)('0' + value);
    }
    size_t length = (size_t)(digits + sizeof digits - first);
    memcpy(at, first, length);
    return at + length;
}

char *hexadecimal_put(char *at, uint64_t value) {
    unsigned digits = 1;
    for (uint64_t rest = value >> 4; rest != 0; rest >>= 4) {
        digits++;
    }
    for (unsigned i = digits; i != 0; value >>= 4) {
        at[--i] = "0123456789abcdef"[value & 15];
    }
    return at + digits;
}

char *decimal_put_three(char *at, unsigned value) {
    *at = (char)('0' + value / 100);
    memcpy(at + 1, pairs + value % 100 * 2, 2);
    return at + 3;
}
